//! `read_memory`: what was written down under a name.

use mk_engine::Error;
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, code_answer,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ReadMemoryArgs {
    /// Name, as list_memories shows it
    name: String,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<ReadMemoryArgs>();

impl ToolDefinition for ReadMemoryArgs {
    const SPEC: Spec = Spec {
        name: "read_memory",
        title: "Read a memory",
        description: "Read a memory: what was learned about this project earlier",
        toolset: Toolset::Memory,
        group: Some(Group::Read),
        effect: ToolEffect::ReadOnly,
        calls_per_minute: Some(20),
        paths: &[],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let memories = call.project().memories();
        let (name, text) = memories.read(call.request, &self.name).await?;
        Ok(code_answer(text, json!({ "name": name })))
    }
}
