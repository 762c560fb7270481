//! `find_files`: files by the pattern of their names.

use mk_engine::Error;
use mk_policy::Group;
use mk_types::ProjectPath;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, code_answer,
};

const DEFAULT_RESULTS: u32 = 100;
const MOST_RESULTS: u32 = 2_000;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct FindFilesArgs {
    /// Glob
    pattern: String,
    /// Directory (default: the project)
    #[serde(rename = "path")]
    _path: Option<String>,
    /// Default: 100
    max_results: Option<u32>,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<FindFilesArgs>();

impl ToolDefinition for FindFilesArgs {
    const SPEC: Spec = Spec {
        name: "find_files",
        title: "Find files",
        description: "Find files by glob; respects .gitignore. `*.py` matches at any depth, `src/**/*.rs` from the root",
        toolset: Toolset::Files,
        group: Some(Group::Read),
        effect: ToolEffect::ReadOnly,
        calls_per_minute: Some(50),
        paths: &["path"],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let limit = self.max_results.unwrap_or(DEFAULT_RESULTS);
        let limit = limit.clamp(1, MOST_RESULTS) as usize;
        let files = call.project().files();
        let found = files.find(call.request, self.pattern, limit).await?;
        let paths: Vec<&str> = found.paths.iter().map(ProjectPath::as_str).collect();
        let mut text = paths.join("\n");
        match (paths.is_empty(), found.cut) {
            (true, _) => text.push_str("No files match"),
            (_, true) => text.push_str(&format!("\n[{} of {} shown]", paths.len(), found.total)),
            _ => {}
        }
        let facts = json!({ "files": paths, "total": found.total, "cut": found.cut });
        Ok(code_answer(text, facts))
    }
}
