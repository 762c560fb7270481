//! `get_symbol_definition`: a symbol's text, by its name or by where it stands.

use mk_engine::{Error, Granted, Noted, Workspace};
use mk_policy::Group;
use mk_symbols::{Answer, Definition, Target};
use mk_types::Position;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::indexed;
use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, code_reply, parse};

/// More namesakes are listed without their text.
const MOST_BODIES: usize = 5;
const MOST_DEFINITIONS: usize = 50;
/// Longer texts are read by lines.
const LONGEST_BODY: usize = 40_000;

pub(crate) static TOOL: Tool = Tool {
    name: "get_symbol_definition",
    title: "Show a symbol",
    description: "Show the code of a symbol with its docs: by name, or what stands at file, line and column",
    group: Some(Group::Read),
    family: Family::Symbols,
    hints: Hints::ReadOnly,
    paths: &["file_path"],
    input: Schema::of::<GetSymbolDefinitionArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct GetSymbolDefinitionArgs {
    /// Name or name path
    symbol_name: Option<String>,
    /// File it is in
    file_path: Option<String>,
    /// From 1
    line: Option<u32>,
    /// From 1
    column: Option<u32>,
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let args: GetSymbolDefinitionArgs = parse(arguments)?;
        let Granted { permit, in_force } = granted;
        let file = match args.file_path {
            Some(_) => Some(context.engine.only_target(&permit)?),
            None => None,
        };
        let engine = context.engine;
        let Noted {
            answer: found,
            note,
        } = match (args.symbol_name, file, args.line) {
            (Some(name_path), file, _) => {
                let named = move |workspace: &Workspace| {
                    let target = Target::Name {
                        name_path: &name_path,
                        file: file.as_ref(),
                    };
                    workspace.definitions(target, MOST_DEFINITIONS)
                };
                Noted {
                    answer: engine.on_disk(&in_force, named).await?,
                    note: None,
                }
            }
            (None, Some(file), Some(line)) => {
                let column = args.column.unwrap_or(1);
                let position = Position { line, column };
                engine
                    .definition_at(&in_force, file, position, MOST_DEFINITIONS)
                    .await?
            }
            (None, _, _) => {
                let message = "Missing required parameter for get_symbol_definition: symbol_name, or file_path and line";
                return Err(Error::invalid("symbol_name", message));
            }
        };
        let mut facts = indexed::facts(&found.source, found.progress);
        facts["total"] = json!(found.total);
        facts["definitions"] = found.hits.iter().map(to_json).collect();
        Ok(code_reply(describe(&found, note.as_deref()), facts))
    })
}

fn describe(found: &Answer<Definition>, note: Option<&str>) -> String {
    let mut parts = Vec::new();
    for (position, definition) in found.hits.iter().enumerate() {
        let lines = definition.body_lines;
        let mut part = format!(
            "{} in {}:{}-{} ({})",
            definition.name_path,
            definition.path,
            lines.start,
            lines.end,
            definition.symbol.kind.as_str()
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
    parts.extend(indexed::remark(note));
    parts.join("\n\n")
}

/// As much of the text as fits, in whole lines.
fn body(definition: &Definition) -> String {
    let body = definition.body.trim_end();
    if body.len() <= LONGEST_BODY {
        return body.to_owned();
    }
    let shown = body.get(..body.floor_char_boundary(LONGEST_BODY));
    let whole_lines = shown.and_then(|shown| shown.rsplit_once('\n'));
    let shown = whole_lines.map_or("", |(shown, _)| shown);
    let n_lines = u32::try_from(shown.lines().count()).unwrap_or(0);
    let next = definition.body_lines.start + n_lines;
    format!("{shown}\n[cut before line {next}: continue with read_file and start_line {next}]")
}

fn to_json(definition: &Definition) -> Value {
    json!({
        "name_path": definition.name_path,
        "kind": definition.symbol.kind.as_str(),
        "file_path": definition.path.as_str(),
        "start_line": definition.body_lines.start,
        "end_line": definition.body_lines.end,
        "signature": definition.symbol.signature,
        "docs": definition.symbol.doc,
    })
}
