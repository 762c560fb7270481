//! Opening for writing, and emptying. Reads never come here.

use std::os::fd::{AsFd as _, OwnedFd};

use rustix::fs::{FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::place::{self, AskedPath, FollowLink, LostPlace, ObjectKey, PinnedPlace};
use super::process::WaitingThread;
use super::zone::Zone;
use super::{Clerk, ClerkAnswer, DONE, GO_ON, answer, fail, int, uint};
use crate::door::Call;
use crate::report::RefusedOperation;
use crate::rights::{Links, Right};
use crate::sys::Notification;

/// An open as it was asked for.
#[derive(Debug, Clone, Copy)]
struct FileOpening {
    dirfd: i32,
    path: u64,
    flags: OFlags,
    mode: Mode,
    resolve: ResolveFlags,
}

/// `struct open_how`.
const HOW_BYTES: usize = 24;

/// Bits that make a program run as its owner never come from inside.
fn without_identity(mode: u32) -> Mode {
    Mode::from_raw_mode(mode & 0o1777)
}

impl FileOpening {
    fn of(name: Call, call: &Notification) -> Result<Self, Errno> {
        let args = call.args;
        let plain = |dirfd, path, flags: u64, mode: u64| Self {
            dirfd,
            path,
            flags: OFlags::from_bits_retain(uint(flags)),
            mode: without_identity(uint(mode)),
            resolve: ResolveFlags::empty(),
        };
        Ok(match name {
            Call::Open => plain(libc::AT_FDCWD, args[0], args[1], args[2]),
            Call::Creat => {
                let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::TRUNC;
                plain(libc::AT_FDCWD, args[0], flags.bits().into(), args[1])
            }
            Call::Openat2 => {
                let how = WaitingThread { tid: call.tid }.memory(args[2], HOW_BYTES);
                let word = |at: usize| -> Result<u64, Errno> {
                    let bytes = how.get(at..at + 8).ok_or(Errno::FAULT)?;
                    Ok(u64::from_ne_bytes(
                        bytes.try_into().map_err(|_| Errno::FAULT)?,
                    ))
                };
                let mut opening = plain(int(args[0]), args[1], word(0)?, word(8)?);
                opening.resolve = ResolveFlags::from_bits_retain(word(16)?);
                opening
            }
            _ => plain(int(args[0]), args[1], args[2], args[3]),
        })
    }

    fn writes(self) -> bool {
        self.flags
            .intersects(OFlags::WRONLY | OFlags::RDWR | OFlags::TRUNC)
    }

    fn creates(self) -> bool {
        self.flags.contains(OFlags::CREATE)
    }

    fn is_exclusive(self) -> bool {
        self.flags.contains(OFlags::CREATE | OFlags::EXCL)
    }

    fn is_unnamed(self) -> bool {
        self.flags.contains(OFlags::TMPFILE)
    }

    fn cloexec(self) -> bool {
        self.flags.contains(OFlags::CLOEXEC)
    }
}

impl Clerk {
    pub(super) fn open(&mut self, name: Call, call: &Notification) -> ClerkAnswer {
        let Ok(opening) = FileOpening::of(name, call) else {
            return GO_ON;
        };
        if opening.flags.contains(OFlags::PATH) || !(opening.writes() || opening.creates()) {
            return GO_ON;
        }
        let Ok(path) = (WaitingThread { tid: call.tid }).path(opening.path) else {
            return GO_ON;
        };
        if let Some(stream) = self.stream(call, path.to_bytes()) {
            return ClerkAnswer::Descriptor(stream, opening.cloexec());
        }
        let follow = if opening.flags.contains(OFlags::NOFOLLOW) || opening.is_exclusive() {
            FollowLink::No
        } else {
            FollowLink::Yes
        };
        let mut asked = AskedPath::new(opening.dirfd, &path, follow);
        asked.resolve = opening.resolve;
        let place = match self.find(call, asked) {
            Ok(place) => place,
            Err(LostPlace::Winding) if self.rights.links == Links::Strict => {
                return fail(Errno::ACCESS);
            }
            Err(LostPlace::Elsewhere | LostPlace::Winding | LostPlace::Error(_)) => return GO_ON,
        };
        if opening.is_unnamed() {
            return self.open_unnamed(call, opening, &place);
        }
        if place.object.is_some() {
            self.open_existing(call, opening, &place)
        } else if opening.creates() && !path.to_bytes().ends_with(b"/") {
            self.open_new(call, opening, place)
        } else {
            GO_ON
        }
    }

    fn open_existing(
        &mut self,
        call: &Notification,
        opening: FileOpening,
        place: &PinnedPlace,
    ) -> ClerkAnswer {
        let Some(object) = &place.object else {
            return GO_ON;
        };
        if opening.is_exclusive() {
            return fail(Errno::EXIST);
        }
        // A plain read that would have created; and pipes and devices, which the floor decides.
        if !opening.writes() || object.kind != FileType::RegularFile {
            return GO_ON;
        }
        if !self.may_change(place) {
            return self.refuse(RefusedOperation::Write, &place.path);
        }
        if !self.links_are_harmless(place) {
            return self.refuse(RefusedOperation::WriteLinked, &place.path);
        }
        if !self.is_served(call) {
            return GO_ON;
        }
        if self.zone(&place.path) == Zone::Project(Right::Edit)
            && let Err(errno) = self.keep(place)
        {
            return fail(errno);
        }
        if !matches!(self.zone(&place.path), Zone::Project(_)) {
            self.report.wrote(&place.path);
        }
        let flags = opening.flags & !(OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW);
        let own_path = place::own_path(object.fd.as_fd());
        match rustix::fs::open(own_path, flags | OFlags::CLOEXEC, Mode::empty()) {
            Ok(file) => ClerkAnswer::Descriptor(file, opening.cloexec()),
            Err(errno) => fail(errno),
        }
    }

    fn open_new(
        &mut self,
        call: &Notification,
        opening: FileOpening,
        place: PinnedPlace,
    ) -> ClerkAnswer {
        if !self.may_make(&place) {
            return self.refuse(RefusedOperation::Create, &place.path);
        }
        let (Some(umask), Some((parent, name))) = (self.umask(call), place.entry()) else {
            return GO_ON;
        };
        let zone = self.zone(&place.path);
        let ready = match zone {
            Zone::Project(Right::Edit) => self.keep(&place),
            Zone::Project(_) => self.guests.announce(&place.path),
            _ => Ok(()),
        };
        if let Err(errno) = ready {
            return fail(errno);
        }
        let flags = opening.flags | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let mode = opening.mode & !umask;
        match rustix::fs::openat(parent, name, flags | OFlags::CLOEXEC, mode) {
            Ok(file) => {
                self.made(zone, &place, &file);
                ClerkAnswer::Descriptor(file, opening.cloexec())
            }
            // Another process was faster: it asks again and finds the file.
            Err(Errno::EXIST) if !opening.is_exclusive() => {
                let Ok(object) = place::entry(parent, name) else {
                    return GO_ON;
                };
                if object.kind != FileType::RegularFile {
                    return GO_ON;
                }
                let place = PinnedPlace {
                    object: Some(object),
                    ..place
                };
                self.open_existing(call, opening, &place)
            }
            Err(errno) => fail(errno),
        }
    }

    /// Remembers what the command has just made.
    fn made(&mut self, zone: Zone, place: &PinnedPlace, file: &OwnedFd) {
        match zone {
            Zone::Temporary => {
                self.own.extend(ObjectKey::of(file.as_fd()));
                self.report.wrote(&place.path);
            }
            Zone::Project(Right::Guest) => {
                if let Ok(key) = ObjectKey::of(file.as_fd()) {
                    self.guests.add(&place.path, key);
                }
            }
            Zone::Project(_) => self.report.changed(&place.path),
            Zone::Tree | Zone::Repository => self.report.wrote(&place.path),
            Zone::Outside => {}
        }
    }

    /// A file without a name, in a temporary directory.
    fn open_unnamed(
        &mut self,
        call: &Notification,
        opening: FileOpening,
        place: &PinnedPlace,
    ) -> ClerkAnswer {
        let is_temporary = self.rights.own_dirs.contains(&place.path);
        let (true, Some(umask), Some(directory)) = (is_temporary, self.umask(call), &place.object)
        else {
            return GO_ON;
        };
        let flags = (opening.flags & !OFlags::CREATE) | OFlags::CLOEXEC;
        match rustix::fs::openat(&directory.fd, ".", flags, opening.mode & !umask) {
            Ok(file) => {
                self.made(Zone::Temporary, place, &file);
                ClerkAnswer::Descriptor(file, opening.cloexec())
            }
            Err(errno) => fail(errno),
        }
    }

    /// One of the caller's own streams under a name like `/dev/stderr`: it can write there already.
    fn stream(&self, call: &Notification, path: &[u8]) -> Option<OwnedFd> {
        let number = match path {
            b"/dev/stdin" => 0,
            b"/dev/stdout" => 1,
            b"/dev/stderr" => 2,
            _ => {
                let prefixes = [&b"/dev/fd/"[..], &b"/proc/self/fd/"[..]];
                let number = prefixes.iter().find_map(|it| path.strip_prefix(*it))?;
                std::str::from_utf8(number).ok()?.parse().ok()?
            }
        };
        let process = WaitingThread { tid: call.tid }.process().ok()?;
        let pidfd =
            rustix::process::pidfd_open(process, rustix::process::PidfdFlags::empty()).ok()?;
        let flags = rustix::process::PidfdGetfdFlags::empty();
        let fd = rustix::process::pidfd_getfd(&pidfd, number, flags).ok()?;
        let writes = rustix::fs::fcntl_getfl(&fd).ok()?;
        let kind = FileType::from_raw_mode(rustix::fs::fstat(&fd).ok()?.st_mode);
        let is_given = kind == FileType::RegularFile
            && ObjectKey::of(fd.as_fd()).is_ok_and(|key| self.streams.contains(&key));
        let can_write = writes.intersects(OFlags::WRONLY | OFlags::RDWR);
        (is_given && can_write && self.is_waiting(call)).then_some(fd)
    }

    /// `truncate` by path. Old floors do not hold it, so nothing is left to them.
    pub(super) fn truncate(&mut self, call: &Notification) -> ClerkAnswer {
        let place = match self.find_at(call, libc::AT_FDCWD, call.args[0], FollowLink::Yes) {
            Ok(place) => place,
            Err(LostPlace::Elsewhere | LostPlace::Winding) => return fail(Errno::ACCESS),
            Err(LostPlace::Error(errno)) => return fail(errno),
        };
        let Some(object) = &place.object else {
            return fail(Errno::NOENT);
        };
        if !self.may_change(&place) {
            return self.refuse(RefusedOperation::Truncate, &place.path);
        }
        if !self.links_are_harmless(&place) {
            return self.refuse(RefusedOperation::WriteLinked, &place.path);
        }
        if object.kind != FileType::RegularFile || !self.is_served(call) {
            return fail(Errno::ACCESS);
        }
        if self.zone(&place.path) == Zone::Project(Right::Edit)
            && let Err(errno) = self.keep(&place)
        {
            return fail(errno);
        }
        let own_path = place::own_path(object.fd.as_fd());
        let opened = rustix::fs::open(own_path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty());
        match opened.and_then(|file| rustix::fs::ftruncate(file, call.args[1])) {
            Ok(()) => DONE,
            Err(errno) => answer(Err(errno)),
        }
    }
}
