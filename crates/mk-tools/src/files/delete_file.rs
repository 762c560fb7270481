//! `delete_file`: removes a file, with a backup.

use mk_engine::Error;
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;

use super::changes;
use crate::tool::{Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct DeleteFileArgs {
    /// Path, relative to the project
    #[serde(rename = "file_path")]
    _file_path: String,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<DeleteFileArgs>();

impl ToolDefinition for DeleteFileArgs {
    const SPEC: Spec = Spec {
        name: "delete_file",
        title: "Delete a file",
        description: "Delete a file, with a backup",
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
        let deleted = call.project().files().delete(call.request).await?;
        Ok(deleted.map(|changes| changes::reply(&changes)))
    }
}
