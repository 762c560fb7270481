//! `switch_mode`: puts a session into another mode. Whether it may is the engine's answer.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use mk_engine::{Error, Outcome, SwitchedMode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::mode_info::{ToolGroup, capped, group_lines, tool_groups};

use crate::schema;
use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolReply, ToolRun, Toolset, reply,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct SwitchModeArgs {
    /// Session ID of the task, or `current`
    session_id: String,
    /// Slug of the mode to switch to
    new_mode_slug: String,
    /// Reason for switching modes (optional)
    reason: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SwitchModeOutput {
    session_id: String,
    old_mode: String,
    new_mode: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// What the new mode may do.
    #[schemars(with = "BTreeMap<String, ToolGroup>")]
    tool_groups: Map<String, Value>,
}

pub(crate) static TOOL: Tool = Tool::of::<SwitchModeArgs>();

impl ToolDefinition for SwitchModeArgs {
    const SPEC: Spec = Spec {
        name: "switch_mode",
        title: "Switch mode",
        description: "Switch a task to a different mode",
        toolset: Toolset::Modes,
        group: None,
        effect: ToolEffect::Changes,
        calls_per_minute: Some(20),
        paths: &[],
        output: Some(schema::of_output::<SwitchModeOutput>),
    };

    fn session(&self) -> Option<&str> {
        Some(&self.session_id)
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let Self {
            new_mode_slug,
            reason,
            ..
        } = self;
        let session = call.session()?;
        let outcome = call
            .engine
            .tasks()
            .switch_mode(call.caller, session.as_str(), &new_mode_slug, reason)
            .await?;
        let SwitchedMode {
            session,
            mode,
            old_mode,
            reason,
            enters,
        } = match outcome {
            Outcome::Done(switched) => switched,
            Outcome::NeedsApproval(approval) => return Ok(ToolAnswer::NeedsApproval(approval)),
        };
        let project = call.engine.project(call.caller);
        let in_force = project.on(Some(session.id.clone())).in_force()?;
        let mut text = format!(
            "Mode switched successfully\n\nSession: {}\nOld mode: {old_mode}\nNew mode: {}\n",
            session.id, mode.slug
        );
        if let Some(reason) = &reason {
            let _ = writeln!(text, "Reason: {reason}");
        }
        let _ = write!(
            text,
            "\nNew tool groups:\n{}\n",
            group_lines(&in_force).join("\n")
        );
        text.push_str(&capped(&in_force));
        let metadata = json!({ "old_mode": old_mode.as_str(), "new_mode": mode.slug.as_str() });
        let output = SwitchModeOutput {
            session_id: session.id.to_string(),
            old_mode: old_mode.to_string(),
            new_mode: mode.slug.to_string(),
            reason,
            tool_groups: tool_groups(|group| in_force.decides(group)),
        };
        Ok(ToolAnswer::Done(ToolReply {
            current: enters.then_some(session.id),
            ..reply(text, &output, metadata)
        }))
    }
}
