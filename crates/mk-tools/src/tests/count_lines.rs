//! `count_lines`: how long a file is.

use mk_engine::Error;
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, code_answer,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct CountLinesArgs {
    /// Path, relative to the project
    #[serde(rename = "file_path")]
    _file_path: String,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<CountLinesArgs>();

impl ToolDefinition for CountLinesArgs {
    const SPEC: Spec = Spec {
        name: "count_lines",
        title: "Count the lines of a file",
        description: "How many lines a file has",
        toolset: Toolset::Files,
        group: Some(Group::Read),
        effect: ToolEffect::ReadOnly,
        calls_per_minute: None,
        paths: &["file_path"],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let file = call
            .project()
            .files()
            .read(call.request, None, None)
            .await?;
        let lines = file.total_lines;
        Ok(code_answer(lines.to_string(), json!({ "lines": lines })))
    }
}
