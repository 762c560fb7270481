//! `move_file`: gives a file another name; never overwrites.

use mk_engine::Error;
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;

use super::changes;
use crate::tool::{Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct MoveFileArgs {
    /// Path now, relative to the project
    #[serde(rename = "from_path")]
    _from_path: String,
    /// Path afterwards
    #[serde(rename = "to_path")]
    _to_path: String,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<MoveFileArgs>();

impl ToolDefinition for MoveFileArgs {
    const SPEC: Spec = Spec {
        name: "move_file",
        title: "Move a file",
        description: "Move or rename a file; an existing target is never overwritten",
        toolset: Toolset::Files,
        group: Some(Group::Edit),
        effect: ToolEffect::Changes,
        calls_per_minute: Some(100),
        paths: &["from_path", "to_path"],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let moved = call.project().files().rename(call.request).await?;
        Ok(moved.map(|changes| changes::reply(&changes)))
    }
}
