//! `get_repository_map`: the most used symbols of the project, within a number of tokens.

use mk_engine::Error;
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::indexed;

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, code_answer,
};

const DEFAULT_TOKENS: u32 = 1_000;
const MOST_TOKENS: u32 = 20_000;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct GetRepositoryMapArgs {
    /// Default: 1000
    max_tokens: Option<u32>,
    /// File or glob; what it uses comes first
    focus: Option<String>,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<GetRepositoryMapArgs>();

impl ToolDefinition for GetRepositoryMapArgs {
    const SPEC: Spec = Spec {
        name: "get_repository_map",
        title: "Map the project",
        description: "Show the signatures that the project's code uses most, file by file",
        toolset: Toolset::Symbols,
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
        let tokens = self.max_tokens.unwrap_or(DEFAULT_TOKENS).min(MOST_TOKENS) as usize;
        let symbols = call.project().symbols();
        let map = symbols.map(call.request, tokens, self.focus).await?;
        let mut text = if map.files_total == 0 {
            "The project defines no symbols\n".to_owned()
        } else {
            map.text
        };
        text.extend(indexed::note(map.progress));
        let mut facts = indexed::facts("index", map.progress);
        facts["tokens"] = json!(map.tokens);
        facts["files_shown"] = json!(map.files_shown);
        facts["files_total"] = json!(map.files_total);
        Ok(code_answer(text, facts))
    }
}
