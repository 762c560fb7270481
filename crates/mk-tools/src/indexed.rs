//! What answers from the index have in common: where they come from, and how complete it was.

use mk_symbols::{IndexState, Progress, Source};
use serde_json::{Value, json};

/// What a text adds when files are still missing from the index.
pub(crate) fn note(progress: Progress) -> Option<String> {
    let Progress {
        state,
        files_done,
        files_total,
    } = progress;
    match state {
        IndexState::Ready => None,
        IndexState::Listing => Some("[The index is being made: ask again for more]".to_owned()),
        IndexState::Parsing => Some(format!(
            "[The index has {files_done} of {files_total} files so far: ask again for more]"
        )),
        IndexState::Stopped => Some("[The index is incomplete: the project cannot be read]".into()),
    }
}

/// The same for programs.
pub(crate) fn facts(source: &Source, progress: Progress) -> Value {
    let mut facts = json!({
        "source": source.to_string(),
        "complete": progress.state == IndexState::Ready,
    });
    if progress.state == IndexState::Parsing {
        facts["files_indexed"] = json!(progress.files_done);
        facts["files_to_index"] = json!(progress.files_total);
    }
    facts
}

/// What a text adds about why an answer is not better.
pub(crate) fn remark(note: Option<&str>) -> Option<String> {
    note.map(|note| format!("[{note}]"))
}
