//! Names that come, go and move: rename, unlink, mkdir, link, symlink, mknod.
//!
//! The floor holds all of them, so what the clerk does not understand goes on and is refused by the kernel.

use std::ffi::{OsStr, OsString};
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, RenameFlags};
use rustix::io::Errno;

use super::place::{self, FollowLink, PinnedPlace};
use super::process::WaitingThread;
use super::zone::Zone;
use super::{Clerk, ClerkAnswer, DONE, GO_ON, answer, fail, int, uint};
use crate::door::Call;
use crate::report::RefusedOperation;
use crate::rights::Right;
use crate::sys::Notification;

/// Names that are tried for what cannot go back to its own.
const MOST_FREE_NAMES: usize = 100;

impl Clerk {
    pub(super) fn rename(&mut self, name: Call, call: &Notification) -> ClerkAnswer {
        let args = call.args;
        let (from_dir, from, to_dir, to, flags) = match name {
            Call::Rename => (libc::AT_FDCWD, args[0], libc::AT_FDCWD, args[1], 0),
            Call::Renameat => (int(args[0]), args[1], int(args[2]), args[3], 0),
            _ => (int(args[0]), args[1], int(args[2]), args[3], uint(args[4])),
        };
        let (Ok(from), Ok(to)) = (
            self.find_at(call, from_dir, from, FollowLink::No),
            self.find_at(call, to_dir, to, FollowLink::No),
        ) else {
            return GO_ON;
        };
        let both_in_trees =
            self.zone(&from.path) == Zone::Tree && self.zone(&to.path) == Zone::Tree;
        let Some(object) = &from.object else {
            return GO_ON;
        };
        if both_in_trees || from.entry().is_none() || to.entry().is_none() {
            return GO_ON;
        }
        let is_directory = object.kind == FileType::Directory;
        if !is_directory && !Self::is_movable(&from) && !self.is_own(object) {
            return self.refuse(RefusedOperation::Rename, &from.path);
        }
        // Swapping two files and leaving a mark behind are not needed by anything that edits.
        let flags = RenameFlags::from_bits_retain(flags);
        if !(flags - RenameFlags::NOREPLACE).is_empty() {
            return self.refuse(RefusedOperation::Rename, &from.path);
        }
        if !self.is_served(call) {
            return GO_ON;
        }
        if is_directory {
            self.rename_directory(&from, &to, flags)
        } else {
            self.rename_file(&from, &to, flags)
        }
    }

    fn rename_file(
        &mut self,
        from: &PinnedPlace,
        to: &PinnedPlace,
        flags: RenameFlags,
    ) -> ClerkAnswer {
        if !self.may_change(from) {
            return self.refuse(RefusedOperation::Rename, &from.path);
        }
        let replaces = to.object.is_some();
        let allowed = if replaces {
            self.may_change(to)
        } else {
            self.may_make(to)
        };
        let is_link = from
            .object
            .as_ref()
            .is_some_and(|it| it.kind == FileType::Symlink);
        let points_inside = !is_link
            || (!self.is_in_repository(&to.path)
                && (self.zone(&to.path) == Zone::Tree || self.link_may_move(from, to)));
        if !allowed || !points_inside || !self.links_are_harmless(from) {
            return self.refuse(RefusedOperation::RenameTo, &to.path);
        }
        if let Err(errno) = self.prepare_move(from, to) {
            return fail(errno);
        }
        if let Err(errno) = self.move_exactly(from, to, flags) {
            return fail(errno);
        }
        self.moved(from, to);
        DONE
    }

    /// Keeps both ends, and announces a guest, before anything moves.
    fn prepare_move(&mut self, from: &PinnedPlace, to: &PinnedPlace) -> Result<(), Errno> {
        for place in [from, to] {
            if self.zone(&place.path) == Zone::Project(Right::Edit) {
                self.keep(place)?;
            }
        }
        if self.zone(&to.path) == Zone::Project(Right::Guest) {
            self.guests.announce(&to.path)?;
        }
        Ok(())
    }

    /// Moves what was pinned. Inside a tree another process may have put something else under the name: then it is
    /// moved back, or next to where it was. It is not the command's, so it is never deleted.
    pub(super) fn move_exactly(
        &self,
        from: &PinnedPlace,
        to: &PinnedPlace,
        flags: RenameFlags,
    ) -> Result<(), Errno> {
        let (Some((from_dir, from_name)), Some((to_dir, to_name)), Some(object)) =
            (from.entry(), to.entry(), &from.object)
        else {
            return Err(Errno::ACCESS);
        };
        rustix::fs::renameat_with(from_dir, from_name, to_dir, to_name, flags)?;
        if place::entry(to_dir, to_name).is_ok_and(|it| it.key == object.key) {
            return Ok(());
        }
        let moves_to = |directory: BorrowedFd<'_>, name: &OsStr| {
            let flags = RenameFlags::NOREPLACE;
            rustix::fs::renameat_with(to_dir, to_name, directory, name, flags).is_ok()
        };
        let free_names = || (0..MOST_FREE_NAMES).map(|number| free_name(from_name, number));
        // The source's directory may be gone: then it loses at least the name that it must not have.
        let _is_away = moves_to(from_dir, from_name)
            || free_names().any(|name| moves_to(from_dir, &name))
            || free_names().any(|name| moves_to(to_dir, &name));
        Err(Errno::ACCESS)
    }

    /// Remembers who is where now.
    fn moved(&mut self, from: &PinnedPlace, to: &PinnedPlace) {
        let Some(object) = &from.object else {
            return;
        };
        let came_from_mode = self.zone(&from.path) == Zone::Project(Right::Edit);
        let back = self.guests.remove(&from.path).and_then(|guest| guest.back);
        let back = back.or_else(|| came_from_mode.then(|| from.path.clone()));
        match self.zone(&to.path) {
            Zone::Project(Right::Edit) => {
                self.guests.remove(&to.path);
                self.report.changed(&to.path);
            }
            Zone::Project(_) => {
                self.guests.add(&to.path, object.key);
                if let Some(back) = back {
                    self.guests.move_back(&to.path, back);
                }
            }
            Zone::Temporary => {
                self.own.insert(object.key);
            }
            Zone::Tree | Zone::Repository | Zone::Outside => {}
        }
    }

    /// Whether a link still leads to an allowed place under its new name.
    fn link_may_move(&self, from: &PinnedPlace, to: &PinnedPlace) -> bool {
        let Some(object) = &from.object else {
            return false;
        };
        let Ok(target) = rustix::fs::readlinkat(&object.fd, "", Vec::new()) else {
            return false;
        };
        let target = Path::new(OsStr::from_bytes(target.as_bytes()));
        let directory = to.path.parent().unwrap_or(Path::new("/"));
        self.may_point_to(directory, target)
    }

    pub(super) fn unlink(&mut self, name: Call, call: &Notification) -> ClerkAnswer {
        let args = call.args;
        let (dirfd, path, flags) = match name {
            Call::Unlinkat => (int(args[0]), args[1], uint(args[2])),
            Call::Rmdir => (libc::AT_FDCWD, args[0], AtFlags::REMOVEDIR.bits()),
            _ => (libc::AT_FDCWD, args[0], 0),
        };
        let Ok(place) = self.find_at(call, dirfd, path, FollowLink::No) else {
            return GO_ON;
        };
        let flags = AtFlags::from_bits_retain(flags);
        if flags.contains(AtFlags::REMOVEDIR) {
            return self.remove_directory(call, &place);
        }
        if self.zone(&place.path) == Zone::Tree || place.object.is_none() {
            return GO_ON;
        }
        if !self.may_change(&place) {
            return self.refuse(RefusedOperation::Delete, &place.path);
        }
        let (true, Some((parent, name))) = (self.is_served(call), place.entry()) else {
            return GO_ON;
        };
        if self.zone(&place.path) == Zone::Project(Right::Edit)
            && let Err(errno) = self.keep(&place)
        {
            return fail(errno);
        }
        let result = rustix::fs::unlinkat(parent, name, AtFlags::empty());
        if result.is_ok() {
            self.guests.remove(&place.path);
            self.forget(&place);
        }
        answer(result)
    }

    /// An inode whose last name is gone may be given to a stranger's file.
    fn forget(&mut self, place: &PinnedPlace) {
        if let Some(object) = &place.object
            && object.links <= 1
        {
            self.own.remove(&object.key);
        }
    }

    fn remove_directory(&mut self, call: &Notification, place: &PinnedPlace) -> ClerkAnswer {
        if self.rights.trees.contains(&place.path) {
            // Its rules stick to this directory, so it stays; the command is told that it is gone.
            let is_empty = std::fs::read_dir(&place.path).is_ok_and(|mut it| it.next().is_none());
            if !is_empty {
                return fail(Errno::NOTEMPTY);
            }
            self.vacated.insert(place.path.clone());
            return DONE;
        }
        if self.zone(&place.path) == Zone::Tree || place.object.is_none() {
            return GO_ON;
        }
        if !self.may_change(place) {
            return self.refuse(RefusedOperation::Delete, &place.path);
        }
        let (true, Some((parent, name))) = (self.is_served(call), place.entry()) else {
            return GO_ON;
        };
        let result = rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR);
        if result.is_ok() {
            self.guests.remove(&place.path);
            self.forget(place);
        }
        answer(result)
    }

    pub(super) fn mkdir(&mut self, name: Call, call: &Notification) -> ClerkAnswer {
        let args = call.args;
        let (dirfd, path, mode) = match name {
            Call::Mkdir => (libc::AT_FDCWD, args[0], args[1]),
            _ => (int(args[0]), args[1], args[2]),
        };
        let Ok(place) = self.find_at(call, dirfd, path, FollowLink::No) else {
            return GO_ON;
        };
        if self.vacated.remove(&place.path) {
            return DONE;
        }
        if place.object.is_some() {
            return fail(Errno::EXIST);
        }
        let zone = self.zone(&place.path);
        if zone == Zone::Tree {
            return GO_ON;
        }
        if !self.may_make(&place) {
            return self.refuse(RefusedOperation::MakeDirectory, &place.path);
        }
        let (Some(umask), Some((parent, name))) = (self.umask(call), place.entry()) else {
            return GO_ON;
        };
        if zone == Zone::Project(Right::Guest)
            && let Err(errno) = self.guests.announce(&place.path)
        {
            return fail(errno);
        }
        let mode = Mode::from_raw_mode(uint(mode) & 0o1777) & !umask;
        let result = rustix::fs::mkdirat(parent, name, mode);
        if result.is_ok() {
            self.entered(zone, &place.path, parent, name);
        }
        answer(result)
    }

    /// Remembers a name that is no regular file.
    fn entered(&mut self, zone: Zone, path: &Path, parent: BorrowedFd<'_>, name: &OsStr) {
        let Ok(object) = place::entry(parent, name) else {
            return;
        };
        match zone {
            Zone::Temporary => {
                self.own.insert(object.key);
            }
            Zone::Project(Right::Guest) if object.kind == FileType::Directory => {
                self.guests.add_directory(path, object.key);
            }
            Zone::Project(Right::Guest) => self.guests.add(path, object.key),
            _ => {}
        }
    }

    pub(super) fn link(&mut self, name: Call, call: &Notification) -> ClerkAnswer {
        let args = call.args;
        let (from_dir, from, to_dir, to, flags) = match name {
            Call::Link => (libc::AT_FDCWD, args[0], libc::AT_FDCWD, args[1], 0),
            _ => (int(args[0]), args[1], int(args[2]), args[3], uint(args[4])),
        };
        let (Ok(from), Ok(to)) = (
            self.find_at(call, from_dir, from, FollowLink::No),
            self.find_at(call, to_dir, to, FollowLink::No),
        ) else {
            return GO_ON;
        };
        let Some(object) = &from.object else {
            return GO_ON;
        };
        let zones = [self.zone(&from.path), self.zone(&to.path)];
        if zones == [Zone::Tree, Zone::Tree] || flags != 0 {
            return GO_ON;
        }
        if to.object.is_some() {
            return fail(Errno::EXIST);
        }
        // Both names must be the mode's own; a guest's second name would outlive it.
        let lasting = |zone| {
            matches!(
                zone,
                Zone::Project(Right::Edit) | Zone::Temporary | Zone::Repository
            )
        };
        let allowed = object.kind == FileType::RegularFile
            && lasting(zones[0])
            && zones[0] == zones[1]
            && self.may_change(&from)
            && self.may_make(&to)
            && self.links_are_harmless(&from);
        if !allowed {
            return self.refuse(RefusedOperation::Link, &to.path);
        }
        let (true, Some((from_parent, from_name)), Some((to_parent, to_name))) =
            (self.is_served(call), from.entry(), to.entry())
        else {
            return GO_ON;
        };
        if zones[1] == Zone::Project(Right::Edit)
            && let Err(errno) = self.keep(&to)
        {
            return fail(errno);
        }
        let key = object.key;
        let result =
            rustix::fs::linkat(from_parent, from_name, to_parent, to_name, AtFlags::empty());
        if result.is_ok() {
            self.own.insert(key);
        }
        answer(result)
    }

    pub(super) fn symlink(&mut self, name: Call, call: &Notification) -> ClerkAnswer {
        let args = call.args;
        let (target, dirfd, path) = match name {
            Call::Symlink => (args[0], libc::AT_FDCWD, args[1]),
            _ => (args[0], int(args[1]), args[2]),
        };
        let Ok(target) = (WaitingThread { tid: call.tid }).path(target) else {
            return GO_ON;
        };
        let Ok(place) = self.find_at(call, dirfd, path, FollowLink::No) else {
            return GO_ON;
        };
        let zone = self.zone(&place.path);
        let in_repository = self.is_in_repository(&place.path);
        if zone == Zone::Tree && !in_repository {
            return GO_ON;
        }
        if place.object.is_some() {
            return fail(Errno::EXIST);
        }
        let leads_to = Path::new(OsStr::from_bytes(target.to_bytes()));
        let directory = place.path.parent().unwrap_or(Path::new("/"));
        let harmless = zone == Zone::Temporary || self.may_point_to(directory, leads_to);
        if in_repository || !self.may_make(&place) || !harmless {
            return self.refuse(RefusedOperation::Link, &place.path);
        }
        let (true, Some((parent, name))) = (self.is_served(call), place.entry()) else {
            return GO_ON;
        };
        let ready = match zone {
            Zone::Project(Right::Edit) => self.keep(&place),
            Zone::Project(_) => self.guests.announce(&place.path),
            _ => Ok(()),
        };
        let result = ready.and_then(|()| rustix::fs::symlinkat(target.as_c_str(), parent, name));
        if result.is_ok() {
            self.entered(zone, &place.path, parent, name);
        }
        answer(result)
    }

    /// Pipes in temporary directories; the floor decides everything else.
    pub(super) fn mknod(&mut self, name: Call, call: &Notification) -> ClerkAnswer {
        let args = call.args;
        let (dirfd, path, mode) = match name {
            Call::Mknod => (libc::AT_FDCWD, args[0], args[1]),
            _ => (int(args[0]), args[1], args[2]),
        };
        let Ok(place) = self.find_at(call, dirfd, path, FollowLink::No) else {
            return GO_ON;
        };
        let zone = self.zone(&place.path);
        if zone == Zone::Tree {
            return GO_ON;
        }
        let mode = uint(mode);
        let is_pipe = FileType::from_raw_mode(mode) == FileType::Fifo;
        if zone != Zone::Temporary || !is_pipe || place.object.is_some() || !self.may_make(&place) {
            return self.refuse(RefusedOperation::Create, &place.path);
        }
        let (Some(umask), Some((parent, name))) = (self.umask(call), place.entry()) else {
            return GO_ON;
        };
        let mode = Mode::from_raw_mode(mode & 0o777) & !umask;
        let result = rustix::fs::mknodat(parent, name, FileType::Fifo, mode, 0);
        if result.is_ok() {
            self.entered(zone, &place.path, parent, name);
        }
        answer(result)
    }
}

/// A name for what was moved by mistake and cannot go back to its own.
fn free_name(name: &OsStr, number: usize) -> OsString {
    let mut free = name.to_owned();
    free.push(format!(".moved-{number}"));
    free
}
