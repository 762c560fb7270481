//! What the tools that answer with places in code have in common.

use std::fmt::Write as _;

use mk_engine::{Error, Granted, Noted};
use mk_symbols::{Answer, Reference};
use mk_types::ProjectPath;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::indexed;
use crate::tool::{self, Context, code_reply, parse};

const DEFAULT_RESULTS: u32 = 100;
const MOST_RESULTS: u32 = 1_000;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct PlacesArgs {
    /// Name or name path
    symbol_name: String,
    /// File it is in
    file_path: Option<String>,
    /// Default: 100
    max_results: Option<u32>,
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

/// Which places are asked for.
pub(crate) struct Wanted {
    pub(crate) name: String,
    pub(crate) file: Option<ProjectPath>,
    pub(crate) limit: usize,
}

impl Wanted {
    pub(crate) fn parse(
        context: &Context<'_>,
        granted: &Granted,
        arguments: Value,
    ) -> Result<Self, Error> {
        let args: PlacesArgs = parse(arguments)?;
        let file = args
            .file_path
            .map(|_| context.engine.only_target(&granted.permit));
        let limit = args.max_results.unwrap_or(DEFAULT_RESULTS);
        Ok(Self {
            name: args.symbol_name,
            file: file.transpose()?,
            limit: limit.clamp(1, MOST_RESULTS) as usize,
        })
    }
}

/// The places by file; `none` says what it means that there are none.
pub(crate) fn reply(name: &str, none: &str, found: &Noted<Answer<Reference>>) -> tool::Answer {
    let Noted { answer, note } = found;
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
    let is_cut = answer.hits.len() < answer.total;
    if is_cut {
        text.push_str("[there are more: raise max_results]\n");
    }
    let notes = [
        indexed::note(answer.progress),
        indexed::remark(note.as_deref()),
    ];
    for note in notes.into_iter().flatten() {
        let _ = writeln!(text, "{note}");
    }
    let mut facts = indexed::facts(source, answer.progress);
    facts["shown"] = json!(answer.hits.len());
    facts["cut"] = json!(is_cut);
    code_reply(text, facts)
}
