//! `activate_project`: which project later calls are about.

use mk_engine::Error;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolReply, ToolRun, Toolset,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ActivateProjectArgs {
    /// Absolute path of the project directory
    project_root: String,
}

pub(crate) static TOOL: Tool = Tool::of::<ActivateProjectArgs>();

impl ToolDefinition for ActivateProjectArgs {
    const SPEC: Spec = Spec {
        name: "activate_project",
        title: "Activate a project",
        description: "Switch to another project directory",
        toolset: Toolset::Project,
        group: None,
        effect: ToolEffect::Changes,
        calls_per_minute: Some(10),
        paths: &[],
        output: None,
    };

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let project = call.project();
        Ok(project
            .activate(&self.project_root)
            .await?
            .map(|root| ToolReply {
                text: format!("Project activated: {root}"),
                structured: json!({ "project": root.as_str() }),
                metadata: Value::Null,
                current: None,
                project: Some(root),
            }))
    }
}
