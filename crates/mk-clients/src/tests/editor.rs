//! The hooks of editors, which could not be run: every event and field that their documentation names.
//!
//! VS Code: its pages about agent hooks and the source of its extension. Cursor: its pages about hooks and about those of
//! other products.

#![expect(
    clippy::needless_pass_by_value,
    reason = "a test reads better with its JSON written where it is used"
)]

use serde_json::{Value, json};

use super::hook::{check_answer, check_event, cursor};
use crate::{ClientId, HookVerdict};

const DENIED: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;

/// The common fields as the documentation spells them.
fn documented(event: &str, more: Value) -> Value {
    let mut all = json!({
        "timestamp": "2026-02-09T10:30:00.000Z", "cwd": "/p", "sessionId": "s1", "hookEventName": event,
        "transcript_path": "/t.json",
    });
    extend(&mut all, more);
    all
}

/// As the extension writes them.
fn written(event: &str, more: Value) -> Value {
    let mut all = json!({
        "timestamp": "2026-02-09T10:30:00.000Z", "cwd": "/p", "session_id": "s1", "hook_event_name": event,
        "transcript_path": "/t.json",
    });
    extend(&mut all, more);
    all
}

fn call(tool: &str, input: Value) -> Value {
    json!({ "tool_name": tool, "tool_input": input, "tool_use_id": "tool-123" })
}

fn extend(all: &mut Value, more: Value) {
    if let (Value::Object(all), Value::Object(more)) = (all, more) {
        all.extend(more);
    }
}

/// In both spellings.
#[track_caller]
fn check_vscode(event: &str, more: Value, expected: &str) {
    for spelled in [documented(event, more.clone()), written(event, more)] {
        check_event(ClientId::VsCode, &spelled, expected);
    }
}

#[test]
fn vscode_events_are_read_in_both_spellings() {
    let check = check_vscode;
    check(
        "SessionStart",
        json!({ "source": "new" }),
        "s1 - - /p start new",
    );
    check(
        "UserPromptSubmit",
        json!({ "prompt": "hi" }),
        "s1 - - /p prompt hi",
    );
    check(
        "PreCompact",
        json!({ "trigger": "auto" }),
        "s1 - - /p other",
    );
    check(
        "Stop",
        json!({ "stop_hook_active": false }),
        "s1 - - /p other",
    );
    let child = json!({ "agent_id": "a1", "agent_type": "Plan" });
    check("SubagentStart", child.clone(), "s1 a1 - /p start -");
    check("SubagentStop", child, "s1 a1 - /p other");
    let after = json!({
        "tool_name": "editFiles", "tool_input": { "files": ["src/main.ts"] }, "tool_use_id": "t",
        "tool_response": "File edited successfully",
    });
    check(
        "PostToolUse",
        after,
        "s1 - - /p after editFiles Edit path=src/main.ts",
    );
}

#[track_caller]
fn check_vscode_tools<const N: usize>(tools: [(&str, Value, &str); N]) {
    for (tool, input, expected) in tools {
        let expected = format!("s1 - - /p before {tool} {expected}");
        check_vscode("PreToolUse", call(tool, input), &expected);
    }
}

#[test]
fn vscode_tools_that_edit_name_their_files() {
    check_vscode_tools([
        (
            "editFiles",
            json!({ "files": ["a.ts", "b.ts"] }),
            "Edit path=a.ts path=b.ts",
        ),
        (
            "editFiles",
            json!({ "files": [{ "path": "a.ts" }] }),
            "Edit path=a.ts",
        ),
        ("editFiles", json!({ "files": [7] }), "Edit unclear"),
        (
            "create_file",
            json!({ "filePath": "/p/a", "content": "" }),
            "Edit path=/p/a",
        ),
        (
            "replace_string_in_file",
            json!({ "filePath": "/p/a" }),
            "Edit path=/p/a",
        ),
        (
            "multi_replace_string_in_file",
            json!({ "replacements": [{ "filePath": "/p/a" }, { "filePath": "/p/b" }] }),
            "Edit path=/p/a path=/p/b",
        ),
        (
            "apply_patch",
            json!({ "input": "*** Begin Patch" }),
            "Edit patch=*** Begin Patch",
        ),
        (
            "edit_notebook_file",
            json!({ "filePath": "/p/a.ipynb" }),
            "Edit path=/p/a.ipynb",
        ),
    ]);
}

#[test]
fn vscode_tools_are_of_the_group_of_what_they_do() {
    check_vscode_tools([
        (
            "run_in_terminal",
            json!({ "command": "ls", "isBackground": true }),
            "Command line=ls",
        ),
        (
            "send_to_terminal",
            json!({ "id": "1", "command": "y" }),
            "Command line=y",
        ),
        ("get_terminal_output", json!({ "id": "1" }), "Harmless"),
        ("read_file", json!({ "filePath": "/p/a" }), "Read path=/p/a"),
        ("grep_search", json!({ "query": "x" }), "Read"),
        ("fetch_webpage", json!({ "urls": ["http://x"] }), "Browser"),
        ("runSubagent", json!({ "prompt": "x" }), "Modes"),
        // What runs something that its arguments do not show is for no mode.
        (
            "create_and_run_task",
            json!({ "task": { "command": "rm" } }),
            "unknown",
        ),
        ("run_vscode_command", json!({ "commandId": "x" }), "unknown"),
        ("mcp_github_create_issue", json!({}), "Mcp"),
        (
            "mcp_modekeeper_switch_mode",
            json!({}),
            "Mcp mcp=modekeeper/switch_mode",
        ),
    ]);
}

#[test]
fn vscode_is_answered_in_claude_s_shape() {
    let before = documented("PreToolUse", call("editFiles", json!({})));
    check_answer(ClientId::VsCode, &before, &HookVerdict::deny("no"), DENIED);
    check_answer(ClientId::VsCode, &before, &HookVerdict::pass(), "");
    check_answer(
        ClientId::VsCode,
        &documented("SessionStart", json!({ "source": "new" })),
        &HookVerdict::pass().with_context("mode: ask"),
        r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"mode: ask"}}"#,
    );
}

/// Each event comes to the hook of the product in whose settings it stands, and is read as its sender's.
#[test]
fn an_event_is_read_as_its_sender_s() {
    let (claude, copilot, vscode) = (ClientId::ClaudeCode, ClientId::Copilot, ClientId::VsCode);
    let from_vscode = written(
        "PreToolUse",
        call("create_file", json!({ "filePath": "/p/a" })),
    );
    let mut from_copilot = json!({
        "hook_event_name": "PreToolUse", "session_id": "s1", "timestamp": "2026-11-17T23:08:45.429Z", "cwd": "/p",
        "tool_name": "Edit", "tool_input": { "path": "/p/a", "old_str": "x", "new_str": "y" },
    });
    for client in [claude, copilot, vscode] {
        check_event(
            client,
            &from_vscode,
            "s1 - - /p before create_file Edit path=/p/a",
        );
        check_answer(client, &from_vscode, &HookVerdict::deny("no"), DENIED);
        check_event(
            client,
            &from_copilot,
            "s1 - - /p before Edit Edit path=/p/a",
        );
        check_answer(client, &from_copilot, &HookVerdict::deny("no"), DENIED);
        // Silence is a failure to it.
        check_answer(client, &from_copilot, &HookVerdict::pass(), "{}");
    }
    // Claude Code itself has no time in its events.
    from_copilot["permission_mode"] = json!("default");
    check_event(claude, &from_copilot, "s1 - - /p before Edit Edit");
    // Cursor sends its own events, no matter whose settings they stand in.
    let from_cursor = cursor(
        "preToolUse",
        json!({ "tool_name": "Shell", "tool_input": { "command": "ls" }, "cursor_version": "2.0.77" }),
    );
    check_event(
        claude,
        &from_cursor,
        "s1 - - /p before Shell Command line=ls",
    );
    check_answer(
        claude,
        &from_cursor,
        &HookVerdict::deny("no"),
        r#"{"permission":"deny","user_message":"no","agent_message":"no"}"#,
    );
}

#[test]
fn cursor_is_judged_by_hooks_of_claude_s_settings_alone() {
    let check = |event: &str, more: Value, expected: &str| {
        check_event(ClientId::ClaudeCode, &cursor(event, more), expected);
    };
    // The event that says more about it goes to Cursor's own hooks.
    check(
        "preToolUse",
        json!({ "tool_name": "MCP:switch_mode", "tool_input": {} }),
        "s1 - - /p before MCP:switch_mode Mcp mcp=/switch_mode",
    );
    for event in ["PreToolUse", "pretooluse", "beforeToolUse"] {
        check(
            event,
            json!({ "tool_name": "Shell", "tool_input": { "command": "ls" } }),
            "s1 - - /p before Shell Command line=ls",
        );
    }
    check(
        "afterMCPExecution",
        json!({ "tool_name": "q", "tool_input": "{}" }),
        "s1 - - /p other",
    );
}

#[track_caller]
fn check_cursor(event: &str, more: Value, expected: &str) {
    check_event(ClientId::Cursor, &cursor(event, more), expected);
}

#[test]
fn cursor_has_an_event_for_each_kind_of_call() {
    let check = check_cursor;
    check(
        "beforeShellExecution",
        json!({ "command": "ls", "cwd": "/p/src", "sandbox": false }),
        "s1 - - /p/src before Shell Command line=ls",
    );
    check(
        "beforeReadFile",
        json!({ "file_path": "/p/.env", "content": "", "attachments": [{ "type": "rule", "file_path": "/p/r" }] }),
        "s1 - - /p before Read Read path=/p/.env",
    );
    check(
        "beforeMCPExecution",
        json!({ "tool_name": "q", "tool_input": "{\"a\":1}", "url": "http://127.0.0.1:1/mcp" }),
        "s1 - - /p before q Mcp mcp=/q",
    );
    let own = "/home/me/.local/share/modekeeper/bin/modekeeper mcp";
    check(
        "beforeMCPExecution",
        json!({ "tool_name": "switch_mode", "tool_input": "{}", "command": own }),
        "s1 - - /p before switch_mode Mcp mcp=modekeeper/switch_mode",
    );
    check(
        "beforeMCPExecution",
        json!({ "tool_name": "switch_mode", "tool_input": "{}", "command": "npx evil-modekeeper mcp" }),
        "s1 - - /p before switch_mode Mcp mcp=/switch_mode",
    );
}

#[test]
fn cursor_tools_are_of_the_group_of_what_they_do() {
    let tools = [
        (
            "Shell",
            json!({ "command": "ls", "working_directory": "/p" }),
            "Command line=ls",
        ),
        ("Read", json!({ "file_path": "/p/a" }), "Read path=/p/a"),
        ("Write", json!({ "file_path": "a.rs" }), "Edit path=a.rs"),
        ("StrReplace", json!({ "path": "a.rs" }), "Edit path=a.rs"),
        ("Delete", json!({ "path": "a.rs" }), "Edit path=a.rs"),
        (
            "EditNotebook",
            json!({ "target_notebook": "a.ipynb" }),
            "Edit path=a.ipynb",
        ),
        (
            "Grep",
            json!({ "pattern": "x", "path": "src" }),
            "Read path=src",
        ),
        ("Task", json!({ "prompt": "x" }), "Modes"),
        ("GenerateImage", json!({ "filename": "a.png" }), "unknown"),
    ];
    for (tool, input, expected) in tools {
        check_cursor(
            "preToolUse",
            json!({ "tool_name": tool, "tool_input": input, "tool_use_id": "abc", "cwd": "/p", "agent_message": "x" }),
            &format!("s1 - - /p before {tool} {expected}"),
        );
    }
}

#[test]
fn cursor_events_besides_calls_are_read() {
    let check = check_cursor;
    // Its own event, which says more, decides about it.
    check(
        "preToolUse",
        json!({ "tool_name": "MCP:switch_mode", "tool_input": {} }),
        "s1 - - /p other",
    );
    check(
        "postToolUse",
        json!({ "tool_name": "Shell", "tool_input": { "command": "ls" }, "tool_output": "{}", "duration": 1 }),
        "s1 - - /p after Shell Command line=ls",
    );
    check(
        "sessionStart",
        json!({ "session_id": "s1", "is_background_agent": false, "composer_mode": "agent" }),
        "s1 - - /p start -",
    );
    check(
        "beforeSubmitPrompt",
        json!({ "prompt": "hi", "attachments": [] }),
        "s1 - - /p prompt hi",
    );
    check(
        "subagentStart",
        json!({ "subagent_id": "a", "parent_conversation_id": "s0", "task": "x" }),
        "s1 - s0 /p other",
    );
    for event in [
        "afterFileEdit",
        "beforeTabFileRead",
        "stop",
        "sessionEnd",
        "preCompact",
    ] {
        check(event, json!({ "file_path": "/p/a" }), "s1 - - /p other");
    }
}

#[test]
fn cursor_hears_of_its_mode_at_the_start_and_after_a_tool() {
    let context = HookVerdict::pass().with_context("mode: ask");
    for event in [
        cursor("sessionStart", json!({})),
        cursor(
            "postToolUse",
            json!({ "tool_name": "Shell", "tool_input": {} }),
        ),
    ] {
        check_answer(
            ClientId::Cursor,
            &event,
            &context,
            r#"{"additional_context":"mode: ask"}"#,
        );
    }
}

/// A shell in the background is a shell: each product's way to start one, to type into it, and to look at it.
#[test]
fn background_shells_are_known() {
    let tool = |client: ClientId, name: &str| {
        let row = client.atlas().tool(name);
        let row = row.unwrap_or_else(|| panic!("{}: {name}", client.slug()));
        (row.group, !row.commands.is_empty(), row.typed)
    };
    use crate::ClientToolGroup::{Command, Harmless};
    let started = [
        (ClientId::ClaudeCode, "Bash"),
        (ClientId::ClaudeCode, "Monitor"),
        (ClientId::Codex, "exec_command"),
        (ClientId::Copilot, "bash"),
        (ClientId::Gemini, "run_shell_command"),
        (ClientId::Qwen, "run_shell_command"),
        (ClientId::Qwen, "monitor"),
        (ClientId::OpenCode, "bash"),
        (ClientId::Cline, "run_commands"),
        (ClientId::VsCode, "run_in_terminal"),
        (ClientId::Cursor, "Shell"),
    ];
    for (client, name) in started {
        assert_eq!(tool(client, name), (Command, true, false), "{name}");
    }
    let typed = [
        (ClientId::Codex, "write_stdin"),
        (ClientId::Copilot, "write_bash"),
        (ClientId::VsCode, "send_to_terminal"),
    ];
    for (client, name) in typed {
        assert_eq!(tool(client, name), (Command, true, true), "{name}");
    }
    let looked_at = [
        (ClientId::ClaudeCode, "TaskOutput"),
        (ClientId::ClaudeCode, "BashOutput"),
        (ClientId::ClaudeCode, "KillShell"),
        (ClientId::Copilot, "read_bash"),
        (ClientId::Copilot, "stop_bash"),
        (ClientId::Gemini, "read_background_output"),
        (ClientId::Qwen, "task_stop"),
        (ClientId::VsCode, "get_terminal_output"),
        (ClientId::Cursor, "Await"),
    ];
    for (client, name) in looked_at {
        assert_eq!(tool(client, name), (Harmless, false, false), "{name}");
    }
}
