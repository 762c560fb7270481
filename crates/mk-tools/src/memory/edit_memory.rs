//! `edit_memory`: changes a part of a memory.

use mk_engine::{Error, TextReplacement};
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, code_answer,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct EditMemoryArgs {
    /// Name, as list_memories shows it
    name: String,
    /// Text to find
    find: String,
    /// New text
    replace: String,
    /// `find` is a regex
    regex: Option<bool>,
    /// Replace every occurrence
    all: Option<bool>,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<EditMemoryArgs>();

impl ToolDefinition for EditMemoryArgs {
    const SPEC: Spec = Spec {
        name: "edit_memory",
        title: "Edit a memory",
        description: "Replace literal text (or a regex) in a memory; an ambiguous match is refused",
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
        let replacement = TextReplacement {
            find: self.find,
            replace: self.replace,
            is_regex: self.regex == Some(true),
            all: self.all == Some(true),
        };
        let memories = call.project().memories();
        let name = memories.edit(call.request, &self.name, replacement).await?;
        Ok(code_answer(
            format!("Memory changed: {name}"),
            json!({ "name": name }),
        ))
    }
}
