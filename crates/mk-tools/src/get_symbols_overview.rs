//! `get_symbols_overview`: what a file defines, as a tree.

use mk_engine::Granted;
use mk_policy::Group;
use mk_symbols::Outline;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, code_reply, parse};

const MOST_SYMBOLS: usize = 1_000;

pub(crate) static TOOL: Tool = Tool {
    name: "get_symbols_overview",
    title: "Outline a file",
    description: "List what a file defines: lines and signatures, as a tree",
    group: Some(Group::Read),
    family: Family::Symbols,
    hints: Hints::ReadOnly,
    paths: &["file_path"],
    input: Schema::of::<GetSymbolsOverviewArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct GetSymbolsOverviewArgs {
    /// Path, relative to the project
    #[serde(rename = "file_path")]
    _file_path: String,
    /// 0 for the top only (default: all)
    depth: Option<u32>,
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let GetSymbolsOverviewArgs { depth, .. } = parse(arguments)?;
        let file = context.engine.only_target(&granted.permit)?;
        let path = file.clone();
        let outline = context
            .engine
            .on_disk(&granted.in_force, move |workspace| workspace.outline(&file))
            .await?;
        let depth = depth.map_or(usize::MAX, |depth| depth as usize);
        let lines = lines(&outline, depth);
        let mut shown: Vec<String> = lines.iter().take(MOST_SYMBOLS).cloned().collect();
        if shown.len() < lines.len() {
            shown.push(format!("[{} of {} shown]", shown.len(), lines.len()));
        }
        if shown.is_empty() {
            shown.push("The file defines no symbols".to_owned());
        }
        let facts = json!({
            "file_path": path.as_str(),
            "language": outline.language.name(),
            "symbols": outline.symbols.len(),
            "source": "index",
        });
        Ok(code_reply(shown.join("\n"), facts))
    })
}

fn lines(outline: &Outline, most: usize) -> Vec<String> {
    let symbols = outline.symbols.iter().enumerate();
    let shown = symbols.filter_map(|(position, symbol)| {
        let depth = outline.depth(position);
        let indent = "  ".repeat(depth);
        let lines = symbol.lines;
        (depth <= most).then(|| {
            format!(
                "{indent}{}-{}: {}",
                lines.start, lines.end, symbol.signature
            )
        })
    });
    shown.collect()
}
