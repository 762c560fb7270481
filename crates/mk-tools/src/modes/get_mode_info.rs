//! `get_mode_info`: one mode in full.

use std::fmt::Write as _;
use std::sync::Arc;

use mk_engine::{Error, InForce};
use mk_policy::Mode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::mode_info::{ModeInfo, capped, group_lines, tool_groups};

use crate::schema;
use crate::tool::{Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, reply};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct GetModeInfoArgs {
    /// Slug of the mode to get info for
    mode_slug: String,
    /// Include the full system prompt (default: false)
    include_system_prompt: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GetModeInfoOutput {
    mode: ModeInfo,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_prompt: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<GetModeInfoArgs>();

impl ToolDefinition for GetModeInfoArgs {
    const SPEC: Spec = Spec {
        name: "get_mode_info",
        title: "Show a mode",
        description: "Get detailed information about a specific mode",
        toolset: Toolset::Modes,
        group: None,
        effect: ToolEffect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: Some(schema::of_output::<GetModeInfoOutput>),
    };

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let Self {
            mode_slug,
            include_system_prompt,
        } = self;
        let mode = call
            .engine
            .modes()
            .get(call.caller, "mode_slug", &mode_slug)?;
        let mut text = format!(
            "Mode: {} ({})\nSource: {}\n",
            mode.name,
            mode.slug,
            mode.source.as_str()
        );
        if let Some(description) = &mode.description {
            let _ = writeln!(text, "Description: {}", description.trim());
        }
        if let Some(when) = &mode.when_to_use {
            let _ = write!(text, "\nWhen to use:\n{}\n", when.trim());
        }
        let here = under_ceilings(&call, &mode);
        let groups = match &here {
            Some(here) => group_lines(here),
            None => mk_policy::group_lines(&mode),
        };
        let capped = here.as_ref().map(capped).unwrap_or_default();
        let _ = write!(text, "\nTool Groups:\n{}\n{capped}", groups.join("\n"));
        if let Some(instructions) = &mode.custom_instructions {
            let _ = write!(text, "\nCustom Instructions:\n{}\n", instructions.trim());
        }
        let system_prompt = match include_system_prompt {
            Some(true) => Some(call.engine.modes().system_prompt(call.caller, &mode.slug)?),
            _ => None,
        };
        if let Some(prompt) = &system_prompt {
            let _ = write!(text, "\nSystem Prompt:\n{prompt}");
        }
        let metadata = json!({ "mode_slug": mode.slug.as_str(), "source": mode.source.as_str() });
        let output = GetModeInfoOutput {
            mode: match &here {
                Some(here) => ModeInfo {
                    tool_groups: tool_groups(|group| here.decides(group)),
                    ..ModeInfo::from(&*mode)
                },
                None => ModeInfo::from(&*mode),
            },
            system_prompt,
        };
        Ok(ToolAnswer::Done(reply(text, &output, metadata)))
    }
}

/// The mode under the ceilings of the endpoint. What holds an agent besides can change with the mode.
fn under_ceilings(call: &ToolRun<'_>, mode: &Arc<Mode>) -> Option<InForce> {
    let mut here = call.engine.project(call.caller).in_force().ok()?;
    let of_endpoint = |ceiling: &Arc<Mode>| {
        let mut ceilings = call.caller.ceilings.iter();
        ceilings.any(|it| *it.slug() == ceiling.slug)
    };
    here.ceilings.retain(of_endpoint);
    here.mode = Arc::clone(mode);
    Some(here)
}
