//! What the tools that change files answer.

use mk_engine::{FileChange, FileChanges};
use serde_json::{Value, json};

use crate::tool::{Reply, code_reply};

pub(crate) fn reply(changes: &FileChanges) -> Reply {
    let files: Vec<Value> = changes.files.iter().map(to_json).collect();
    code_reply(describe(changes), json!({ "changes": files }))
}

/// `Changed src/x.rs (+3 −1)`, the diff, and how to undo it.
pub(crate) fn describe(changes: &FileChanges) -> String {
    let mut text = changes.describe();
    if let Some(backup) = &changes.backup {
        text.push_str(&format!("Undo: modekeeper backups restore {backup}\n"));
    }
    if text.is_empty() {
        text.push_str("Nothing to change\n");
    }
    text
}

fn to_json(change: &FileChange) -> Value {
    json!({
        "file_path": change.path.as_str(),
        "change": change.what.to_lowercase(),
        "revision": change.revision,
        "lines_added": change.lines_added,
        "lines_removed": change.lines_removed,
        "backup": change.backup,
    })
}
