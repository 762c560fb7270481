//! The steps of a change set on disk: everything is written beside its target first, then names change one by one.
//!
//! A reader finds the old file or the new one, never a mixture, whenever this process is killed.

use std::collections::BTreeSet;
use std::fs::{File, Permissions};
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};

use mk_types::ProjectPath;
use rustix::fs::{self, AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::state::{ChangeStamp, FileState, FileStep, revision_of};
use crate::backup::{JournalStep, Lock};
use crate::beneath::{
    RootDir, cannot_write, is_temporary, open_file_in, rename_new_in, shown, sync_folder,
    temporary_name,
};
use crate::error::Error;

const NEW_FILE: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
/// A file that replaces another gets that one's mode bits when it is complete; until then nobody else reads it.
const PRIVATE: Mode = Mode::RUSR.union(Mode::WUSR);
/// The user's umask takes from it what the user wants taken.
const PUBLIC: Mode = PRIVATE
    .union(Mode::RGRP)
    .union(Mode::WGRP)
    .union(Mode::ROTH)
    .union(Mode::WOTH);

/// A change set under way.
#[derive(Debug)]
pub(super) struct ChangeSetUnderWay<'a> {
    root: &'a RootDir,
    lock: &'a Lock,
    steps: &'a [FileStep],
    /// The file written beside the target, for each step that has one, until it has taken the target's name.
    waiting: Vec<Option<String>>,
    n_done: usize,
}

/// What a new file is to be.
pub(super) struct Contents<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) mode: Option<u32>,
    pub(super) owner: Option<(u32, u32)>,
}

impl<'a> ChangeSetUnderWay<'a> {
    pub(super) fn new(root: &'a RootDir, lock: &'a Lock, steps: &'a [FileStep]) -> Self {
        Self {
            root,
            lock,
            steps,
            waiting: Vec::new(),
            n_done: 0,
        }
    }

    /// Writes every new file next to its target. No name has changed yet.
    pub(super) fn prepare(&mut self) -> Result<Vec<JournalStep>, Error> {
        // A full disk is noticed here, before any name has changed.
        for step in self.steps {
            let waiting = match step {
                FileStep::Put {
                    path,
                    before,
                    bytes,
                    mode,
                } => {
                    let contents = Contents {
                        bytes,
                        mode: *mode,
                        owner: before.as_ref().map(|state| state.owner),
                    };
                    Some(write_beside(self.root, self.lock, path, &contents)?)
                }
                FileStep::Remove { .. } => None,
                FileStep::Rename { to, .. } => {
                    let (parent, _) = self.root.split(to)?;
                    self.root.make_dirs(&parent)?;
                    None
                }
            };
            self.waiting.push(waiting);
        }
        let steps = self.steps.iter().zip(&self.waiting);
        Ok(steps
            .map(|(step, waiting)| JournalStep::of(step, waiting.as_deref()))
            .collect())
    }

    /// Changes the names. The journal is on disk: the process after a crash goes on from here.
    pub(super) fn run(&mut self) -> Result<(), Error> {
        for (step, waiting) in self.steps.iter().zip(&mut self.waiting) {
            commit(self.root, step, waiting.as_deref())?;
            *waiting = None;
            self.n_done += 1;
        }
        self.sync()?;
        self.lock.clear();
        Ok(())
    }

    /// Puts back what was done. Tries everything; the first failure is reported.
    pub(super) fn undo(&self, created: &BTreeSet<ProjectPath>) -> Result<(), Error> {
        let mut outcome = Ok(());
        for step in self.steps.iter().take(self.n_done).rev() {
            outcome = outcome.and(self.put_back(step));
        }
        for (step, waiting) in self.steps.iter().zip(&self.waiting) {
            if let (FileStep::Put { path, .. }, Some(name)) = (step, waiting)
                && let Ok((folder, _)) = self.root.open_parent(path)
            {
                let _ = fs::unlinkat(&folder, name, AtFlags::empty());
            }
        }
        for folder in created.iter().rev() {
            self.root.remove_if_empty(folder);
        }
        if outcome.is_ok() {
            self.lock.clear();
        }
        outcome
    }

    fn put_back(&self, step: &FileStep) -> Result<(), Error> {
        match step {
            FileStep::Put {
                path,
                before: Some(before),
                ..
            }
            | FileStep::Remove { path, before } => {
                let contents = Contents {
                    bytes: &before.bytes,
                    mode: Some(before.mode),
                    owner: Some(before.owner),
                };
                let name = write_beside(self.root, self.lock, path, &contents)?;
                let (folder, target) = self.root.open_parent(path)?;
                fs::renameat(&folder, &name, &folder, target)
                    .and_then(|()| sync_folder(folder.as_fd()))
                    .map_err(|errno| cannot_write(path, errno))
            }
            FileStep::Put {
                path, before: None, ..
            } => {
                let (folder, name) = self.root.open_parent(path)?;
                fs::unlinkat(&folder, name, AtFlags::empty())
                    .map_err(|errno| cannot_write(path, errno))
            }
            FileStep::Rename { from, to } => rename_new(self.root, to, from),
        }
    }

    /// Makes the new names survive a loss of power, each folder once.
    fn sync(&self) -> Result<(), Error> {
        let mut synced = BTreeSet::new();
        for step in self.steps {
            let paths = match step {
                FileStep::Put { path, .. } | FileStep::Remove { path, .. } => [Some(path), None],
                FileStep::Rename { from, to } => [Some(from), Some(to)],
            };
            for path in paths.into_iter().flatten() {
                let (parent, _) = self.root.split(path)?;
                if !synced.contains(&parent) {
                    let folder = self.root.open_dir(&parent)?;
                    sync_folder(folder.as_fd()).map_err(|errno| cannot_write(path, errno))?;
                    synced.insert(parent);
                }
            }
        }
        Ok(())
    }
}

/// Writes a new file into the target's folder, complete and on disk, under a name of its own.
pub(super) fn write_beside(
    root: &RootDir,
    lock: &Lock,
    path: &ProjectPath,
    contents: &Contents<'_>,
) -> Result<String, Error> {
    let (parent, _) = root.split(path)?;
    let folder = root.make_dirs(&parent)?;
    let name = temporary_name();
    lock.note(&parent, &name)?;
    let mode = if contents.mode.is_some() {
        PRIVATE
    } else {
        PUBLIC
    };
    let written = fs::openat(&folder, &name, NEW_FILE, mode)
        .map_err(io::Error::from)
        .and_then(|fd| fill(&File::from(fd), contents));
    match written {
        Ok(()) => Ok(name),
        Err(source) => {
            let _ = fs::unlinkat(&folder, &name, AtFlags::empty());
            Err(cannot_write(path, source))
        }
    }
}

/// Changes one name.
fn commit(root: &RootDir, step: &FileStep, waiting: Option<&str>) -> Result<(), Error> {
    match step {
        FileStep::Put {
            path,
            before,
            bytes: _,
            mode: _,
        } => {
            let (folder, name) = root.open_parent(path)?;
            let waiting = waiting.unwrap_or_default();
            match before {
                Some(before) => {
                    refuse_changed(folder.as_fd(), name, path, before)?;
                    fs::renameat(&folder, waiting, &folder, name)
                        .map_err(|errno| cannot_write(path, errno))
                }
                None => rename_new_in((folder.as_fd(), waiting), (folder.as_fd(), name))
                    .map_err(|errno| taken(path, errno)),
            }
        }
        FileStep::Remove { path, before } => {
            let (folder, name) = root.open_parent(path)?;
            refuse_changed(folder.as_fd(), name, path, before)?;
            fs::unlinkat(&folder, name, AtFlags::empty()).map_err(|errno| cannot_write(path, errno))
        }
        FileStep::Rename { from, to } => rename_new(root, from, to),
    }
}

/// Programs that know nothing of our lock write too: what they wrote since the plan was made is not overwritten.
fn refuse_changed(
    folder: BorrowedFd<'_>,
    name: &str,
    path: &ProjectPath,
    before: &FileState,
) -> Result<(), Error> {
    let file = open_file_in(folder, name, path)?;
    let metadata = file
        .metadata()
        .map_err(|source| cannot_write(path, source))?;
    if ChangeStamp::of(&metadata) == before.stamp {
        return Ok(());
    }
    Err(Error::Changed {
        path: shown(path),
        revision: revision_of(&FileState::read_open(file, path)?.bytes),
        diff: String::new(),
    })
}

fn rename_new(root: &RootDir, from: &ProjectPath, to: &ProjectPath) -> Result<(), Error> {
    let (old_folder, old_name) = root.open_parent(from)?;
    let (new_folder, new_name) = root.open_parent(to)?;
    // A link or a pipe that has taken the name since the plan is not what was to be moved.
    drop(open_file_in(old_folder.as_fd(), old_name, from)?);
    rename_new_in(
        (old_folder.as_fd(), old_name),
        (new_folder.as_fd(), new_name),
    )
    .map_err(|errno| taken(to, errno))
}

fn taken(path: &ProjectPath, errno: Errno) -> Error {
    match errno {
        Errno::EXIST => Error::Exists { path: shown(path) },
        errno => cannot_write(path, errno),
    }
}

fn fill(mut file: &File, contents: &Contents<'_>) -> io::Result<()> {
    file.write_all(contents.bytes)?;
    if let Some((user, group)) = contents.owner {
        let metadata = file.metadata()?;
        if (metadata.uid(), metadata.gid()) != (user, group) {
            // Only root can give a file away; for everybody else a replaced file becomes their own.
            drop(fchown(file, Some(user), Some(group)));
        }
    }
    if let Some(mode) = contents.mode {
        file.set_permissions(Permissions::from_mode(mode))?;
    }
    file.sync_all()
}

/// Removes what a process left that was killed while it wrote.
pub(crate) fn unlink_leftover(root: &RootDir, path: &ProjectPath) {
    if let Ok((folder, name)) = root.open_parent(path)
        && is_temporary(name)
        && open_file_in(folder.as_fd(), name, path).is_ok()
    {
        let _ = fs::unlinkat(&folder, name, AtFlags::empty());
    }
}
