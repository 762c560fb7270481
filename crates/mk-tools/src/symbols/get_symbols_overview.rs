//! `get_symbols_overview`: what a file defines, as a tree.

use mk_engine::{Error, OutlineEntry};
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::outline;
use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, code_answer,
};

const DEFAULT_RESULTS: u32 = 200;
const MOST_RESULTS: u32 = 1_000;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct GetSymbolsOverviewArgs {
    /// Path, relative to the project
    #[serde(rename = "file_path")]
    _file_path: String,
    /// 0 for the top only (default: all)
    depth: Option<u32>,
    /// Symbols to skip
    offset: Option<u32>,
    /// Default: 200
    max_results: Option<u32>,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<GetSymbolsOverviewArgs>();

impl ToolDefinition for GetSymbolsOverviewArgs {
    const SPEC: Spec = Spec {
        name: "get_symbols_overview",
        title: "Outline a file",
        description: "List what a file defines: lines, decorators and signatures, as a tree",
        toolset: Toolset::Symbols,
        group: Some(Group::Read),
        effect: ToolEffect::ReadOnly,
        calls_per_minute: Some(50),
        paths: &["file_path"],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let outline = call.project().symbols().outline(call.request).await?;
        let depth = self.depth.map_or(usize::MAX, |depth| depth as usize);
        let is_shown = |entry: &&OutlineEntry| entry.depth <= depth;
        let entries: Vec<&OutlineEntry> = outline.entries.iter().filter(is_shown).collect();
        let offset = self.offset.unwrap_or(0) as usize;
        let limit = self.max_results.unwrap_or(DEFAULT_RESULTS);
        let limit = limit.clamp(1, MOST_RESULTS) as usize;
        let page = entries.iter().skip(offset).take(limit);
        let mut shown: Vec<String> = page.map(|entry| outline::line(entry)).collect();
        let next = offset + shown.len();
        let is_cut = next < entries.len();
        if shown.is_empty() {
            shown.push(match entries.len() {
                0 => "The file defines no symbols".to_owned(),
                total => format!("There are no more: the file defines {total} symbols"),
            });
        }
        if is_cut {
            shown.push(format!(
                "[{offset}–{next} of {} shown: continue with offset {next}]",
                entries.len()
            ));
        }
        let facts = json!({
            "file_path": outline.path.as_str(),
            "language": outline.language,
            "symbols": outline.entries.len(),
            "source": outline.source,
            "next_offset": is_cut.then_some(next),
        });
        Ok(code_answer(shown.join("\n"), facts))
    }
}
