//! `edit_symbol`: changes code by its symbols, with a backup.
//!
//! What is to be changed is found first; then the mode decides about every file; then all is written or nothing.

use mk_engine::{
    CodeError, CodeKind, Engine, Error, InForce, Outcome, Rename, RenamedFile, Workspace,
};
use mk_policy::Group;
use mk_project::{Edit, Error as ProjectError};
use mk_symbols::{
    Definition, EditedText, Reference, SymbolEdit, SyntaxError, plan_edit, syntax_errors,
};
use mk_types::{ProjectPath, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::indexed;
use crate::tool::{Answer, Context, Family, Hints, Run, Running, Schema, Tool, code_reply, parse};
use crate::written;

/// Beyond so many uses a symbol is in use, whatever the rest is.
const MOST_LOOKED_AT: usize = 5_000;
/// So many places say where.
const MOST_USES: usize = 20;

pub(crate) static TOOL: Tool = Tool {
    name: "edit_symbol",
    title: "Edit a symbol",
    description: "Replace, delete or rename a symbol, or insert code beside it, with a backup; \
                  rename changes all uses; delete refuses while it is used",
    group: Some(Group::Edit),
    family: Family::Symbols,
    hints: Hints::Changes,
    // The files are found by the symbol's name; each is checked before it is changed.
    paths: &[],
    input: Schema::of::<EditSymbolArgs>(),
    output: None,
    run: Run::Free(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct EditSymbolArgs {
    /// Name or name path
    symbol_name: String,
    /// File it is in; needed if others have the name
    file_path: Option<String>,
    /// Default: replace
    operation: Option<Operation>,
    /// New code, for replace and insert
    content: Option<String>,
    /// For rename
    new_name: Option<String>,
    /// Only show what would change
    dry_run: Option<bool>,
    /// Refuse to rename any other number of places
    expected_count: Option<u32>,
    session_id: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Operation {
    Replace,
    InsertBefore,
    InsertAfter,
    Delete,
    Rename,
}

/// What would be done, and what there is to say about it.
struct Plan {
    edits: Vec<Edit>,
    notes: Vec<String>,
    facts: Value,
}

impl Plan {
    fn paths(&self) -> Vec<String> {
        let paths = self.edits.iter().flat_map(Edit::paths);
        paths.map(|path| path.as_str().to_owned()).collect()
    }
}

fn run<'a>(context: &'a Context<'a>, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let given = arguments.clone();
        let args: EditSymbolArgs = parse(arguments)?;
        let session = context.session_or_none(args.session_id.as_deref())?;
        let project = context.engine.project(context.caller).on(session.clone());
        let in_force = project.in_force()?;
        if !context.engine.could_allow(&in_force, TOOL.name) {
            refuse(context, session.as_ref(), Vec::new(), &given).await?;
        }
        let file = match args.file_path.as_deref() {
            None => None,
            Some(path) => match context.engine.folder(&in_force, Some(path)) {
                Ok(file) => Some(file),
                Err(error) => {
                    let paths = vec![path.to_owned()];
                    refuse(context, session.as_ref(), paths, &given).await?;
                    return Err(error);
                }
            },
        };
        let is_dry = args.dry_run == Some(true);
        let planned = plan(context.engine, &in_force, args, file).await?;
        // The mode decides about every file, also for the dry run: it should not promise what would be refused.
        let granted = match context
            .engine
            .authorize_paths(
                context.caller,
                session.as_ref(),
                planned.paths(),
                (TOOL.name, &given),
            )
            .await?
        {
            Outcome::Done(granted) => granted,
            Outcome::NeedsApproval(question) => return Ok(Answer::NeedsApproval(question)),
        };
        let Plan {
            edits,
            notes,
            facts,
        } = planned;
        let answer = if is_dry {
            preview(context, &in_force, edits).await?
        } else {
            written::apply(context, granted, edits).await?
        };
        Ok(with_notes(answer, &notes, facts))
    })
}

/// The mode's refusal, where it is certain before anything is looked for.
async fn refuse(
    context: &Context<'_>,
    session: Option<&SessionId>,
    paths: Vec<String>,
    given: &Value,
) -> Result<(), Error> {
    let call = (TOOL.name, given);
    let engine = context.engine;
    engine
        .authorize_paths(context.caller, session, paths, call)
        .await
        .map(drop)
}

async fn plan(
    engine: &Engine,
    in_force: &InForce,
    args: EditSymbolArgs,
    file: Option<ProjectPath>,
) -> Result<Plan, Error> {
    let name = args.symbol_name.clone();
    let symbol = engine
        .on_disk(in_force, move |workspace| {
            workspace.definition(&name, file.as_ref())
        })
        .await?;
    let content = || needed(args.content.as_deref(), "content", args.operation);
    let (edit, content): (fn(&str) -> SymbolEdit<'_>, &str) = match args.operation {
        None | Some(Operation::Replace) => (|text| SymbolEdit::Replace(text), content()?),
        Some(Operation::InsertBefore) => (|text| SymbolEdit::InsertBefore(text), content()?),
        Some(Operation::InsertAfter) => (|text| SymbolEdit::InsertAfter(text), content()?),
        Some(Operation::Delete) => {
            refuse_used(engine, in_force, &symbol).await?;
            (|_| SymbolEdit::Delete, "")
        }
        Some(Operation::Rename) => return plan_rename(engine, in_force, &args, &symbol).await,
    };
    let content = content.to_owned();
    engine
        .on_disk(in_force, move |workspace| {
            let read = workspace.read_file(&symbol.path)?;
            let name_path = format!("/{}", symbol.name_path);
            let edited = plan_edit(&symbol.path, &read.editable(), &name_path, edit(&content))?;
            Ok(plan_text(symbol, read.revision, edited))
        })
        .await
}

fn needed<'a>(
    value: Option<&'a str>,
    name: &'static str,
    operation: Option<Operation>,
) -> Result<&'a str, Error> {
    value.ok_or_else(|| {
        let operation = json!(operation.unwrap_or(Operation::Replace));
        let operation = operation.as_str().unwrap_or_default();
        let message = format!("Missing required parameter for edit_symbol {operation}: {name}");
        Error::invalid(name, message)
    })
}

fn plan_text(symbol: Definition, revision: String, edited: EditedText) -> Plan {
    let EditedText {
        text,
        lines,
        kept_leading,
        errors,
    } = edited;
    let mut notes = Vec::new();
    if kept_leading {
        notes.push("The comments and attributes above it were kept".to_owned());
    }
    for error in &errors {
        notes.push(told(&symbol.path, error));
    }
    let errors: Vec<Value> = errors
        .iter()
        .map(
            |error| json!({ "line": error.line, "column": error.column, "message": error.message }),
        )
        .collect();
    let facts = json!({
        "symbol": symbol.name_path,
        "start_line": lines.start,
        "end_line": lines.end,
        "syntax_errors": errors,
    });
    Plan {
        edits: vec![replace(symbol.path, revision, text)],
        notes,
        facts,
    }
}

/// Puts a text in place of the one it was made from, and of no other.
fn replace(path: ProjectPath, revision: String, text: String) -> Edit {
    Edit::Replace {
        path,
        expected: Some(revision),
        change: Box::new(move |_| Ok(text)),
    }
}

/// A symbol that somebody uses stays.
async fn refuse_used(
    engine: &Engine,
    in_force: &InForce,
    symbol: &Definition,
) -> Result<(), Error> {
    let name_path = format!("/{}", symbol.name_path);
    let file = Some(symbol.path.clone());
    let found = engine
        .references(in_force, &name_path, file, MOST_LOOKED_AT)
        .await?
        .answer;
    let is_inside = |one: &Reference| {
        let lines = symbol.body_lines;
        one.path == symbol.path && (lines.start..=lines.end).contains(&one.place.line)
    };
    let is_use = |one: &&Reference| !one.is_definition && !is_inside(one);
    let uses: Vec<&Reference> = found.hits.iter().filter(is_use).collect();
    if uses.is_empty() {
        return Ok(());
    }
    let mut message = format!("`{}` is used in {} places:", symbol.name_path, uses.len());
    for one in uses.iter().take(MOST_USES) {
        let place = &one.place;
        message.push_str(&format!("\n- {}:{}: {}", one.path, place.line, place.text));
    }
    if uses.len() > MOST_USES {
        message.push_str(&format!("\n[{MOST_USES} of {} shown]", uses.len()));
    }
    Err(invalid(
        message,
        "change these places first; if they mean something else of that name, remove the lines with replace_content",
        &symbol.name_path,
    ))
}

async fn plan_rename(
    engine: &Engine,
    in_force: &InForce,
    args: &EditSymbolArgs,
    symbol: &Definition,
) -> Result<Plan, Error> {
    let new_name = needed(args.new_name.as_deref(), "new_name", args.operation)?;
    let Rename {
        name,
        files,
        source,
        progress,
        doubt,
    } = engine.rename(in_force, symbol, new_name).await?;
    let count: usize = files.iter().map(|file| file.places.len()).sum();
    let expected = args.expected_count.map(|expected| expected as usize);
    if let Some(expected) = expected.filter(|expected| *expected != count) {
        return Err(ProjectError::UnexpectedCount { count, expected }.into());
    }
    if let (Some(doubt), None, None | Some(false)) = (&doubt, expected, args.dry_run) {
        let message = format!(
            "Only the name tells the {count} places in {} files apart, and {doubt}",
            files.len()
        );
        let hint = format!("look at them with dry_run, then repeat with expected_count {count}");
        return Err(invalid(message, &hint, &symbol.name_path));
    }
    let mut notes = vec![format!(
        "{count} places in {} files: {name} → {new_name}; source: {}",
        files.len(),
        source
    )];
    notes.extend(doubt);
    notes.extend(indexed::note(progress));
    let mut facts = indexed::facts(&source, progress);
    facts["symbol"] = json!(symbol.name_path);
    facts["total_matches"] = json!(count);
    let (files, errors) = engine
        .on_disk(in_force, move |workspace| {
            let broken = |file| broken_by(workspace, file);
            let errors = files.iter().map(broken).collect::<Result<Vec<_>, _>>()?;
            Ok((files, errors.concat()))
        })
        .await?;
    for (path, error) in &errors {
        notes.push(told(path, error));
    }
    let shown = |(path, error): &(ProjectPath, SyntaxError)| json!({ "file_path": path.as_str(), "line": error.line, "column": error.column, "message": error.message });
    facts["syntax_errors"] = errors.iter().map(shown).collect();
    let edits = files
        .into_iter()
        .map(|file| replace(file.path, file.revision, file.text));
    Ok(Plan {
        edits: edits.collect(),
        notes,
        facts,
    })
}

/// Where a file does not parse any more, if it has more such places than before.
fn broken_by(
    workspace: &Workspace,
    file: &RenamedFile,
) -> Result<Vec<(ProjectPath, SyntaxError)>, Error> {
    let after = syntax_errors(&file.path, &file.text).unwrap_or_default();
    if after.is_empty() {
        return Ok(Vec::new());
    }
    let read = workspace.read_file(&file.path)?;
    let before = syntax_errors(&file.path, &read.editable()).unwrap_or_default();
    let is_more = after.len() > before.len();
    let errors = after.into_iter().filter(|_| is_more);
    Ok(errors.map(|error| (file.path.clone(), error)).collect())
}

fn told(path: &ProjectPath, error: &SyntaxError) -> String {
    let SyntaxError {
        line,
        column,
        message,
    } = error;
    format!("Syntax error at {path}:{line}:{column}: {message}")
}

fn invalid(message: String, hint: &str, symbol: &str) -> Error {
    Error::Code(Box::new(CodeError {
        kind: CodeKind::InvalidArguments,
        message,
        hint: Some(hint.to_owned()),
        details: vec![("symbol_name", symbol.to_owned())],
    }))
}

async fn preview(
    context: &Context<'_>,
    in_force: &InForce,
    edits: Vec<Edit>,
) -> Result<Answer, Error> {
    let written = context
        .engine
        .on_disk(in_force, move |workspace| {
            Ok(workspace.root.preview(&workspace.backups, edits)?)
        })
        .await?;
    let files: Vec<&str> = written.iter().map(|change| change.path.as_str()).collect();
    let text = format!(
        "Dry run, nothing is changed\n{}",
        written::describe(&written)
    );
    Ok(code_reply(text, json!({ "dry_run": true, "files": files })))
}

fn with_notes(answer: Answer, notes: &[String], facts: Value) -> Answer {
    let Answer::Done(mut reply) = answer else {
        return answer;
    };
    for note in notes {
        reply.text.push_str(note);
        reply.text.push('\n');
    }
    if let (Value::Object(reply), Value::Object(facts)) = (&mut reply.structured, facts) {
        reply.extend(facts);
    }
    Answer::Done(reply)
}
