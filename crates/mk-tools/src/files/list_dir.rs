//! `list_dir`: what is in a folder.

use mk_engine::{EntryType, Error, ListingDepth};
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, code_answer,
};

const MOST_ENTRIES: usize = 1_000;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ListDirArgs {
    /// Directory (default: the project)
    #[serde(rename = "path")]
    _path: Option<String>,
    /// List subdirectories too
    recursive: Option<bool>,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<ListDirArgs>();

impl ToolDefinition for ListDirArgs {
    const SPEC: Spec = Spec {
        name: "list_dir",
        title: "List a directory",
        description: "List a directory; names of directories end with /. Respects .gitignore",
        toolset: Toolset::Files,
        group: Some(Group::Read),
        effect: ToolEffect::ReadOnly,
        calls_per_minute: Some(100),
        paths: &["path"],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let depth = if self.recursive == Some(true) {
            ListingDepth::Recursive
        } else {
            ListingDepth::Flat
        };
        let files = call.project().files();
        let listed = files.list(call.request, depth, MOST_ENTRIES).await?;
        let mut lines = Vec::new();
        for entry in &listed.entries {
            lines.push(match entry.kind {
                EntryType::Directory => format!("{}/", entry.path),
                EntryType::Link => format!("{} (link)", entry.path),
                EntryType::Special => format!("{} (special)", entry.path),
                EntryType::File => format!("{}  {}", entry.path, entry.size),
            });
        }
        if listed.cut {
            lines.push(format!(
                "[{} of {} shown]",
                listed.entries.len(),
                listed.total
            ));
        }
        if lines.is_empty() {
            lines.push("The directory is empty".to_owned());
        }
        let facts = json!({ "total": listed.total, "cut": listed.cut });
        Ok(code_answer(lines.join("\n"), facts))
    }
}
