//! Which part of the machine a path lies in, and so whose answer counts.

use std::path::Path;

use rustix::fs::FileType;

use super::Clerk;
use super::place::{self, ObjectKey, PinnedPlace};
use crate::rights::{EditRights, Right};

/// Paths whose answer is remembered; they take about a megabyte.
const MOST_REMEMBERED: usize = 4096;

/// Where a path lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Zone {
    /// Open to the floor: the kernel decides.
    Tree,
    /// The mode decides.
    Project(Right),
    /// A name that git itself writes.
    Repository,
    /// A temporary directory: the command's own files.
    Temporary,
    Outside,
}

impl Clerk {
    pub(super) fn zone(&self, path: &Path) -> Zone {
        if self.rights.trees.iter().any(|tree| path.starts_with(tree)) {
            return Zone::Tree;
        }
        if let Some(repository) = &self.repository
            && let Some(open) = repository.judge(path)
        {
            return if open {
                Zone::Repository
            } else {
                Zone::Project(Right::Shut)
            };
        }
        if let Ok(relative) = path.strip_prefix(&self.rights.root) {
            return Zone::Project(self.remembered_right(relative));
        }
        if self.rights.own_dirs.iter().any(|dir| path.starts_with(dir)) {
            return Zone::Temporary;
        }
        Zone::Outside
    }

    /// A call asks about its path several times, and a build about the same paths again.
    fn remembered_right(&self, relative: &Path) -> Right {
        let mut said = self.said.borrow_mut();
        if let Some(right) = said.get(relative) {
            return *right;
        }
        let right = self.right(relative);
        if said.len() >= MOST_REMEMBERED {
            said.clear();
        }
        said.insert(relative.to_owned(), right);
        right
    }

    fn right(&self, relative: &Path) -> Right {
        let EditRights::Matching { decides, .. } = &self.rights.edit else {
            return Right::Shut;
        };
        let in_repository = relative
            .iter()
            .any(|name| name.eq_ignore_ascii_case(".git"));
        match relative.to_str() {
            Some(text) if !text.is_empty() && !in_repository => decides(text),
            _ => Right::Shut,
        }
    }

    /// Whether the file that is there may be changed.
    pub(super) fn may_change(&self, place: &PinnedPlace) -> bool {
        let Some(object) = &place.object else {
            return false;
        };
        match self.zone(&place.path) {
            Zone::Tree | Zone::Repository | Zone::Project(Right::Edit) => true,
            Zone::Project(Right::Guest) => self.guests.has(&place.path, object.key),
            Zone::Temporary => self.is_own(object),
            Zone::Project(Right::Shut) | Zone::Outside => false,
        }
    }

    pub(super) fn is_guest(&self, place: &PinnedPlace) -> bool {
        let object = place.object.as_ref();
        object.is_some_and(|it| self.guests.has(&place.path, it.key))
    }

    /// Whether a new name may be made here, for good or as a guest.
    pub(super) fn may_make(&self, place: &PinnedPlace) -> bool {
        match self.zone(&place.path) {
            Zone::Tree | Zone::Repository | Zone::Project(Right::Edit | Right::Guest) => true,
            Zone::Temporary => self.is_open_directory(place),
            Zone::Project(Right::Shut) | Zone::Outside => false,
        }
    }

    /// A temporary directory itself, or a directory that the command made in one.
    fn is_open_directory(&self, place: &PinnedPlace) -> bool {
        let Some(directory) = place.path.parent() else {
            return false;
        };
        if self.rights.own_dirs.iter().any(|it| it == directory) {
            return true;
        }
        let Some((parent, _)) = place.entry() else {
            return false;
        };
        ObjectKey::of(parent).is_ok_and(|key| self.own.contains(&key))
    }

    /// Whether a file that several names lead to may be written under this one.
    pub(super) fn links_are_harmless(&self, place: &PinnedPlace) -> bool {
        let Some(object) = &place.object else {
            return true;
        };
        let strict = self.rights.links == crate::rights::Links::Strict;
        !object.has_other_names()
            || self.is_own(object)
            || (!strict && self.zone(&place.path) == Zone::Tree)
    }

    /// Whether a link in `directory` may lead there: only to project files that may be written anyway. A link to a
    /// temporary directory or a tree could be led on from there, and a program outside would write through both.
    pub(super) fn may_point_to(&self, directory: &Path, target: &Path) -> bool {
        let Some(leads_to) = place::lexically(directory, target) else {
            return false;
        };
        // Links on the way that a person has made lead elsewhere; what is not there yet is judged by its directory.
        let real = leads_to.canonicalize().ok().or_else(|| {
            let parent = leads_to.parent()?.canonicalize().ok()?;
            Some(parent.join(leads_to.file_name()?))
        });
        let is_open = |path: &Path| self.zone(path) == Zone::Project(Right::Edit);
        is_open(&leads_to) && real.is_none_or(|real| is_open(&real))
    }

    /// Git makes no links in its own directory, but writes through those that are there.
    pub(super) fn is_in_repository(&self, path: &Path) -> bool {
        let repository = self.repository.as_ref();
        repository.is_some_and(|it| it.judge(path).is_some())
    }

    /// Whether the object is a plain file or a link, the only kinds the clerk moves.
    pub(super) fn is_movable(place: &PinnedPlace) -> bool {
        let kind = place.object.as_ref().map(|it| it.kind);
        matches!(kind, Some(FileType::RegularFile | FileType::Symlink))
    }
}
