//! `find_references`: where a symbol is used.

use std::fmt::Write as _;

use mk_engine::Granted;
use mk_policy::Group;
use mk_symbols::{Answer, Reference};
use mk_types::ProjectPath;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::indexed;
use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, code_reply, parse};

const DEFAULT_RESULTS: u32 = 100;
const MOST_RESULTS: u32 = 1_000;

pub(crate) static TOOL: Tool = Tool {
    name: "find_references",
    title: "Find uses of a symbol",
    description: "Find where a symbol is used, by its name; not in comments and strings",
    group: Some(Group::Read),
    family: Family::Symbols,
    hints: Hints::ReadOnly,
    paths: &[],
    input: Schema::of::<FindReferencesArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct FindReferencesArgs {
    /// Name or name path
    symbol_name: String,
    /// Default: 100
    max_results: Option<u32>,
    /// Session whose mode applies
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let args: FindReferencesArgs = parse(arguments)?;
        let name = args.symbol_name.clone();
        let limit = args.max_results.unwrap_or(DEFAULT_RESULTS);
        let limit = limit.clamp(1, MOST_RESULTS) as usize;
        let found = context
            .engine
            .on_disk(&granted.in_force, move |workspace| {
                workspace.references(&name, limit)
            })
            .await?;
        let mut facts = indexed::facts(found.source, found.progress);
        facts["shown"] = json!(found.hits.len());
        facts["cut"] = json!(found.hits.len() < found.total);
        Ok(code_reply(describe(&args.symbol_name, &found), facts))
    })
}

fn describe(name: &str, found: &Answer<Reference>) -> String {
    let source = found.source.as_str();
    let mut text = match found.hits.len() {
        0 => format!("{name} is not used; source: {source}\n"),
        count => format!("{count} places with {name}; source: {source}\n"),
    };
    let mut file: Option<&ProjectPath> = None;
    for reference in &found.hits {
        if file != Some(&reference.path) {
            let _ = writeln!(text, "{}", reference.path);
            file = Some(&reference.path);
        }
        let place = &reference.place;
        let _ = write!(text, "  {}:{}: {}", place.line, place.column, place.text);
        match &reference.within {
            _ if reference.is_definition => text.push_str("  [definition]"),
            Some(within) => {
                let _ = write!(text, "  [in {within}]");
            }
            None => {}
        }
        text.push('\n');
    }
    if found.hits.len() < found.total {
        text.push_str("[there are more: raise max_results]\n");
    }
    if let Some(note) = indexed::note(found.progress) {
        let _ = writeln!(text, "{note}");
    }
    text
}
