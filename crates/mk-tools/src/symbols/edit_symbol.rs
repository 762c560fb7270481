//! `edit_symbol`: changes code by its symbols, with a backup.
//!
//! What is to be changed is found first; then the mode decides about every file; then all is written or nothing.

use mk_engine::{
    EditRun, Error, FileChanges, SymbolChange, SymbolEdited, SymbolRenamed, SyntaxProblem,
};
use mk_policy::Group;
use mk_types::ProjectPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::get_symbol_definition::is_excerpt;
use super::indexed;
use crate::files::changes;

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolReply, ToolRun, Toolset, code_reply,
};

/// So many lines of each file are named.
const MOST_LINES: usize = 20;
/// So many files with places that stay are named.
const MOST_FILES: usize = 40;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
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
    /// Confirm a rename or deletion by its number of places
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

pub(crate) static TOOL: Tool = Tool::of::<EditSymbolArgs>();

impl ToolDefinition for EditSymbolArgs {
    const SPEC: Spec = Spec {
        name: "edit_symbol",
        title: "Edit a symbol",
        description: "Replace, delete or rename a symbol, or insert code before or after it, with a backup; \
                  rename changes all uses; delete refuses while it is used",
        toolset: Toolset::Symbols,
        group: Some(Group::Edit),
        effect: ToolEffect::Changes,
        calls_per_minute: Some(20),
        // The files are found by the symbol's name; each is checked before it is changed.
        paths: &[],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let change = self.change()?;
        let doing = if self.dry_run == Some(true) {
            EditRun::DryRun
        } else {
            EditRun::Change
        };
        let symbol = (self.symbol_name.as_str(), self.file_path.as_deref());
        let symbols = call.project().symbols();
        let edited = symbols.edit(call.request, symbol, change, doing).await?;
        Ok(edited.map(|edited| answer(&edited, doing)))
    }
}

impl EditSymbolArgs {
    fn change(&self) -> Result<SymbolChange, Error> {
        let operation = self.operation.unwrap_or(Operation::Replace);
        let expected_count = self.expected_count.map(|count| count as usize);
        let content = || self.needed(self.content.as_deref(), "content");
        Ok(match operation {
            Operation::Replace => SymbolChange::Replace(whole(content()?)?),
            Operation::InsertBefore => SymbolChange::InsertBefore(content()?),
            Operation::InsertAfter => SymbolChange::InsertAfter(content()?),
            Operation::Delete => SymbolChange::Delete { expected_count },
            Operation::Rename => SymbolChange::Rename {
                new_name: self.needed(self.new_name.as_deref(), "new_name")?,
                expected_count,
            },
        })
    }

    fn needed(&self, value: Option<&str>, name: &'static str) -> Result<String, Error> {
        value.map(str::to_owned).ok_or_else(|| {
            let operation = json!(self.operation.unwrap_or(Operation::Replace));
            let operation = operation.as_str().unwrap_or_default();
            let message = format!("Missing required parameter for edit_symbol {operation}: {name}");
            Error::invalid(name, message)
        })
    }
}

/// What was left out of an answer would be left out of the file.
fn whole(content: String) -> Result<String, Error> {
    if is_excerpt(&content) {
        let message =
            "The content is an excerpt as get_symbol_definition shows it, not the whole symbol: \
                       get it with body true, or edit the member"
                .to_owned();
        return Err(Error::invalid("content", message));
    }
    Ok(content)
}

fn answer(edited: &SymbolEdited, doing: EditRun) -> ToolReply {
    let SymbolEdited { changes, .. } = edited;
    // What a rename does is the same everywhere: where, and how often, is what there is to see.
    let described = match &edited.renamed {
        Some(renamed) => by_file(renamed, changes),
        None => changes::describe(changes),
    };
    let mut reply = match doing {
        EditRun::Change => ToolReply {
            text: described,
            ..changes::reply(changes)
        },
        EditRun::DryRun => {
            let files = changes.files.iter().map(|change| change.path.as_str());
            let facts = json!({ "dry_run": true, "files": files.collect::<Vec<_>>() });
            code_reply(format!("Dry run, nothing is changed\n{described}"), facts)
        }
    };
    for note in notes(edited, doing) {
        reply.text.push_str(&note);
        reply.text.push('\n');
    }
    if let (Value::Object(reply), Value::Object(facts)) = (&mut reply.structured, facts(edited)) {
        reply.extend(facts);
    }
    reply
}

fn by_file(renamed: &SymbolRenamed, changes: &FileChanges) -> String {
    let mut text = String::new();
    for (path, lines) in &renamed.places {
        text.push_str(&file_line(path, lines));
    }
    text.push_str(&changes::ending(changes));
    text
}

/// `a.py (3): lines 1, 5, 9`
fn file_line(path: &ProjectPath, lines: &[u32]) -> String {
    let shown: Vec<String> = lines.iter().take(MOST_LINES).map(u32::to_string).collect();
    let more = if lines.len() > MOST_LINES {
        ", …"
    } else {
        ""
    };
    let noun = if lines.len() == 1 { "line" } else { "lines" };
    format!(
        "{path} ({}): {noun} {}{more}\n",
        lines.len(),
        shown.join(", ")
    )
}

/// Where the name stands and stays, because a language server does not count it to the symbol.
fn unclaimed(renamed: &SymbolRenamed) -> Option<String> {
    let n_places = n_unclaimed(renamed);
    let mut text = format!(
        "{} by name alone, not counted to this symbol by {}, not renamed:\n",
        counted(n_places, "place"),
        renamed.source
    );
    for (path, lines) in renamed.unclaimed.iter().take(MOST_FILES) {
        text.push_str(&file_line(path, lines));
    }
    let n_files = renamed.unclaimed.len();
    if n_files > MOST_FILES {
        text.push_str(&format!("[{MOST_FILES} of {n_files} files shown]\n"));
    }
    let all = renamed.n_places + n_places;
    text.push_str(&format!(
        "To rename these too, use expected_count {all}; without them, {}",
        renamed.n_places
    ));
    (n_places > 0).then_some(text)
}

fn n_unclaimed(renamed: &SymbolRenamed) -> usize {
    renamed.unclaimed.iter().map(|(_, lines)| lines.len()).sum()
}

fn notes(edited: &SymbolEdited, doing: EditRun) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(renamed) = &edited.renamed {
        notes.push(format!(
            "{} in {}: {} → {}; source: {}",
            counted(renamed.n_places, "place"),
            counted(renamed.n_files, "file"),
            renamed.name,
            renamed.new_name,
            renamed.source
        ));
        notes.extend(renamed.doubt.clone());
        notes.extend(unclaimed(renamed).filter(|_| doing == EditRun::DryRun));
        notes.extend(indexed::note(renamed.progress));
    }
    if edited.kept_leading {
        notes.push("The comments and attributes above it were kept".to_owned());
    }
    let told = |error: &SyntaxProblem| {
        let SyntaxProblem {
            path,
            line,
            column,
            message,
        } = error;
        format!("Syntax error at {path}:{line}:{column}: {message}")
    };
    notes.extend(edited.syntax_errors.iter().map(told));
    notes
}

fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}

fn facts(edited: &SymbolEdited) -> Value {
    let mut facts = match &edited.renamed {
        Some(renamed) => indexed::facts(&renamed.source, renamed.progress),
        None => json!({}),
    };
    facts["symbol"] = json!(edited.name_path);
    if let Some((start, end)) = edited.lines {
        facts["start_line"] = json!(start);
        facts["end_line"] = json!(end);
    }
    let is_rename = edited.renamed.is_some();
    if let Some(renamed) = &edited.renamed {
        facts["total_matches"] = json!(renamed.n_places);
        facts["by_name_alone"] = json!(n_unclaimed(renamed));
    }
    let shown = |error: &SyntaxProblem| {
        let mut shown =
            json!({ "line": error.line, "column": error.column, "message": error.message });
        if is_rename {
            shown["file_path"] = json!(error.path.as_str());
        }
        shown
    };
    facts["syntax_errors"] = edited.syntax_errors.iter().map(shown).collect();
    facts
}
