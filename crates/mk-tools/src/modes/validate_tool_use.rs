//! `validate_tool_use`: would the task's mode allow this call? A denial is an answer, not an error.

use std::fmt::Write as _;

use mk_engine::{CheckedCall, Error};
use mk_types::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::mode_info::{capped, continued};
use crate::schema;
use crate::tool::{Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, reply};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ValidateToolUseArgs {
    /// Session ID, or `current`
    session_id: String,
    /// Name of the tool to validate
    tool_name: String,
    /// File path (for edit operations)
    file_path: Option<String>,
    /// The call's own arguments: every path, command and MCP server in them is checked
    arguments: Option<Map<String, Value>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ValidateToolUseOutput {
    allowed: bool,
    /// `allow`, `ask` (a person must approve) or `deny`.
    decision: &'static str,
    tool_name: String,
    /// Slug of the mode that decided.
    mode: String,
    /// The rule that decided.
    rule: &'static str,
    /// What the group is restricted to.
    #[serde(skip_serializing_if = "Option::is_none")]
    restriction: Option<String>,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// What to do instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<ValidateToolUseArgs>();

impl ToolDefinition for ValidateToolUseArgs {
    const SPEC: Spec = Spec {
        name: "validate_tool_use",
        title: "Check a tool call",
        description: "Check if a tool can be used in the current mode",
        toolset: Toolset::Modes,
        group: None,
        effect: ToolEffect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: Some(schema::of_output::<ValidateToolUseOutput>),
    };

    fn session(&self) -> Option<&str> {
        Some(&self.session_id)
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let Self {
            tool_name,
            file_path,
            arguments,
            ..
        } = self;
        if tool_name.trim().is_empty() {
            return Err(Error::invalid(
                "tool_name",
                "Parameter tool_name must not be empty",
            ));
        }
        let session = call.session()?.clone();
        let project = call.project();
        let tools = &call.engine.policy().tools;
        let mut checked = match arguments {
            Some(arguments) => tools.call(&tool_name, &Value::Object(arguments)),
            None => mk_types::ToolCall::new(&tool_name),
        };
        checked.paths.extend(file_path);
        let checked = project.check(checked)?;
        call.engine.tasks().touch(&session);
        let text = worded(&tool_name, &session, &checked);
        let hint = checked.next_step();
        let hint = hint.map(|step| step.for_model().into_owned());
        let evaluation = checked.evaluation;
        let mode = checked.in_force.mode.slug.to_string();
        let allowed = evaluation.is_allowed();
        let error = (!allowed).then(|| evaluation.reason());
        let mut metadata = json!({ "allowed": allowed, "tool_name": tool_name, "mode": mode });
        if let (Some(error), Some(metadata)) = (&error, metadata.as_object_mut()) {
            if let Some(restriction) = &evaluation.restriction {
                metadata.insert("restriction".to_owned(), json!(restriction));
            }
            metadata.insert("error".to_owned(), json!(error));
        }
        let output = ValidateToolUseOutput {
            allowed,
            decision: evaluation.decision.as_str(),
            tool_name,
            mode,
            rule: evaluation.rule.as_str(),
            hint,
            restriction: evaluation.restriction,
            error,
        };
        Ok(ToolAnswer::Done(reply(text, &output, metadata)))
    }
}

fn worded(tool_name: &str, session: &SessionId, checked: &CheckedCall) -> String {
    let CheckedCall {
        in_force,
        evaluation,
        ..
    } = checked;
    let mut text = format!(
        "Tool validation result\n\nTool: {}\nSession: {session}\nMode: {}\n",
        continued(tool_name),
        in_force.mode.slug
    );
    if evaluation.is_allowed() {
        text.push_str("\nResult: ✓ Allowed\n");
    } else {
        if evaluation.rule.concerns_file()
            && let Some(path) = &evaluation.path
        {
            let _ = writeln!(text, "File: {}", continued(path));
        }
        let reason = evaluation.reason();
        let _ = write!(
            text,
            "\nResult: ❌ Not allowed\nReason: {}\n",
            continued(&reason)
        );
    }
    text.push_str(&capped(in_force));
    text
}
