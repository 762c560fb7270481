//! `get_project_config`: the configuration that people wrote for the project.

use mk_engine::Error;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, rules_reply,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct GetProjectConfigArgs {}

pub(crate) static TOOL: Tool = Tool::of::<GetProjectConfigArgs>();

impl ToolDefinition for GetProjectConfigArgs {
    const SPEC: Spec = Spec {
        name: "get_project_config",
        title: "Show the project configuration",
        description: "Tech stack, architecture, conventions and language of the project",
        toolset: Toolset::Rules,
        group: None,
        effect: ToolEffect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: None,
    };

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let config = call.project().playbook().config().await?;
        Ok(rules_reply(&Value::Object(config.settings.clone())))
    }
}
