//! `exit_plan`: shows a finished plan to the user, who says whether it is carried out and in which mode.

use mk_engine::Error;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::tool::{Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, reply};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ExitPlanArgs {
    /// In Markdown
    plan: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct ExitPlanOutput {
    approved: bool,
    mode: String,
}

pub(crate) static TOOL: Tool = Tool::of::<ExitPlanArgs>();

impl ToolDefinition for ExitPlanArgs {
    const SPEC: Spec = Spec {
        name: "exit_plan",
        title: "Exit plan",
        description: "Show a plan; the user picks a mode",
        toolset: Toolset::Modes,
        group: None,
        effect: ToolEffect::Changes,
        calls_per_minute: Some(20),
        paths: &[],
        output: None,
    };

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let outcome = call
            .engine
            .conversations()
            .exit_plan(call.caller, &self.plan)
            .await?;
        Ok(outcome.map(|accepted| {
            let mode = accepted.mode.to_string();
            let text = format!("The user approved the plan. Mode: {mode}");
            let metadata = json!({ "mode": mode });
            let output = ExitPlanOutput {
                approved: true,
                mode,
            };
            reply(text, &output, metadata)
        }))
    }
}
