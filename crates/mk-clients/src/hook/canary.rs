//! A call that every mode refuses, in each client's own words: fired at an installed hook, it shows that the hook holds.

use std::path::Path;

use serde_json::{Value, json};

use super::{HookAnswer, ToolUse};
use crate::ClientId;

/// A tool that nobody has. What is unknown is denied in every mode, and nothing would happen if it were not.
const TOOL: &str = "ModekeeperCanary";
const CONVERSATION: &str = "modekeeper-canary";

/// Whether a call is a canary.
pub fn is_canary(tool: &ToolUse) -> bool {
    tool.name == TOOL
}

/// What the client would write to its hook; `None` for a client without hooks.
pub fn canary(client: ClientId, directory: &Path) -> Option<String> {
    canary_in(client, directory, CONVERSATION)
}

/// The same in a conversation that the caller has put into a mode.
pub fn canary_in(client: ClientId, directory: &Path, conversation: &str) -> Option<String> {
    let cwd = directory.display().to_string();
    let claude = |event: &str| {
        json!({
            "session_id": conversation, "transcript_path": null, "cwd": cwd, "permission_mode": "default",
            "hook_event_name": event, "tool_name": TOOL, "tool_input": {}, "tool_use_id": conversation,
        })
    };
    let event = match client {
        ClientId::ClaudeCode | ClientId::Codex | ClientId::Qwen | ClientId::VsCode => {
            claude("PreToolUse")
        }
        ClientId::Gemini => claude("BeforeTool"),
        ClientId::Copilot => json!({
            "sessionId": conversation, "timestamp": 0, "cwd": cwd, "toolName": TOOL, "toolArgs": {},
        }),
        ClientId::OpenCode => json!({
            "event": "tool.execute.before", "sessionID": conversation, "callID": conversation,
            "tool": TOOL, "args": {}, "cwd": cwd,
        }),
        ClientId::Cline => json!({
            "hookName": "tool_call", "taskId": conversation,
            "sessionContext": { "rootSessionId": conversation }, "workspaceRoots": [cwd],
            "agent_id": conversation, "parent_agent_id": null,
            "tool_call": { "id": conversation, "name": TOOL, "input": {} },
        }),
        ClientId::Cursor => json!({
            "hook_event_name": "preToolUse", "conversation_id": conversation,
            "generation_id": conversation, "workspace_roots": [cwd], "tool_name": TOOL, "tool_input": {},
        }),
        _ => return None,
    };
    Some(event.to_string())
}

/// Whether a client would take this answer for a refusal.
pub fn is_denial(client: ClientId, answer: &HookAnswer) -> bool {
    let Ok(output) = serde_json::from_str::<Value>(&answer.stdout) else {
        return false;
    };
    let says = |value: Option<&Value>| value.and_then(Value::as_str) == Some("deny");
    match client {
        ClientId::ClaudeCode | ClientId::Codex | ClientId::Qwen | ClientId::VsCode => {
            let specific = output.get("hookSpecificOutput");
            says(specific.and_then(|it| it.get("permissionDecision")))
        }
        ClientId::Gemini => says(output.get("decision")),
        ClientId::Copilot => says(output.get("permissionDecision")),
        ClientId::OpenCode => output.get("deny").is_some(),
        ClientId::Cline => {
            output.get("overrideInput").is_some() || output.get("cancel") == Some(&json!(true))
        }
        ClientId::Cursor => says(output.get("permission")),
        _ => false,
    }
}
