//! What need not be asked of each caller: until a process of the command has made a call that changes who it is, where
//! its root is or what its umask is, all of them are as the first one was.
//!
//! The doors announce such a call before it is made. From then on every caller is looked at, because what a process
//! has changed its children inherit.

use std::cell::OnceCell;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

use rustix::fs::Mode;

use super::process::{ProcessRoot, ThreadIdentity, WaitingThread};

/// What is known about all processes of a command.
#[derive(Debug)]
pub(super) struct CallerStanding {
    /// The root that a served process has.
    root: ProcessRoot,
    /// The same, held open.
    held_root: Option<OwnedFd>,
    /// The umask of the first process.
    umask: Mode,
    may_differ: bool,
    umask_may_differ: bool,
    /// Who a served process is; asked for when it may be another one.
    identity: OnceCell<Option<ThreadIdentity>>,
}

impl CallerStanding {
    pub(super) const fn new(root: ProcessRoot, held_root: Option<OwnedFd>, umask: Mode) -> Self {
        Self {
            root,
            held_root,
            umask,
            may_differ: false,
            umask_may_differ: false,
            identity: OnceCell::new(),
        }
    }

    /// A process is about to become another one, or to start one.
    pub(super) const fn changes(&mut self) {
        self.may_differ = true;
        self.umask_may_differ = true;
    }

    /// A process is about to set its umask.
    pub(super) fn changes_umask(&mut self, to: u32) {
        let permissions = Mode::from_raw_mode(to & 0o777);
        self.umask_may_differ |= permissions != self.umask;
    }

    pub(super) const fn umask_at_start(&self) -> Mode {
        self.umask
    }

    /// The directory that every caller takes for `/`, if none can have another.
    pub(super) fn shared_root(&self) -> Option<BorrowedFd<'_>> {
        let root = self.held_root.as_ref().filter(|_| !self.may_differ);
        root.map(OwnedFd::as_fd)
    }

    /// The root that a caller must have been seen to have.
    pub(super) const fn root(&self) -> ProcessRoot {
        self.root
    }

    /// Whether a caller is who the command was at its start.
    pub(super) fn is_served(&self, caller: WaitingThread) -> bool {
        !self.may_differ || self.look_at(caller).is_some()
    }

    /// The umask of a caller that is served.
    pub(super) fn umask(&self, caller: WaitingThread) -> Option<Mode> {
        if self.umask_may_differ {
            self.look_at(caller)
        } else {
            Some(self.umask)
        }
    }

    fn look_at(&self, caller: WaitingThread) -> Option<Mode> {
        let (identity, umask) = caller.identity().ok()?;
        let ours = self.identity.get_or_init(|| {
            let (identity, _) = WaitingThread::this().identity().ok()?;
            Some(identity.filtered())
        });
        (Some(&identity) == ours.as_ref()).then_some(umask)
    }
}
