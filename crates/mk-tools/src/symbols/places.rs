//! What the tools that answer with places in code have in common.

use std::fmt::Write as _;

use mk_engine::{SymbolAnswer, SymbolReference};
use mk_types::ProjectPath;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::indexed;
use crate::tool::{Answer, code_answer};

const DEFAULT_RESULTS: u32 = 100;
const MOST_RESULTS: u32 = 1_000;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct PlacesArgs {
    /// Name or name path
    pub(crate) symbol_name: String,
    /// File it is in
    #[serde(rename = "file_path")]
    _file_path: Option<String>,
    /// Default: 100
    max_results: Option<u32>,
    pub(crate) session_id: Option<String>,
}

impl PlacesArgs {
    pub(crate) fn limit(&self) -> usize {
        let limit = self.max_results.unwrap_or(DEFAULT_RESULTS);
        limit.clamp(1, MOST_RESULTS) as usize
    }
}

/// The places by file; `none` says what it means that there are none.
pub(crate) fn reply(name: &str, none: &str, answer: &SymbolAnswer<SymbolReference>) -> Answer {
    let source = &answer.source;
    let mut text = match answer.hits.len() {
        0 => format!("{name} {none}; source: {source}\n"),
        count => format!("{count} places with {name}; source: {source}\n"),
    };
    let mut file: Option<&ProjectPath> = None;
    for reference in &answer.hits {
        if file != Some(&reference.path) {
            let _ = writeln!(text, "{}", reference.path);
            file = Some(&reference.path);
        }
        let _ = write!(
            text,
            "  {}:{}: {}",
            reference.line, reference.column, reference.text
        );
        match &reference.within {
            _ if reference.is_definition => text.push_str("  [definition]"),
            Some(within) => {
                let _ = write!(text, "  [in {within}]");
            }
            None => {}
        }
        text.push('\n');
    }
    let is_cut = answer.hits.len() < answer.total;
    if is_cut {
        text.push_str("[there are more: raise max_results]\n");
    }
    let notes = [
        indexed::note(answer.progress),
        indexed::remark(answer.note.as_deref()),
    ];
    for note in notes.into_iter().flatten() {
        let _ = writeln!(text, "{note}");
    }
    let mut facts = indexed::facts(source, answer.progress);
    facts["shown"] = json!(answer.hits.len());
    facts["cut"] = json!(is_cut);
    code_answer(text, facts)
}
