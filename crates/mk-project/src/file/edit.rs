//! Changing files: planned as a whole, backed up, then done, all or nothing.
//!
//! Whether a change is allowed was decided before: the permit says on which files. It is only checked here that the
//! edits keep to them.

use std::collections::BTreeSet;
use std::fmt;

use mk_policy::Permit;
use mk_types::ProjectPath;

use super::apply::ChangeSetUnderWay;
use super::plan::{SeenState, plan_delete, plan_move, plan_replace, plan_write};
use super::state::FileStep;
use super::under_way::UnderWay;
use crate::backup::{Backups, ChangeSet, Lock};
use crate::beneath::{RootDir, shown};
use crate::error::Error;

/// Makes a new text from the one on disk. Lines end in `\n`, also where the file has CRLF, unless it mixes both.
pub type TextRewrite = Box<dyn FnOnce(&str) -> Result<String, Error> + Send>;

/// A change that somebody wants.
pub enum FileEdit {
    /// Creates a file, or replaces all of it.
    Write {
        path: ProjectPath,
        contents: String,
        /// The revision the caller has seen. A file that has another one now is left alone; one that is gone is
        /// created, because nothing unseen is lost by that.
        expected: Option<String>,
    },
    /// Changes the text that is there when nobody else can change it.
    Replace {
        path: ProjectPath,
        expected: Option<String>,
        change: TextRewrite,
    },
    Delete {
        path: ProjectPath,
    },
    /// Gives a file another name; never overwrites.
    Move {
        from: ProjectPath,
        to: ProjectPath,
    },
}

impl FileEdit {
    /// A change of the text on disk, whatever it is by then.
    pub fn replace(
        path: ProjectPath,
        change: impl FnOnce(&str) -> Result<String, Error> + Send + 'static,
    ) -> Self {
        Self::Replace {
            path,
            expected: None,
            change: Box::new(change),
        }
    }

    /// Every path it touches.
    pub fn paths(&self) -> Vec<&ProjectPath> {
        match self {
            Self::Write { path, .. } | Self::Replace { path, .. } | Self::Delete { path } => {
                vec![path]
            }
            Self::Move { from, to } => vec![from, to],
        }
    }
}

impl fmt::Debug for FileEdit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write { path, .. } => write!(f, "Write({path})"),
            Self::Replace { path, .. } => write!(f, "Replace({path})"),
            Self::Delete { path } => write!(f, "Delete({path})"),
            Self::Move { from, to } => write!(f, "Move({from}, {to})"),
        }
    }
}

/// What happened to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFile {
    pub path: ProjectPath,
    pub kind: WriteKind,
    /// Of the file as it is now; none when it is gone or was moved unread.
    pub revision: Option<String>,
    /// Lines.
    pub added: usize,
    pub removed: usize,
    /// Unified, without file names, cut to 4 KB with a note; empty where there is no text to compare.
    pub diff: String,
    /// The encoding it had, if the new text could not be written in that; it is UTF-8 now.
    pub recoded_from: Option<&'static str>,
    /// The change set that undoes it, together with all that was changed in the same call.
    pub backup: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteKind {
    Created,
    Changed,
    /// It was as wanted already.
    Unchanged,
    Deleted,
    Moved {
        to: ProjectPath,
    },
}

impl WriteKind {
    /// The word for it before it has happened.
    pub fn planned(&self) -> &'static str {
        match self {
            Self::Created => "Create",
            Self::Changed => "Change",
            Self::Unchanged => "Leave unchanged:",
            Self::Deleted => "Delete",
            Self::Moved { .. } => "Move",
        }
    }
}

impl fmt::Display for WriteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Created => "Created",
            Self::Changed => "Changed",
            Self::Unchanged => "Unchanged",
            Self::Deleted => "Deleted",
            Self::Moved { .. } => "Moved",
        })
    }
}

/// An edit thought through: what to do, if anything, and what to say then.
#[derive(Debug)]
pub(crate) struct PlannedEdit {
    pub(crate) step: Option<FileStep>,
    pub(crate) written: WrittenFile,
}

/// A change set thought through.
#[derive(Debug, Default)]
pub(crate) struct EditPlan {
    pub(crate) planned: Vec<PlannedEdit>,
    /// Folders to remove afterwards if nothing is in them any more.
    pub(crate) emptied: BTreeSet<ProjectPath>,
}

impl RootDir {
    /// Applies edits, all or none, after their backup is safe on disk. Edits of several processes wait for each other.
    pub fn edit(
        &self,
        permit: Permit,
        backups: &Backups,
        edits: Vec<FileEdit>,
    ) -> Result<Vec<WrittenFile>, Error> {
        let paths: Vec<ProjectPath> = edits.iter().flat_map(FileEdit::paths).cloned().collect();
        self.change(permit, backups, &paths, || {
            let planned = self.plan(backups, edits)?;
            Ok(EditPlan {
                planned,
                emptied: BTreeSet::new(),
            })
        })
    }

    /// What [`RootDir::edit`] would do, without doing it.
    pub fn preview(
        &self,
        backups: &Backups,
        edits: Vec<FileEdit>,
    ) -> Result<Vec<WrittenFile>, Error> {
        let planned = self.plan(backups, edits)?;
        Ok(planned.into_iter().map(|planned| planned.written).collect())
    }

    /// The same with diffs for a person who decides about it.
    pub fn preview_to_decide(
        &self,
        backups: &Backups,
        edits: Vec<FileEdit>,
    ) -> Result<Vec<WrittenFile>, Error> {
        let planned = self.plan(backups, edits)?;
        let shown = planned.into_iter().map(|planned| {
            let mut written = planned.written;
            if let Some(diff) = planned.step.as_ref().and_then(FileStep::diff_to_decide) {
                written.diff = diff.text;
            }
            written
        });
        Ok(shown.collect())
    }

    /// The way of every change: permit, lock, plan, backup, steps, and back again if one fails.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a permit is used up by using it"
    )]
    pub(crate) fn change(
        &self,
        permit: Permit,
        backups: &Backups,
        paths: &[ProjectPath],
        plan: impl FnOnce() -> Result<EditPlan, Error>,
    ) -> Result<Vec<WrittenFile>, Error> {
        if paths.iter().any(|path| !permit.targets().contains(path)) {
            return Err(Error::NoTarget {
                tool: permit.tool().to_owned(),
            });
        }
        refuse_repeated(paths)?;
        let lock = backups.lock()?;
        backups.finish_half_done(self, &lock)?;
        lock.sweep(self);
        let EditPlan { planned, emptied } = plan()?;
        let (steps, mut written): (Vec<Option<FileStep>>, Vec<WrittenFile>) = planned
            .into_iter()
            .map(|planned| (planned.step, planned.written))
            .unzip();
        let changed: Vec<bool> = steps.iter().map(Option::is_some).collect();
        let steps: Vec<FileStep> = steps.into_iter().flatten().collect();
        if steps.is_empty() {
            return Ok(written);
        }
        let backup = self.apply(&permit, backups, &lock, &steps)?;
        for folder in emptied.iter().rev() {
            self.remove_if_empty(folder);
        }
        for (written, _) in written
            .iter_mut()
            .zip(changed)
            .filter(|(_, changed)| *changed)
        {
            written.backup = Some(backup.clone());
        }
        backups.prune_held(&lock);
        Ok(written)
    }

    fn apply(
        &self,
        permit: &Permit,
        backups: &Backups,
        lock: &Lock,
        steps: &[FileStep],
    ) -> Result<String, Error> {
        let mut folders = BTreeSet::new();
        for step in steps {
            if let FileStep::Put { path, .. } | FileStep::Rename { to: path, .. } = step {
                folders.extend(self.missing_folders(path)?);
            }
        }
        let set = ChangeSet {
            tool: permit.tool(),
            steps,
            folders: &folders,
        };
        let _under_way = UnderWay::begin();
        let prepared = backups.prepare(lock, &set)?;
        let mut applying = ChangeSetUnderWay::new(self, lock, steps);
        let decided = applying
            .prepare()
            .and_then(|noted| backups.decide(&prepared, &noted));
        if let Err(error) = decided {
            // No name has changed: what was written next to its target goes.
            if let Err(undo_error) = applying.undo(&folders) {
                tracing::error!(%undo_error, "what a failed change left could not be removed");
            }
            backups.drop_prepared(prepared);
            return Err(error);
        }
        let backup = prepared.id;
        if let Err(error) = applying.run() {
            backups.turn_back(&backup)?;
            match applying.undo(&folders) {
                Ok(()) => backups.discard(lock, &backup),
                Err(undo_error) => {
                    tracing::error!(%undo_error, %backup, "a change set failed half way; the next change puts it back");
                }
            }
            return Err(error);
        }
        backups.finish(&backup)?;
        Ok(backup)
    }

    fn plan(&self, backups: &Backups, edits: Vec<FileEdit>) -> Result<Vec<PlannedEdit>, Error> {
        let seen =
            |expected: Option<String>| expected.map(|revision| SeenState { backups, revision });
        let plan_one = |edit| match edit {
            FileEdit::Write {
                path,
                contents,
                expected,
            } => plan_write(self, path, contents, seen(expected).as_ref()),
            FileEdit::Replace {
                path,
                expected,
                change,
            } => plan_replace(self, path, change, seen(expected).as_ref()),
            FileEdit::Delete { path } => plan_delete(self, path),
            FileEdit::Move { from, to } => plan_move(self, from, to),
        };
        edits.into_iter().map(plan_one).collect()
    }
}

/// Two edits of one file in one call would be planned on the same state, and the second would undo the first.
fn refuse_repeated(paths: &[ProjectPath]) -> Result<(), Error> {
    let mut seen = BTreeSet::new();
    match paths.iter().find(|path| !seen.insert(*path)) {
        None => Ok(()),
        Some(path) => Err(Error::NamedTwice { path: shown(path) }),
    }
}
