//! The shape that Claude Code brought and others took over: snake case, `hookSpecificOutput`.
//!
//! Each of its speakers has a file of its own, because each differs in what it takes for a failure.

use serde_json::{Map, Value, json};

use super::answer::json_answer;
use super::event::EventFields;
use super::{HookAnswer, HookError, HookEvent, HookMoment, HookVerdict};

pub(crate) fn parse_claude_shape(fields: &EventFields) -> Result<HookEvent, HookError> {
    let field = "hook_event_name";
    let name = fields.event_name().ok_or(HookError::Missing { field })?;
    let moment = match name.as_str() {
        "PreToolUse" | "BeforeTool" => HookMoment::BeforeTool(tool_use(fields)?),
        "PostToolUse" | "AfterTool" => HookMoment::AfterTool(tool_use(fields)?),
        "SessionStart" | "SubagentStart" => HookMoment::SessionStart {
            source: fields.text(&["source"]),
        },
        "UserPromptSubmit" | "BeforeAgent" => HookMoment::Prompt {
            text: fields.text(&["prompt"]).unwrap_or_default(),
        },
        _ => HookMoment::Other,
    };
    Ok(fields.event(name, moment))
}

pub(crate) fn tool_use(fields: &EventFields) -> Result<super::ToolUse, HookError> {
    fields.tool_use("tool_name", "tool_input", &["tool_use_id"])
}

/// `hookSpecificOutput` with a denial, a context, both or neither. Where nothing is to be said, silence.
pub(crate) fn answer_claude_shape(event: &HookEvent, verdict: &HookVerdict) -> HookAnswer {
    let mut output = Map::new();
    if let Some(reason) = verdict.refusal(event) {
        deny(&mut output, reason);
    }
    if let Some(context) = &verdict.context {
        output.insert("additionalContext".to_owned(), json!(context));
    }
    if output.is_empty() || matches!(event.moment, HookMoment::Other) {
        return HookAnswer::silence();
    }
    json_answer(&specific(&event.name, output))
}

/// A denial of a tool call about which nothing is known.
pub(crate) fn refuse_claude_shape(reason: &str) -> HookAnswer {
    let mut output = Map::new();
    deny(&mut output, reason);
    json_answer(&specific("PreToolUse", output))
}

fn deny(output: &mut Map<String, Value>, reason: &str) {
    output.insert("permissionDecision".to_owned(), json!("deny"));
    output.insert("permissionDecisionReason".to_owned(), json!(reason));
}

fn specific(event: &str, output: Map<String, Value>) -> Value {
    let mut all = Map::new();
    all.insert("hookEventName".to_owned(), json!(event));
    all.extend(output);
    json!({ "hookSpecificOutput": all })
}
