//! `get_symbol_definition`: a symbol's text, by its name or by where it stands.

use mk_engine::{DefinitionQuery, DefinitionText, Error, SymbolAnswer};
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{indexed, outline};

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, code_answer,
};

/// More namesakes are listed without their text.
const MOST_BODIES: usize = 5;
const MOST_DEFINITIONS: usize = 50;
/// A type or module with more is shown by the signatures of its members.
const LONGEST_WHOLE: usize = 4_000;
/// Of what stands above the first member.
const LONGEST_HEAD: usize = 2_000;
/// Longer texts are read by lines.
const LONGEST_BODY: usize = 40_000;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct GetSymbolDefinitionArgs {
    /// Name or name path
    symbol_name: Option<String>,
    /// File it is in
    file_path: Option<String>,
    /// From 1
    line: Option<u32>,
    /// From 1
    column: Option<u32>,
    /// Show a long class whole
    body: Option<bool>,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<GetSymbolDefinitionArgs>();

impl ToolDefinition for GetSymbolDefinitionArgs {
    const SPEC: Spec = Spec {
        name: "get_symbol_definition",
        title: "Show a symbol",
        description: "Show a symbol's code with its docs, by name or by file, line and column; signatures of a long class",
        toolset: Toolset::Symbols,
        group: Some(Group::Read),
        effect: ToolEffect::ReadOnly,
        calls_per_minute: Some(100),
        paths: &["file_path"],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let wanted = match (self.symbol_name.clone(), &self.file_path, self.line) {
            (Some(name), _, _) => DefinitionQuery::Name(name),
            (None, Some(_), Some(line)) => DefinitionQuery::Position {
                line,
                column: self.column.unwrap_or(1),
            },
            (None, _, _) => {
                let message = "Missing required parameter for get_symbol_definition: symbol_name, or file_path and line";
                return Err(Error::invalid("symbol_name", message));
            }
        };
        let symbols = call.project().symbols();
        let found = symbols
            .definition(call.request, wanted, MOST_DEFINITIONS)
            .await?;
        let mut facts = indexed::facts(&found.source, found.progress);
        facts["total"] = json!(found.total);
        facts["definitions"] = found.hits.iter().map(to_json).collect();
        let whole = self.body == Some(true);
        Ok(code_answer(describe(&found, whole), facts))
    }
}

fn describe(found: &SymbolAnswer<DefinitionText>, whole: bool) -> String {
    let mut parts = Vec::new();
    for (position, definition) in found.hits.iter().enumerate() {
        let mut part = format!(
            "{} in {}:{}-{} ({})",
            definition.name_path,
            definition.path,
            definition.start_line,
            definition.end_line,
            definition.kind
        );
        if position < MOST_BODIES {
            part.push('\n');
            let is_long = definition.body.len() > LONGEST_WHOLE && !definition.members.is_empty();
            part.push_str(&if is_long && !whole {
                skeleton(definition)
            } else {
                body(definition)
            });
        }
        parts.push(part);
    }
    if found.hits.len() < found.total {
        parts.push(format!("[{} of {} shown]", found.hits.len(), found.total));
    }
    parts.extend(indexed::note(found.progress));
    parts.extend(indexed::remark(found.note.as_deref()));
    parts.join("\n\n")
}

/// The beginnings of lines that stand for what is not shown.
const SIGNATURES_ONLY: &str = "[signatures only:";
const CUT: &str = "[cut before line";

/// Whether a text is what was shown of a symbol, and not all of it.
pub(super) fn is_excerpt(text: &str) -> bool {
    let is_mark = |line: &str| {
        let line = line.trim();
        line.ends_with(']') && (line.starts_with(SIGNATURES_ONLY) || line.starts_with(CUT))
    };
    text.lines().any(is_mark)
}

/// What is above the first member, and the signatures of all of them.
fn skeleton(definition: &DefinitionText) -> String {
    let first = definition.members.first().map_or(0, |member| {
        let n_attributes = u32::try_from(member.attributes.len()).unwrap_or(0);
        member.start_line.saturating_sub(n_attributes)
    });
    let n_above = first.saturating_sub(definition.start_line) as usize;
    let above: Vec<&str> = definition.body.lines().take(n_above.max(1)).collect();
    let mut text = above.join("\n");
    if text.len() > LONGEST_HEAD {
        text.truncate(text.floor_char_boundary(LONGEST_HEAD));
        text.push_str(" …");
    }
    let mut lines: Vec<String> = Vec::new();
    let mut length = text.len();
    for member in &definition.members {
        let line = outline::line(member);
        length += line.len();
        if length > LONGEST_BODY {
            break;
        }
        lines.push(line);
    }
    let n_left = definition.members.len() - lines.len();
    let text = text.trim_end();
    let mut skeleton = format!("{text}\n{}", lines.join("\n"));
    if n_left > 0 {
        skeleton.push_str(&format!("\n[{n_left} more are not shown]"));
    }
    skeleton.push_str(&format!(
        "\n{SIGNATURES_ONLY} body true shows all {} lines, or ask for a member]",
        definition.end_line + 1 - definition.start_line
    ));
    skeleton
}

/// As much of the text as fits, in whole lines.
fn body(definition: &DefinitionText) -> String {
    let body = definition.body.trim_end();
    if body.len() <= LONGEST_BODY {
        return body.to_owned();
    }
    let shown = body.get(..body.floor_char_boundary(LONGEST_BODY));
    let whole_lines = shown.and_then(|shown| shown.rsplit_once('\n'));
    let shown = whole_lines.map_or("", |(shown, _)| shown);
    let n_lines = u32::try_from(shown.lines().count()).unwrap_or(0);
    let next = definition.start_line + n_lines;
    format!("{shown}\n{CUT} {next}: continue with read_file and start_line {next}]")
}

fn to_json(definition: &DefinitionText) -> Value {
    json!({
        "name_path": definition.name_path,
        "kind": definition.kind,
        "file_path": definition.path.as_str(),
        "start_line": definition.start_line,
        "end_line": definition.end_line,
        "signature": definition.signature,
        "docs": definition.docs,
    })
}
