//! `rename_memory`: gives a memory another name; references follow.

use mk_engine::Error;
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, code_answer,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct RenameMemoryArgs {
    /// Name now
    old_name: String,
    /// Name afterwards
    new_name: String,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<RenameMemoryArgs>();

impl ToolDefinition for RenameMemoryArgs {
    const SPEC: Spec = Spec {
        name: "rename_memory",
        title: "Rename a memory",
        description: "Rename a memory; references to it (mem:name) in other memories follow",
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
        let renamed = memories.rename(call.request, &self.old_name, &self.new_name);
        let (old, new, references) = renamed.await?;
        let text = format!("Memory renamed: {old} to {new} ({references} references changed)");
        Ok(code_answer(
            text,
            json!({ "old_name": old, "new_name": new, "references": references }),
        ))
    }
}
