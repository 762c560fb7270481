//! Directories that move: everything in them is judged under its old name and its new one.

use std::path::{Path, PathBuf};

use rustix::fs::{FileType, RenameFlags};
use rustix::io::Errno;

use super::place::{self, PinnedPlace};
use super::zone::Zone;
use super::{Clerk, ClerkAnswer, answer, fail};
use crate::report::RefusedOperation;
use crate::rights::Right;

/// Entries below a directory that is moved are judged one by one; a larger one is not moved.
const MOST_MOVED: usize = 20_000;

impl Clerk {
    /// A directory moves if everything in it may be deleted where it is and made where it goes.
    pub(super) fn rename_directory(
        &mut self,
        from: &PinnedPlace,
        to: &PinnedPlace,
        flags: RenameFlags,
    ) -> ClerkAnswer {
        let is_guest = self.is_guest(from);
        let own = from.object.as_ref().is_some_and(|it| self.is_own(it));
        let ends = [&from.path, &to.path].map(|path| self.zone(path));
        let open = |zone| {
            matches!(
                zone,
                Zone::Project(Right::Edit) | Zone::Repository | Zone::Tree
            )
        };
        if own && ends[1] == Zone::Temporary && self.may_make(to) {
            return answer(self.move_exactly(from, to, flags));
        }
        if (ends[0] == Zone::Tree) != (ends[1] == Zone::Tree) {
            // In a tree other processes can change what we look at; programs copy when told so.
            return fail(Errno::XDEV);
        }
        // A tree stays where it is: its rules stick to the directory, not to its name.
        let holds_tree = self
            .rights
            .trees
            .iter()
            .any(|tree| tree.starts_with(&from.path));
        if !(open(ends[0]) || is_guest) || !open(ends[1]) || holds_tree {
            return self.refuse(RefusedOperation::Rename, &from.path);
        }
        let Some(entries) = entries_below(&from.path) else {
            return self.refuse(RefusedOperation::Rename, &from.path);
        };
        for entry in &entries {
            let Ok(relative) = entry.path.strip_prefix(&from.path) else {
                return self.refuse(RefusedOperation::Rename, &entry.path);
            };
            let target = to.path.join(relative);
            let leaves = open(self.zone(&entry.path)) || self.guests.has(&entry.path, entry.key);
            if !leaves {
                return self.refuse(RefusedOperation::Rename, &entry.path);
            }
            let directory = target.parent().unwrap_or(Path::new("/"));
            let leads_inside = entry
                .leads_to
                .as_ref()
                .is_none_or(|it| self.may_point_to(directory, it));
            // What has a second name by this command's own doing has it where the mode may write.
            let elsewhere = entry.other_names && !self.own.contains(&entry.key);
            if !open(self.zone(&target)) || elsewhere || !leads_inside {
                return self.refuse(RefusedOperation::RenameTo, &target);
            }
        }
        if let Err(errno) = self.keep_all(&entries, from, to) {
            return fail(errno);
        }
        let result = self.move_exactly(from, to, flags);
        if result.is_ok() {
            self.guests.remove(&from.path);
            for entry in &entries {
                self.guests.remove(&entry.path);
            }
        }
        answer(result)
    }

    fn keep_all(
        &mut self,
        entries: &[MovedEntry],
        from: &PinnedPlace,
        to: &PinnedPlace,
    ) -> Result<(), Errno> {
        for entry in entries.iter().filter(|it| !it.is_directory) {
            if self.zone(&entry.path) == Zone::Project(Right::Edit) {
                self.keep(&at(&entry.path)?)?;
            }
            if let Ok(relative) = entry.path.strip_prefix(&from.path) {
                let target = to.path.join(relative);
                if self.zone(&target) == Zone::Project(Right::Edit) {
                    self.keep(&missing(target))?;
                }
            }
        }
        Ok(())
    }
}

/// Something below a directory that is to move.
#[derive(Debug)]
struct MovedEntry {
    path: PathBuf,
    key: place::ObjectKey,
    is_directory: bool,
    other_names: bool,
    /// Of a link, its target.
    leads_to: Option<PathBuf>,
}

/// Everything below a directory; `None` if it cannot all be seen.
fn entries_below(directory: &Path) -> Option<Vec<MovedEntry>> {
    let mut waiting = vec![directory.to_owned()];
    let mut found = Vec::new();
    while let Some(directory) = waiting.pop() {
        for entry in std::fs::read_dir(directory).ok()? {
            let entry = entry.ok()?;
            let seen = place::SeenObject::at(&entry.path()).ok()?;
            if seen.kind == FileType::Directory {
                waiting.push(entry.path());
            }
            found.push(MovedEntry {
                key: seen.key,
                path: entry.path(),
                is_directory: seen.kind == FileType::Directory,
                other_names: seen.kind != FileType::Directory && seen.links > 1,
                leads_to: if seen.kind == FileType::Symlink {
                    Some(std::fs::read_link(entry.path()).ok()?)
                } else {
                    None
                },
            });
            if found.len() > MOST_MOVED {
                return None;
            }
        }
    }
    Some(found)
}

/// A place by its path, for what the clerk itself walks over.
fn at(path: &Path) -> Result<PinnedPlace, Errno> {
    let object = place::entry(rustix::fs::CWD, path.as_os_str())?;
    Ok(PinnedPlace {
        object: Some(object),
        ..missing(path.to_owned())
    })
}

fn missing(path: PathBuf) -> PinnedPlace {
    PinnedPlace {
        parent: None,
        name: path.file_name().unwrap_or_default().to_owned(),
        object: None,
        path,
    }
}
