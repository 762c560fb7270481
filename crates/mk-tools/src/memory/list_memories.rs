//! `list_memories`: what has been written down.

use mk_engine::{Error, MemoryInfo};
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, code_answer,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ListMemoriesArgs {
    /// Only memories below this topic
    topic: Option<String>,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<ListMemoriesArgs>();

impl ToolDefinition for ListMemoriesArgs {
    const SPEC: Spec = Spec {
        name: "list_memories",
        title: "List memories",
        description: "List memories; read the ones whose names fit the task",
        toolset: Toolset::Memory,
        group: Some(Group::Read),
        effect: ToolEffect::ReadOnly,
        calls_per_minute: Some(50),
        paths: &[],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let memories = call.project().memories();
        let memories = memories.list(call.request, self.topic).await?;
        let line = |memory: &MemoryInfo| {
            let mark = if memory.read_only { " (read-only)" } else { "" };
            format!("{}{mark}", memory.name)
        };
        let mut text = memories.iter().map(line).collect::<Vec<_>>().join("\n");
        if text.is_empty() {
            text.push_str("No memories yet");
        }
        let entry = |memory: &MemoryInfo| {
            json!({
                "name": memory.name,
                "size": memory.size,
                "modified": memory.modified.to_string(),
                "read_only": memory.read_only,
            })
        };
        let entries: Vec<Value> = memories.iter().map(entry).collect();
        Ok(code_answer(text, json!({ "memories": entries })))
    }
}
