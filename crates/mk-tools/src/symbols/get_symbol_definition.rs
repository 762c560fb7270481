//! `get_symbol_definition`: a symbol's text, by its name or by where it stands.

use mk_engine::{DefinitionQuery, DefinitionText, Error, SymbolAnswer};
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::indexed;

use crate::tool::{Answer, Call, Definition, Effect, Spec, Tool, Toolset, code_answer};

/// More namesakes are listed without their text.
const MOST_BODIES: usize = 5;
const MOST_DEFINITIONS: usize = 50;
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
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<GetSymbolDefinitionArgs>();

impl Definition for GetSymbolDefinitionArgs {
    const SPEC: Spec = Spec {
        name: "get_symbol_definition",
        title: "Show a symbol",
        description: "Show the code of a symbol with its docs: by name, or what stands at file, line and column",
        toolset: Toolset::Symbols,
        group: Some(Group::Read),
        effect: Effect::ReadOnly,
        calls_per_minute: Some(100),
        paths: &["file_path"],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: Call<'_>) -> Result<Answer, Error> {
        let wanted = match (self.symbol_name, &self.file_path, self.line) {
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
        Ok(code_answer(describe(&found), facts))
    }
}

fn describe(found: &SymbolAnswer<DefinitionText>) -> String {
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
            part.push_str(&body(definition));
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
    format!("{shown}\n[cut before line {next}: continue with read_file and start_line {next}]")
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
