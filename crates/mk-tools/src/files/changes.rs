//! What the tools that change files answer.

use mk_engine::{FileChange, FileChanges};
use serde_json::{Value, json};

use crate::symbols::get_diagnostics;
use crate::tool::{ToolReply, code_reply};

/// More new problems are not told one by one.
const MOST_PROBLEMS: usize = 20;

pub(crate) fn reply(changes: &FileChanges) -> ToolReply {
    let files: Vec<Value> = changes.files.iter().map(to_json).collect();
    code_reply(describe(changes), json!({ "changes": files }))
}

/// `Changed src/x.rs (+3 −1)`, the diff, and how to undo it.
pub(crate) fn describe(changes: &FileChanges) -> String {
    let mut text = changes.describe();
    text.push_str(&ending(changes));
    if text.is_empty() {
        text.push_str("Nothing to change\n");
    }
    text
}

/// What there is to say behind the changes: new problems, and how to undo it.
pub(crate) fn ending(changes: &FileChanges) -> String {
    let mut text = String::new();
    if let count @ 1.. = changes.problems.len() {
        let noun = if count == 1 { "problem" } else { "problems" };
        text.push_str(&format!("{count} new {noun}:\n"));
    }
    for (path, problem) in changes.problems.iter().take(MOST_PROBLEMS) {
        text.push_str(&get_diagnostics::describe(path.as_str(), problem));
        text.push('\n');
    }
    if let Some(backup) = &changes.backup {
        text.push_str(&format!("Undo: modekeeper backups restore {backup}\n"));
    }
    text
}

pub(crate) fn to_json(change: &FileChange) -> Value {
    json!({
        "file_path": change.path.as_str(),
        "change": change.what.to_lowercase(),
        "revision": change.revision,
        "lines_added": change.lines_added,
        "lines_removed": change.lines_removed,
        "backup": change.backup,
    })
}
