//! What answers from the index have in common: where they come from, and how complete it was.

use mk_engine::IndexProgress;
use serde_json::{Value, json};

/// What a text adds when files are still missing from the index.
pub(crate) fn note(progress: IndexProgress) -> Option<String> {
    match progress {
        IndexProgress::Ready => None,
        IndexProgress::Listing => {
            Some("[Indexing in progress: results may be incomplete]".to_owned())
        }
        IndexProgress::Parsing { done, total } => Some(format!(
            "[Indexing in progress, {done} of {total} files: results may be incomplete]"
        )),
        IndexProgress::Stopped => {
            Some("[The index is incomplete: the project cannot be read]".into())
        }
    }
}

/// The same for programs.
pub(crate) fn facts(source: &str, progress: IndexProgress) -> Value {
    let mut facts = json!({
        "source": source,
        "complete": progress == IndexProgress::Ready,
    });
    if let IndexProgress::Parsing { done, total } = progress {
        facts["files_indexed"] = json!(done);
        facts["files_to_index"] = json!(total);
    }
    facts
}

/// What a text adds about why an answer is not better.
pub(crate) fn remark(note: Option<&str>) -> Option<String> {
    note.map(|note| format!("[{note}]"))
}
