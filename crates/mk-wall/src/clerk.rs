//! The clerk: answers the single calls that the doors send it, with the mode's answer for the path they really name.
//!
//! It only opens holes in a floor that refuses. For what the floor holds, doubt is answered with «go on», so that the
//! kernel refuses; for what the floor does not hold (metadata, sockets), doubt is answered with an error.
//! Where it allows, it makes the call itself on what it has pinned.

mod directory;
mod magic;
mod meta;
mod name;
mod open;
mod place;
mod process;
mod socket;
mod standing;
mod zone;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;

pub(crate) use place::{ObjectKey, own_path};
pub(crate) use process::{ProcessRoot, WaitingThread};

use crate::cover::Covers;
use crate::door::{Arch, Call};
use crate::git;
use crate::guest::GuestFiles;
use crate::report::{RefusedOperation, WallReport};
use crate::rights::{FileBeforeChange, PreImageJournal, Right, Rights};
use crate::sys::{self, Notification, NotifyReply};
use place::{AskedPath, FollowLink, LostPlace, PinnedObject, PinnedPlace};
use socket::Sockets;
use standing::CallerStanding;

/// What the clerk does about a call.
#[derive(Debug)]
enum ClerkAnswer {
    Reply(NotifyReply),
    /// A descriptor of ours, and whether the caller's copy closes on exec.
    Descriptor(OwnedFd, bool),
    /// A thread answers when it is done.
    Later,
}

const GO_ON: ClerkAnswer = ClerkAnswer::Reply(NotifyReply::Continue);
const DONE: ClerkAnswer = ClerkAnswer::Reply(NotifyReply::Value(0));

const fn fail(errno: Errno) -> ClerkAnswer {
    ClerkAnswer::Reply(NotifyReply::Error(errno))
}

/// The result of a call that we made.
fn answer(result: Result<(), Errno>) -> ClerkAnswer {
    match result {
        Ok(()) => DONE,
        Err(errno) => fail(errno),
    }
}

/// Everything the clerk knows about the command it serves.
#[derive(Debug)]
pub(crate) struct Clerk {
    arch: Arch,
    /// `None` inside another wall, whose clerk answers.
    listener: Option<Arc<OwnedFd>>,
    pub(crate) rights: Rights,
    repository: Option<git::Layout>,
    standing: CallerStanding,
    /// What the mode has said about paths of the project; it says the same as long as the command runs.
    said: RefCell<HashMap<PathBuf, Right>>,
    pub(crate) guests: GuestFiles,
    /// What the command made in temporary directories, or gave a second name to.
    own: HashSet<ObjectKey>,
    /// Trees the command believes to have removed.
    vacated: HashSet<PathBuf>,
    kept: HashSet<PathBuf>,
    sockets: Sockets,
    /// What it was given as standard streams, and may open again by name.
    streams: HashSet<ObjectKey>,
    covers: Option<Covers>,
    pub(crate) report: WallReport,
}

/// What the clerk starts with.
#[derive(Debug)]
pub(crate) struct ClerkStart {
    pub(crate) arch: Arch,
    pub(crate) listener: Option<OwnedFd>,
    pub(crate) rights: Rights,
    pub(crate) repository: Option<git::Layout>,
    pub(crate) root: ProcessRoot,
    /// The directory that the command takes for `/`.
    pub(crate) held_root: Option<OwnedFd>,
    pub(crate) umask: Mode,
    pub(crate) guests: GuestFiles,
    pub(crate) covers: Option<Covers>,
}

impl Clerk {
    pub(crate) fn new(start: ClerkStart) -> Self {
        let ClerkStart {
            arch,
            listener,
            rights,
            repository,
            root,
            held_root,
            umask,
            guests,
            covers,
        } = start;
        if let Some(listener) = &listener {
            sys::wake_in_step(listener.as_fd());
        }
        let streams = [
            rustix::stdio::stdin(),
            rustix::stdio::stdout(),
            rustix::stdio::stderr(),
        ];
        let streams = streams
            .iter()
            .filter_map(|fd| ObjectKey::of(fd.as_fd()).ok());
        Self {
            arch,
            listener: listener.map(Arc::new),
            sockets: Sockets::new(rights.network),
            streams: streams.collect(),
            rights,
            repository,
            standing: CallerStanding::new(root, held_root, umask),
            said: RefCell::default(),
            guests,
            own: HashSet::new(),
            vacated: HashSet::new(),
            kept: HashSet::new(),
            covers,
            report: WallReport::default(),
        }
    }

    /// The umask that the command was started with, and we ourselves were.
    pub(crate) const fn umask_at_start(&self) -> Mode {
        self.standing.umask_at_start()
    }

    pub(crate) fn listener(&self) -> Option<Arc<OwnedFd>> {
        self.listener.clone()
    }

    /// Whether a call still waits, so that the thread we looked at is the one that asked.
    fn is_waiting(&self, call: &Notification) -> bool {
        let listener = self.listener.as_ref();
        listener.is_some_and(|it| sys::is_waiting(it.as_fd(), call.id))
    }

    /// Notes which hidden files were opened, for the summary.
    pub(crate) fn note_hidden(&mut self) {
        let opened = self.covers.as_mut().map(Covers::opened);
        self.report.hidden.extend(opened.unwrap_or_default());
    }

    /// Sends the guests away, and removes what git would run later.
    pub(crate) fn clean_up(&mut self) {
        self.note_hidden();
        self.report.farewells = self.guests.send_away();
        for state in self.repository.iter().flat_map(git::Layout::states) {
            if git::would_run(&state) && std::fs::remove_dir_all(&state).is_ok() {
                self.report.dropped_states.push(state);
            }
        }
    }

    /// Answers the next waiting call. A caller that has gone needs no answer.
    pub(crate) fn serve(&mut self) {
        let Some(listener) = self.listener() else {
            return;
        };
        let Ok(call) = sys::receive(listener.as_fd()) else {
            return;
        };
        let answered = match self.decide(&call) {
            ClerkAnswer::Reply(reply) => sys::reply(listener.as_fd(), call.id, reply),
            ClerkAnswer::Descriptor(fd, cloexec) => {
                match sys::hand_over(listener.as_fd(), call.id, fd.as_fd(), cloexec) {
                    // Its table may be full; it must not wait for ever.
                    Err(error) => {
                        let errno = Errno::from_io_error(&error).unwrap_or(Errno::IO);
                        sys::reply(listener.as_fd(), call.id, NotifyReply::Error(errno))
                    }
                    Ok(()) => Ok(()),
                }
            }
            ClerkAnswer::Later => Ok(()),
        };
        drop(answered);
    }

    fn decide(&mut self, call: &Notification) -> ClerkAnswer {
        let Some(name) = Call::of(call.number, self.arch) else {
            return fail(Errno::NOSYS);
        };
        match name {
            Call::Open | Call::Openat | Call::Openat2 | Call::Creat => self.open(name, call),
            Call::Truncate => self.truncate(call),
            Call::Rename | Call::Renameat | Call::Renameat2 => self.rename(name, call),
            Call::Unlink | Call::Unlinkat | Call::Rmdir => self.unlink(name, call),
            Call::Mkdir | Call::Mkdirat => self.mkdir(name, call),
            Call::Link | Call::Linkat => self.link(name, call),
            Call::Symlink | Call::Symlinkat => self.symlink(name, call),
            Call::Mknod | Call::Mknodat => self.mknod(name, call),
            Call::Connect => self.connect(call),
            Call::Bind => self.bind(call),
            Call::SchedSetparam
            | Call::SchedSetscheduler
            | Call::SchedSetaffinity
            | Call::SchedSetattr => schedule(int(call.args[0])),
            Call::Setpriority | Call::IoprioSet => schedule(int(call.args[1])),
            Call::Umask => {
                self.standing.changes_umask(uint(call.args[0]));
                GO_ON
            }
            other if other.changes_identity() => {
                self.standing.changes();
                GO_ON
            }
            _ => self.change_metadata(name, call),
        }
    }

    /// Pins what a call names, and makes sure that it was the caller whose directories we opened.
    fn find(&self, call: &Notification, asked: AskedPath<'_>) -> Result<PinnedPlace, LostPlace> {
        let caller = place::PathCaller {
            thread: WaitingThread { tid: call.tid },
            shared_root: self.standing.shared_root(),
            root: self.standing.root(),
        };
        let place = place::find(caller, asked)?;
        if self.is_waiting(call) {
            Ok(place)
        } else {
            Err(LostPlace::Error(Errno::INTR))
        }
    }

    /// The same from an address in the caller's memory.
    fn find_at(
        &self,
        call: &Notification,
        dirfd: i32,
        address: u64,
        follow: FollowLink,
    ) -> Result<PinnedPlace, LostPlace> {
        let path = WaitingThread { tid: call.tid }.path(address)?;
        self.find(call, AskedPath::new(dirfd, &path, follow))
    }

    /// Whether a caller is who it was at the start; nobody else is served.
    fn is_served(&self, call: &Notification) -> bool {
        self.standing.is_served(WaitingThread { tid: call.tid })
    }

    /// The umask of a caller that is served.
    fn umask(&self, call: &Notification) -> Option<Mode> {
        self.standing.umask(WaitingThread { tid: call.tid })
    }

    /// Refuses, and remembers it for the summary.
    fn refuse(&mut self, operation: RefusedOperation, path: &Path) -> ClerkAnswer {
        self.report.refuse(operation, path);
        fail(Errno::ACCESS)
    }

    fn is_own(&self, object: &PinnedObject) -> bool {
        self.own.contains(&object.key)
    }

    /// Keeps what is there before its first change. Only project files are kept.
    fn keep(&mut self, place: &PinnedPlace) -> Result<(), Errno> {
        if self.kept.contains(&place.path) {
            return Ok(());
        }
        if let Some(journal) = &mut self.rights.journal {
            write_before(journal, place)?;
        }
        self.kept.insert(place.path.clone());
        self.report.changed(&place.path);
        Ok(())
    }
}

/// Gives the journal what a place holds.
fn write_before(journal: &mut PreImageJournal, place: &PinnedPlace) -> Result<(), Errno> {
    let io = |error: std::io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
    match &place.object {
        None => journal.0(&place.path, FileBeforeChange::Missing).map_err(io),
        Some(object) if object.kind == FileType::RegularFile => {
            let own_path = place::own_path(object.fd.as_fd());
            let flags = OFlags::RDONLY | OFlags::CLOEXEC;
            let file = File::from(rustix::fs::open(own_path, flags, Mode::empty())?);
            journal.0(&place.path, FileBeforeChange::File(&file)).map_err(io)
        }
        Some(object) if object.kind == FileType::Symlink => {
            let target = rustix::fs::readlinkat(&object.fd, "", Vec::new())?;
            let target = Path::new(OsStr::from_bytes(target.as_bytes()));
            journal.0(&place.path, FileBeforeChange::Link(target)).map_err(io)
        }
        Some(_) => Ok(()),
    }
}
/// Lets a process be scheduled differently if it is one of the command's.
fn schedule(process: i32) -> ClerkAnswer {
    let inside = u32::try_from(process).is_ok_and(|tid| WaitingThread { tid }.is_below_this());
    if inside { GO_ON } else { fail(Errno::PERM) }
}

/// An argument that is an `int`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the kernel takes the lower half of the register, too"
)]
const fn int(arg: u64) -> i32 {
    arg as u32 as i32
}

/// An argument that is an `unsigned int`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the kernel takes the lower half of the register, too"
)]
const fn uint(arg: u64) -> u32 {
    arg as u32
}
