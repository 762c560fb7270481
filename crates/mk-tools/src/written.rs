//! What the tools that change files have in common: one edit, one answer.

use mk_engine::{Error, Granted};
use mk_project::{Edit, Written, WrittenKind};
use mk_types::ProjectPath;
use serde_json::{Value, json};

use crate::tool::{Answer, Context, code_reply};

/// Applies edits, all or none, and says what changed.
pub(crate) async fn apply(
    context: &Context<'_>,
    granted: Granted,
    edits: Vec<Edit>,
) -> Result<Answer, Error> {
    let Granted { permit, in_force } = granted;
    let session = in_force.session.clone();
    let written = context
        .engine
        .on_disk(&in_force, move |workspace| {
            let written = workspace.root.edit(permit, &workspace.backups, edits)?;
            workspace.changed(written.iter().flat_map(paths));
            Ok(written)
        })
        .await?;
    for change in &written {
        if let Some(revision) = &change.revision {
            context.engine.saw(session.as_ref(), &change.path, revision);
        }
    }
    Ok(code_reply(
        describe(&written),
        json!({ "changes": written.iter().map(to_json).collect::<Vec<_>>() }),
    ))
}

fn paths(change: &Written) -> impl Iterator<Item = ProjectPath> + use<> {
    let moved_to = match &change.kind {
        WrittenKind::Moved { to } => Some(to.clone()),
        _ => None,
    };
    [Some(change.path.clone()), moved_to].into_iter().flatten()
}

/// `Changed src/x.rs (+3 −1)` and the diff.
pub(crate) fn describe(written: &[Written]) -> String {
    let mut text = String::new();
    for change in written {
        text.push_str(&format!(
            "{} {} (+{} −{})\n",
            change.kind, change.path, change.added, change.removed
        ));
        if !change.diff.is_empty() {
            text.push_str(&format!("{}\n", change.diff.trim_end()));
        }
    }
    if let Some(backup) = written.iter().find_map(|change| change.backup.as_ref()) {
        text.push_str(&format!("Undo: modekeeper backups restore {backup}\n"));
    }
    if text.is_empty() {
        "Nothing to change\n".to_owned()
    } else {
        text
    }
}

fn to_json(change: &Written) -> Value {
    json!({
        "file_path": change.path.as_str(),
        "change": change.kind.to_string().to_lowercase(),
        "revision": change.revision,
        "lines_added": change.added,
        "lines_removed": change.removed,
        "backup": change.backup,
    })
}
