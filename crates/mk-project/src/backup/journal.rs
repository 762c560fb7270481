//! The journal of the change set that is being applied: what the next holder of the lock needs to finish it.
//!
//! It lies in the change set's own directory. As soon as that directory has its final name, the change counts as
//! decided: the next process rolls it forward, or back if that is no longer possible.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use mk_types::{AbsPath, ProjectPath};
use serde_json::{Value, json};

use super::{LARGEST_META, cannot_write, read, sync, write_new};
use crate::error::Error;
use crate::file::{FileStep, revision_of};

const FORWARD: &str = "pending";
const BACK: &str = "undoing";
const VERSION: u64 = 1;

/// What is left to do about a change set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecoverDirection {
    Forward,
    Back,
}

/// One step as the journal has it; which entry of the change set holds its pre-image is its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum JournalStep {
    Put {
        path: ProjectPath,
        /// The complete new file, next to its target.
        waiting: String,
        before: Option<String>,
        after: String,
    },
    Remove {
        path: ProjectPath,
        before: String,
    },
    Rename {
        from: ProjectPath,
        to: ProjectPath,
    },
}

impl JournalStep {
    /// `waiting` names the file next to the target, for a step that has one.
    pub(crate) fn of(step: &FileStep, waiting: Option<&str>) -> Self {
        match step {
            FileStep::Put {
                path,
                before,
                bytes,
                ..
            } => Self::Put {
                path: path.clone(),
                waiting: waiting.unwrap_or_default().to_owned(),
                before: before.as_ref().map(|state| revision_of(&state.bytes)),
                after: revision_of(bytes),
            },
            FileStep::Remove { path, before } => Self::Remove {
                path: path.clone(),
                before: revision_of(&before.bytes),
            },
            FileStep::Rename { from, to } => Self::Rename {
                from: from.clone(),
                to: to.clone(),
            },
        }
    }

    fn to_json(&self) -> Value {
        match self {
            Self::Put {
                path,
                waiting,
                before,
                after,
            } => {
                json!({ "put": path.as_str(), "waiting": waiting, "before": before, "after": after })
            }
            Self::Remove { path, before } => json!({ "remove": path.as_str(), "before": before }),
            Self::Rename { from, to } => json!({ "rename": from.as_str(), "to": to.as_str() }),
        }
    }

    fn from_json(value: &Value, root: &AbsPath) -> Option<Self> {
        let path = |key: &str| ProjectPath::parse(value.get(key)?.as_str()?, root).ok();
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        if let Some(from) = path("rename") {
            let to = path("to")?;
            return Some(Self::Rename { from, to });
        }
        if let Some(path) = path("remove") {
            let before = text("before")?;
            return Some(Self::Remove { path, before });
        }
        Some(Self::Put {
            path: path("put")?,
            waiting: text("waiting")?,
            before: text("before"),
            after: text("after")?,
        })
    }
}

/// Writes the journal into a change set that nobody sees yet.
pub(super) fn write(set: &Path, steps: &[JournalStep]) -> Result<(), Error> {
    let steps: Vec<Value> = steps.iter().map(JournalStep::to_json).collect();
    let journal = json!({ "version": VERSION, "steps": steps });
    write_new(&set.join(FORWARD), journal.to_string().as_bytes())?;
    sync(set)
}

/// The journal of a change set that is not finished. One that cannot be read is an error: nobody knows what is half.
pub(super) fn load(
    set: &Path,
    root: &AbsPath,
) -> Result<Option<(RecoverDirection, Vec<JournalStep>)>, Error> {
    for (name, direction) in [
        (BACK, RecoverDirection::Back),
        (FORWARD, RecoverDirection::Forward),
    ] {
        let path = set.join(name);
        let json = match read(&path, LARGEST_META) {
            Ok(json) => json,
            // A file that happens to have such a name is none of ours.
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                continue;
            }
            Err(source) => return Err(Error::Read { path, source }),
        };
        let parse = || {
            let journal: Value = serde_json::from_slice(&json).ok()?;
            let steps = journal.get("steps")?.as_array()?;
            let known = journal.get("version")?.as_u64()? == VERSION;
            let steps: Option<Vec<JournalStep>> = steps
                .iter()
                .map(|step| JournalStep::from_json(step, root))
                .collect();
            steps.filter(|_| known)
        };
        let source = ErrorKind::InvalidData.into();
        let steps = parse().ok_or(Error::Read { path, source })?;
        return Ok(Some((direction, steps)));
    }
    Ok(None)
}

/// From now on the change is to be taken back.
pub(super) fn turn_back(set: &Path) -> Result<(), Error> {
    let from = set.join(FORWARD);
    match fs::rename(&from, set.join(BACK)) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        renamed => renamed
            .map_err(|source| cannot_write(&from, source))
            .and_then(|()| sync(set)),
    }
}

/// Nothing is left to do.
pub(super) fn finish(set: &Path) -> Result<(), Error> {
    for name in [FORWARD, BACK] {
        match fs::remove_file(set.join(name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(cannot_write(&set.join(name), error));
            }
            _ => {}
        }
    }
    sync(set)
}
