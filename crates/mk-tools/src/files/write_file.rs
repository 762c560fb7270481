//! `write_file`: creates a file, or replaces all of it.

use mk_engine::Error;
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;

use super::changes;
use crate::tool::{Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct WriteFileArgs {
    /// Path, relative to the project
    #[serde(rename = "file_path")]
    _file_path: String,
    /// The whole new text
    content: String,
    /// `revision` from read_file: refuse if the file has changed since
    expected_revision: Option<String>,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<WriteFileArgs>();

impl ToolDefinition for WriteFileArgs {
    const SPEC: Spec = Spec {
        name: "write_file",
        title: "Write a file",
        description: "Create a file or replace its contents, with a backup; missing directories are created",
        toolset: Toolset::Files,
        group: Some(Group::Edit),
        effect: ToolEffect::Changes,
        calls_per_minute: Some(100),
        paths: &["file_path"],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let files = call.project().files();
        let written = files
            .write(call.request, self.content, self.expected_revision)
            .await?;
        Ok(written.map(|changes| changes::reply(&changes)))
    }
}
