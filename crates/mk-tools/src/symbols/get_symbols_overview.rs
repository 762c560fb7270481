//! `get_symbols_overview`: what a file defines, as a tree.

use mk_engine::{Error, FileOutline, OutlineEntry};
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::tool::{Answer, Call, Definition, Effect, Spec, Tool, Toolset, code_answer};

const MOST_SYMBOLS: usize = 1_000;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct GetSymbolsOverviewArgs {
    /// Path, relative to the project
    #[serde(rename = "file_path")]
    _file_path: String,
    /// 0 for the top only (default: all)
    depth: Option<u32>,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<GetSymbolsOverviewArgs>();

impl Definition for GetSymbolsOverviewArgs {
    const SPEC: Spec = Spec {
        name: "get_symbols_overview",
        title: "Outline a file",
        description: "List what a file defines: lines and signatures, as a tree",
        toolset: Toolset::Symbols,
        group: Some(Group::Read),
        effect: Effect::ReadOnly,
        calls_per_minute: Some(50),
        paths: &["file_path"],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: Call<'_>) -> Result<Answer, Error> {
        let outline = call.project().symbols().outline(call.request).await?;
        let depth = self.depth.map_or(usize::MAX, |depth| depth as usize);
        let lines = lines(&outline, depth);
        let mut shown: Vec<String> = lines.iter().take(MOST_SYMBOLS).cloned().collect();
        if shown.len() < lines.len() {
            shown.push(format!("[{} of {} shown]", shown.len(), lines.len()));
        }
        if shown.is_empty() {
            shown.push("The file defines no symbols".to_owned());
        }
        let facts = json!({
            "file_path": outline.path.as_str(),
            "language": outline.language,
            "symbols": outline.entries.len(),
            "source": "index",
        });
        Ok(code_answer(shown.join("\n"), facts))
    }
}

fn lines(outline: &FileOutline, most: usize) -> Vec<String> {
    let shown = outline.entries.iter().filter(|entry| entry.depth <= most);
    let line = |entry: &OutlineEntry| {
        let indent = "  ".repeat(entry.depth);
        format!(
            "{indent}{}-{}: {}",
            entry.start_line, entry.end_line, entry.signature
        )
    };
    shown.map(line).collect()
}
