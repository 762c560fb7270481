//! What happens in the new process before it becomes the command: it gives up everything it must not have, in an order in
//! which each step is still possible.
//!
//! It runs in the supervisor's memory: nothing may be left changed there, and no lock held.

use std::io::{self, IoSlice};
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags};
use rustix::process::Signal;
use rustix::thread::CapabilitySet;

use crate::clerk::{ProcessRoot, WaitingThread};
use crate::door::{ClerkPresence, Doors};
use crate::error::Error;
use crate::floor::{self, LandlockFloor, Version};
use crate::hide::{self, HiddenPaths};
use crate::sys;

/// What the new process needs to hold itself.
#[derive(Debug)]
pub(crate) struct Hold {
    pub(crate) version: Version,
    pub(crate) doors: Doors,
    pub(crate) trees: Vec<PathBuf>,
    /// Trees of the repository.
    pub(crate) repository: Vec<PathBuf>,
    pub(crate) hidden: HiddenPaths,
    pub(crate) terminal: Option<OwnedFd>,
    /// Where the supervisor waits to hear.
    pub(crate) channel: OwnedFd,
}

/// What the supervisor is told before the command starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReadyReport {
    pub(crate) root: ProcessRoot,
    pub(crate) has_namespace: bool,
    pub(crate) rules: u32,
}

impl ReadyReport {
    fn to_bytes(self) -> Vec<u8> {
        let mut bytes = vec![u8::from(self.has_namespace)];
        bytes.extend(self.rules.to_ne_bytes());
        bytes.extend(self.root.to_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (has_namespace, rest) = bytes.split_first()?;
        let (rules, root) = rest.split_first_chunk()?;
        Some(Self {
            root: ProcessRoot::from_bytes(root)?,
            has_namespace: *has_namespace == 1,
            rules: u32::from_ne_bytes(*rules),
        })
    }
}

/// First byte of a message.
pub(crate) const READY: u8 = 1;
pub(crate) const FAILED: u8 = 2;

/// What a root keeps: what editing and building need, nothing that reaches past the file tree.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SETPCAP)
    .union(CapabilitySet::NET_BIND_SERVICE);

impl Hold {
    /// Runs in the child. A failure is told to the supervisor, and the command does not start.
    pub(crate) fn take(&self) -> io::Result<()> {
        match self.steps() {
            Ok((listener, ready)) => self.tell(listener.as_ref(), ready),
            Err(error) => {
                let mut message = vec![FAILED];
                message.extend(describe(&error).bytes());
                rustix::net::send(&self.channel, &message, SendFlags::NOSIGNAL).ok();
                Err(Errno::CANCELED.into())
            }
        }
    }

    fn steps(&self) -> Result<(Option<OwnedFd>, ReadyReport), Error> {
        let supervise = |errno: Errno| Error::Supervise(errno.into());
        sys::give_signals_back().map_err(Error::Supervise)?;
        self.group().map_err(Error::Supervise)?;
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(supervise)?;
        rustix::thread::set_no_new_privs(true).map_err(supervise)?;
        close_the_rest().map_err(Error::Supervise)?;
        let has_namespace =
            !self.hidden.paths.is_empty() && hide::in_namespace(&self.hidden).is_ok();
        let root = WaitingThread::this().root().map_err(supervise)?;
        let hidden: &[PathBuf] = if has_namespace {
            &[]
        } else {
            &self.hidden.paths
        };
        let floor = LandlockFloor {
            version: self.version,
            trees: &self.trees,
            repository: &self.repository,
            files: &[],
            hidden,
            shown: &self.hidden.shown,
        };
        let (created, rules) = floor.lay()?;
        drop_capabilities().map_err(supervise)?;
        floor::step_on(created).map_err(|error| Error::Floor(Box::new(error)))?;
        let listener = self.close_doors().map_err(Error::Filter)?;
        Ok((
            listener,
            ReadyReport {
                root,
                has_namespace,
                rules,
            },
        ))
    }

    /// A group of its own, so that what a client sends to its own group does not end the clerk first.
    fn group(&self) -> io::Result<()> {
        let Some(terminal) = &self.terminal else {
            rustix::process::setsid()?;
            return Ok(());
        };
        rustix::process::setpgid(None, None)?;
        let myself = rustix::process::getpid();
        sys::without_stop(|| rustix::termios::tcsetpgrp(terminal, myself))??;
        Ok(())
    }

    fn close_doors(&self) -> io::Result<Option<OwnedFd>> {
        if self.doors.clerk == ClerkPresence::Answers {
            match sys::install_filter(&self.doors.filter(), true) {
                // Only one clerk answers a process: an outer wall has one already.
                Err(error) if Errno::from_io_error(&error) == Some(Errno::BUSY) => {}
                other => return other,
            }
        }
        let doors = Doors {
            clerk: ClerkPresence::Absent,
            ..self.doors
        };
        sys::install_filter(&doors.filter(), false)
    }

    /// Hands over the listener, and what the command takes for `/`.
    fn tell(&self, listener: Option<&OwnedFd>, ready: ReadyReport) -> io::Result<()> {
        let mut message = vec![READY];
        message.extend(ready.to_bytes());
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open("/", flags, Mode::empty())?;
        let fds = listener.map(|it| [it.as_fd(), root.as_fd()]);
        if let Some(fds) = &fds {
            control.push(SendAncillaryMessage::ScmRights(fds));
        }
        let slices = [IoSlice::new(&message)];
        rustix::net::sendmsg(&self.channel, &slices, &mut control, SendFlags::NOSIGNAL)?;
        Ok(())
    }
}

/// An error and its causes in one line.
pub(crate) fn describe(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        text = format!("{text}: {source}");
        cause = source.source();
    }
    text
}

/// Descriptors that were open by chance would be holes.
fn close_the_rest() -> io::Result<()> {
    const FIRST: u32 = 3;
    sys::close_on_exec_from(FIRST)
}

fn drop_capabilities() -> Result<(), Errno> {
    let mut sets = rustix::thread::capabilities(None)?;
    if sets.permitted.is_empty() {
        return Ok(());
    }
    for bit in 0..64 {
        let Some(capability) = CapabilitySet::from_bits(1 << bit) else {
            continue;
        };
        if KEPT.contains(capability) {
            continue;
        }
        match rustix::thread::capability_is_in_bounding_set(capability) {
            Ok(true) => rustix::thread::remove_capability_from_bounding_set(capability)?,
            Ok(false) => {}
            // The kernel knows none from here on.
            Err(_) => break,
        }
    }
    sets.effective &= KEPT;
    sets.permitted &= KEPT;
    sets.inheritable &= KEPT;
    rustix::thread::set_capabilities(None, sets)
}
