//! What a rename would change: a plan, checked against the texts, never applied here.

use std::collections::BTreeMap;
use std::sync::Arc;

use mk_types::{AbsPath, Range};
use serde::Deserialize;

use crate::position::{Encoding, LineStarts, WireRange};
use crate::uri::FileRef;

/// Everything that another name changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerRenamePlan {
    /// By file; each file once.
    pub files: Vec<FileEdits>,
    /// Files that move, after their text was changed under the old name.
    pub moves: Vec<FileMove>,
}

/// The changes of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdits {
    pub file: FileRef,
    /// In the order of the text; they do not overlap.
    pub edits: Vec<TextEdit>,
}

/// A range and what stands there instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    pub range: Range,
    pub text: String,
}

/// A file that gets another name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMove {
    pub from: FileRef,
    pub to: FileRef,
}

impl FileEdits {
    /// The text of the file after the change; `text` is what the server saw.
    pub fn apply(&self, text: &str) -> String {
        let lines = LineStarts::new(text);
        let mut changed = String::with_capacity(text.len());
        let mut done = 0;
        for edit in &self.edits {
            let start = lines.offset(edit.range.start);
            changed.push_str(text.get(done..start).unwrap_or_default());
            changed.push_str(&edit.text);
            done = lines.offset(edit.range.end);
        }
        changed.push_str(text.get(done..).unwrap_or_default());
        changed
    }
}

/// The protocol's `WorkspaceEdit`, in both of its forms.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkspaceEdit {
    changes: Option<BTreeMap<String, Vec<WireEdit>>>,
    document_changes: Option<Vec<WireChange>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WireChange {
    #[serde(rename_all = "camelCase")]
    Edits {
        text_document: WireDocument,
        edits: Vec<WireEdit>,
    },
    #[serde(rename_all = "camelCase")]
    Move { old_uri: String, new_uri: String },
    /// Creating and deleting is not what we said we can do.
    Other { kind: String },
}

#[derive(Deserialize)]
struct WireDocument {
    uri: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireEdit {
    range: WireRange,
    new_text: String,
}

impl WorkspaceEdit {
    /// In our words; the reason if it cannot be carried out as it is.
    pub(crate) fn plan(
        self,
        root: &AbsPath,
        encoding: Encoding,
        text: &dyn Fn(&FileRef) -> Option<Arc<str>>,
    ) -> Result<ServerRenamePlan, String> {
        let mut by_file: BTreeMap<FileRef, Vec<WireEdit>> = BTreeMap::new();
        let mut moves = Vec::new();
        match self.document_changes {
            // The newer form says everything; the older one beside it says the same.
            Some(changes) => {
                for change in changes {
                    match change {
                        WireChange::Edits {
                            text_document,
                            edits,
                        } => {
                            let file = FileRef::parse(&text_document.uri, root);
                            by_file.entry(file).or_default().extend(edits);
                        }
                        WireChange::Move { old_uri, new_uri } => moves.push(FileMove {
                            from: FileRef::parse(&old_uri, root),
                            to: FileRef::parse(&new_uri, root),
                        }),
                        WireChange::Other { kind } => {
                            return Err(format!("it wants to {kind} a file"));
                        }
                    }
                }
            }
            None => {
                for (uri, edits) in self.changes.unwrap_or_default() {
                    let file = FileRef::parse(&uri, root);
                    by_file.entry(file).or_default().extend(edits);
                }
            }
        }
        let mut files = Vec::new();
        for (file, edits) in by_file {
            let text = text(&file).ok_or_else(|| format!("`{file}` cannot be read"))?;
            files.push(in_order(file, edits, &LineStarts::new(&text), encoding)?);
        }
        Ok(ServerRenamePlan { files, moves })
    }
}

fn in_order(
    file: FileRef,
    edits: Vec<WireEdit>,
    lines: &LineStarts<'_>,
    encoding: Encoding,
) -> Result<FileEdits, String> {
    let edits = edits.into_iter().map(|edit| TextEdit {
        range: lines.range(edit.range, encoding),
        text: edit.new_text,
    });
    let mut edits: Vec<TextEdit> = edits.collect();
    // Stable: what is inserted at one place keeps its order.
    edits.sort_by_key(|edit| edit.range.start);
    // Some servers name a place twice when it is reached in two ways.
    edits.dedup();
    let overlap = edits
        .iter()
        .zip(edits.iter().skip(1))
        .find(|(left, right)| left.range.end > right.range.start);
    match overlap {
        Some((_, right)) => Err(format!(
            "changes of `{file}` overlap in line {}",
            right.range.start.line
        )),
        None => Ok(FileEdits { file, edits }),
    }
}
