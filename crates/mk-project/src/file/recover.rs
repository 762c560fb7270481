//! Finishes a change set that a killed process left half done: forward if everything for it is there, else back.
//!
//! A file that somebody changed since is left as it is, and said so.

use std::os::fd::AsFd as _;

use mk_types::ProjectPath;
use rustix::fs::{self, AtFlags};

use super::apply::{Contents, write_beside};
use super::state::{FileState, revision_of};
use crate::backup::{JournalStep, Lock, RecoverDirection};
use crate::beneath::{RootDir, cannot_write, rename_new_in, sync_folder};
use crate::error::Error;

/// What was done about a change set that was half done.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RecoveredChange {
    /// Files that somebody else has changed since; they stay as they are.
    pub(crate) conflicts: Vec<ProjectPath>,
}

/// Bytes and mode bits of a step's pre-image.
pub(crate) type PreImage<'a> = &'a dyn Fn(usize) -> Result<(Vec<u8>, u32), Error>;

/// The way that is still open.
pub(crate) fn direction(
    root: &RootDir,
    wanted: RecoverDirection,
    steps: &[JournalStep],
) -> RecoverDirection {
    let can_go_on = |step: &JournalStep| match step {
        JournalStep::Put {
            path,
            waiting,
            after,
            ..
        } => {
            revision(root, path).as_ref() == Some(after)
                || FileState::read(root, &beside(root, path, waiting))
                    .is_ok_and(|state| revision_of(&state.bytes) == *after)
        }
        JournalStep::Remove { .. } | JournalStep::Rename { .. } => true,
    };
    if wanted == RecoverDirection::Forward && steps.iter().all(can_go_on) {
        RecoverDirection::Forward
    } else {
        RecoverDirection::Back
    }
}

pub(crate) fn roll_forward(
    root: &RootDir,
    steps: &[JournalStep],
) -> Result<RecoveredChange, Error> {
    let mut finished = RecoveredChange::default();
    for step in steps {
        match step {
            JournalStep::Put {
                path,
                waiting,
                before,
                after,
            } => {
                let now = revision(root, path);
                let (folder, name) = root.open_parent(path)?;
                if now.as_ref() == Some(after) {
                    let _ = fs::unlinkat(&folder, waiting, AtFlags::empty());
                } else if now == *before {
                    fs::renameat(&folder, waiting, &folder, name)
                        .and_then(|()| sync_folder(folder.as_fd()))
                        .map_err(|errno| cannot_write(path, errno))?;
                } else {
                    let _ = fs::unlinkat(&folder, waiting, AtFlags::empty());
                    finished.conflicts.push(path.clone());
                }
            }
            JournalStep::Remove { path, before } => match revision(root, path) {
                None => {}
                Some(now) if now == *before => unlink(root, path)?,
                Some(_) => finished.conflicts.push(path.clone()),
            },
            JournalStep::Rename { from, to } => rename_if_there(root, from, to)?,
        }
    }
    Ok(finished)
}

pub(crate) fn roll_back(
    root: &RootDir,
    lock: &Lock,
    steps: &[JournalStep],
    pre_image: PreImage<'_>,
) -> Result<RecoveredChange, Error> {
    let mut finished = RecoveredChange::default();
    for (step_idx, step) in steps.iter().enumerate().rev() {
        match step {
            JournalStep::Put {
                path,
                waiting,
                before,
                after,
            } => {
                let now = revision(root, path);
                if now.as_ref() == Some(after) && now != *before {
                    match before {
                        Some(_) => put_back(root, lock, path, &pre_image(step_idx)?)?,
                        None => unlink(root, path)?,
                    }
                } else if now != *before {
                    finished.conflicts.push(path.clone());
                }
                if let Ok((folder, _)) = root.open_parent(path) {
                    let _ = fs::unlinkat(&folder, waiting, AtFlags::empty());
                }
            }
            JournalStep::Remove { path, before } => match revision(root, path) {
                None => put_back(root, lock, path, &pre_image(step_idx)?)?,
                Some(now) if now == *before => {}
                Some(_) => finished.conflicts.push(path.clone()),
            },
            JournalStep::Rename { from, to } => rename_if_there(root, to, from)?,
        }
    }
    Ok(finished)
}

fn put_back(
    root: &RootDir,
    lock: &Lock,
    path: &ProjectPath,
    (bytes, mode): &(Vec<u8>, u32),
) -> Result<(), Error> {
    let contents = Contents {
        bytes,
        mode: Some(*mode),
        owner: None,
    };
    let name = write_beside(root, lock, path, &contents)?;
    let (folder, target) = root.open_parent(path)?;
    fs::renameat(&folder, &name, &folder, target)
        .and_then(|()| sync_folder(folder.as_fd()))
        .map_err(|errno| cannot_write(path, errno))
}

fn unlink(root: &RootDir, path: &ProjectPath) -> Result<(), Error> {
    let (folder, name) = root.open_parent(path)?;
    fs::unlinkat(&folder, name, AtFlags::empty())
        .and_then(|()| sync_folder(folder.as_fd()))
        .map_err(|errno| cannot_write(path, errno))
}

/// A name that is taken or gone was changed already, by us or by somebody who has the last word.
fn rename_if_there(root: &RootDir, from: &ProjectPath, to: &ProjectPath) -> Result<(), Error> {
    let there = root.open_file(from).is_ok();
    if !there || root.open_file(to).is_ok() {
        return Ok(());
    }
    let (old_folder, old_name) = root.open_parent(from)?;
    let (new_folder, new_name) = root.open_parent(to)?;
    rename_new_in(
        (old_folder.as_fd(), old_name),
        (new_folder.as_fd(), new_name),
    )
    .map_err(|errno| cannot_write(to, errno))
}

fn revision(root: &RootDir, path: &ProjectPath) -> Option<String> {
    let state = FileState::read(root, path).ok()?;
    Some(revision_of(&state.bytes))
}

/// The file that waits next to its target.
fn beside(root: &RootDir, path: &ProjectPath, name: &str) -> ProjectPath {
    let parent = path.as_str().rsplit_once('/').map(|(parent, _)| parent);
    let text = parent.map_or(name.to_owned(), |parent| format!("{parent}/{name}"));
    ProjectPath::parse(&text, root.root()).unwrap_or_else(|_| path.clone())
}
