//! `replace_content`: replaces text in one file; refuses when it is not clear which place is meant.

use mk_engine::{Error, TextReplacement};
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;

use super::changes;
use crate::tool::{Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ReplaceContentArgs {
    /// Path, relative to the project
    #[serde(rename = "file_path")]
    _file_path: String,
    /// Text to find
    find: String,
    /// New text; `$1` is a group of the regex
    replace: String,
    /// `find` is a regex
    regex: Option<bool>,
    /// Replace every occurrence
    all: Option<bool>,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<ReplaceContentArgs>();

impl ToolDefinition for ReplaceContentArgs {
    const SPEC: Spec = Spec {
        name: "replace_content",
        title: "Replace text in a file",
        description: "Replace literal text (or a regex) in a file; an ambiguous match is refused",
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
        let replacement = TextReplacement {
            find: self.find,
            replace: self.replace,
            is_regex: self.regex == Some(true),
            all: self.all == Some(true),
        };
        let files = call.project().files();
        let replaced = files.replace(call.request, replacement).await?;
        Ok(replaced.map(|changes| changes::reply(&changes)))
    }
}
