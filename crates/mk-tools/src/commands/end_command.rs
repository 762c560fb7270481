//! `end_command`: ends a command that runs in the background.

use mk_engine::Error;
use schemars::JsonSchema;
use serde::Deserialize;

use super::output;
use crate::tool::{Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct EndCommandArgs {
    /// ID of the command as `run_command` answered it
    id: String,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<EndCommandArgs>();

impl ToolDefinition for EndCommandArgs {
    const SPEC: Spec = Spec {
        name: "end_command",
        title: "End a command",
        description: "End a command that runs in the background, with everything it has started",
        toolset: Toolset::Commands,
        group: None,
        effect: ToolEffect::Changes,
        calls_per_minute: None,
        paths: &[],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let ended = call.project().commands().end(&self.id).await?;
        Ok(ToolAnswer::Done(output::reply(&ended)))
    }
}
