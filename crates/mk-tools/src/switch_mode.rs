//! `switch_mode`: puts a session into another mode. Whether it may is the engine's answer.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use mk_engine::{Outcome, Switched};
use mk_policy::group_lines;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::mode_info::{ToolGroup, tool_groups};
use crate::tool::{
    Answer, Context, Family, Hints, Reply, Run, Running, Schema, Tool, parse, reply,
};

pub(crate) static TOOL: Tool = Tool {
    name: "switch_mode",
    title: "Switch mode",
    description: "Switch a task to a different mode",
    group: None,
    family: Family::Modes,
    hints: Hints::Changes,
    paths: &[],
    input: Schema::of::<SwitchModeArgs>(),
    output: Some(Schema::of_output::<SwitchModeOutput>()),
    run: Run::Free(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
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

fn run<'a>(context: &'a Context<'a>, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let SwitchModeArgs {
            session_id,
            new_mode_slug,
            reason,
        } = parse(arguments)?;
        let session_id = context.session(&session_id)?;
        let outcome = context
            .engine
            .tasks()
            .switch_mode(context.caller, session_id, &new_mode_slug, reason)
            .await?;
        let Switched {
            session,
            mode,
            old_mode,
            reason,
        } = match outcome {
            Outcome::Done(switched) => switched,
            Outcome::NeedsApproval(approval) => return Ok(Answer::NeedsApproval(approval)),
        };
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
            group_lines(&mode).join("\n")
        );
        let metadata = json!({ "old_mode": old_mode.as_str(), "new_mode": mode.slug.as_str() });
        let output = SwitchModeOutput {
            session_id: session.id.to_string(),
            old_mode: old_mode.to_string(),
            new_mode: mode.slug.to_string(),
            reason,
            tool_groups: tool_groups(&mode),
        };
        Ok(Answer::Done(Reply {
            current: Some(session.id),
            ..reply(text, &output, metadata)
        }))
    })
}
