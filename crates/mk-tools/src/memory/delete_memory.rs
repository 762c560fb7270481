//! `delete_memory`: forgets a memory.

use mk_engine::Error;
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, code_answer,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct DeleteMemoryArgs {
    /// Name, as list_memories shows it
    name: String,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<DeleteMemoryArgs>();

impl ToolDefinition for DeleteMemoryArgs {
    const SPEC: Spec = Spec {
        name: "delete_memory",
        title: "Delete a memory",
        description: "Delete a memory that is wrong or no longer needed",
        toolset: Toolset::Memory,
        group: Some(Group::Edit),
        effect: ToolEffect::Changes,
        calls_per_minute: Some(20),
        paths: &[],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let memories = call.project().memories();
        let name = memories.delete(call.request, &self.name).await?;
        Ok(code_answer(
            format!("Memory deleted: {name}"),
            json!({ "name": name }),
        ))
    }
}
