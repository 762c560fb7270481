//! `write_memory`: writes something down for later.

use mk_engine::Error;
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, code_answer,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct WriteMemoryArgs {
    /// Name of the memory; `/` separates topics, `global/…` is shared by all projects
    name: String,
    /// Markdown
    content: String,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<WriteMemoryArgs>();

impl ToolDefinition for WriteMemoryArgs {
    const SPEC: Spec = Spec {
        name: "write_memory",
        title: "Write a memory",
        description: "Write down something worth knowing later; overwrites a memory of the same name",
        toolset: Toolset::Memory,
        group: Some(Group::Edit),
        effect: ToolEffect::Changes,
        calls_per_minute: Some(10),
        paths: &[],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let size = self.content.len();
        let memories = call.project().memories();
        let name = memories
            .write(call.request, &self.name, self.content)
            .await?;
        Ok(code_answer(
            format!("Memory written: {name}"),
            json!({ "name": name, "size": size }),
        ))
    }
}
