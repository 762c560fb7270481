//! What the tools that answer with places in code have in common.

use std::fmt::Write as _;

use mk_engine::{AnswerDetail, IndexProgress, SymbolAnswer, SymbolReference};
use mk_types::ProjectPath;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::indexed;
use crate::tool::{ToolAnswer, code_answer};

const DEFAULT_RESULTS: u32 = 100;
const MOST_RESULTS: u32 = 1_000;
const MOST_CONTEXT: u32 = 20;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct PlacesArgs {
    /// Name or name path
    pub(crate) symbol_name: String,
    /// File it is in
    #[serde(rename = "file_path")]
    _file_path: Option<String>,
    /// Lines around each place (default: 0)
    context_lines: Option<u32>,
    /// Default: 100
    max_results: Option<u32>,
    pub(crate) session_id: Option<String>,
}

impl PlacesArgs {
    pub(crate) fn shown(&self) -> AnswerDetail {
        let limit = self.max_results.unwrap_or(DEFAULT_RESULTS);
        AnswerDetail {
            limit: limit.clamp(1, MOST_RESULTS) as usize,
            context_lines: self.context_lines.unwrap_or(0).min(MOST_CONTEXT),
        }
    }
}

/// The places by file; `none` says what it means that there are none.
pub(crate) fn reply(name: &str, none: &str, answer: &SymbolAnswer<SymbolReference>) -> ToolAnswer {
    let source = &answer.source;
    let mut text = headline(name, none, answer);
    let mut is_claimed = true;
    let mut file: Option<&ProjectPath> = None;
    for reference in &answer.hits {
        if reference.is_unclaimed && is_claimed {
            let _ = writeln!(
                text,
                "By name alone, not counted to this symbol by {source}:"
            );
            (is_claimed, file) = (false, None);
        }
        if file != Some(&reference.path) {
            let _ = writeln!(text, "{}", reference.path);
            file = Some(&reference.path);
        }
        add_place(&mut text, reference);
    }
    let is_cut = answer.hits.len() < answer.total;
    if is_cut {
        let _ = writeln!(
            text,
            "[{} of {}{} shown: raise max_results]",
            answer.hits.len(),
            at_least(answer),
            answer.total
        );
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
    facts["total"] = json!(answer.total);
    facts["cut"] = json!(is_cut);
    code_answer(text, facts)
}

fn at_least(answer: &SymbolAnswer<SymbolReference>) -> &'static str {
    match (answer.is_counted, answer.progress) {
        (true, IndexProgress::Ready) => "",
        (true, _) => "at least ",
        (false, _) => "more than ",
    }
}

fn headline(name: &str, none: &str, answer: &SymbolAnswer<SymbolReference>) -> String {
    let (source, least) = (&answer.source, at_least(answer));
    match (answer.hits.len(), answer.total) {
        (0, _) if answer.progress != IndexProgress::Ready => {
            format!("No place of {name} found so far; source: {source}\n")
        }
        (0, _) => format!("{name} {none}; source: {source}\n"),
        (1, 1) if least.is_empty() => format!("1 place with {name}; source: {source}\n"),
        (count, total) if count < total => {
            format!("{least}{total} places with {name}, {count} shown; source: {source}\n")
        }
        (count, _) => format!("{least}{count} places with {name}; source: {source}\n"),
    }
}

/// A place between the lines around it.
fn add_place(text: &mut String, reference: &SymbolReference) {
    let (before, after): (Vec<_>, Vec<_>) = reference
        .context
        .iter()
        .filter(|near| near.line != reference.line)
        .partition(|near| near.line < reference.line);
    for near in before {
        let _ = writeln!(text, "  {}- {}", near.line, near.text);
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
    for near in after {
        let _ = writeln!(text, "  {}- {}", near.line, near.text);
    }
}
