//! The supervising process: starts the command, answers its calls, ends it in time, cleans up after it.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::Command;

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SocketFlags, SocketType,
};
use rustix::process::Pid;

use crate::clerk::{Clerk, ClerkStart};
use crate::cover::Covers;
use crate::door::{self, Arch, Doors};
use crate::error::Error;
use crate::floor::Version;
use crate::guest::GuestFiles;
use crate::hide::HiddenPaths;
use crate::hold::{Hold, READY, ReadyReport};
use crate::rights::{Git, Rights};
use crate::run::{WallHold, WallOutcome, say, tell};
use crate::watch::CommandWatch;
use crate::{environment, exit_code, git, sys};

/// Everything the supervisor is given.
#[derive(Debug)]
pub(crate) struct WallSupervisor<'a> {
    pub(crate) version: Version,
    pub(crate) arch: Arch,
    pub(crate) rights: Rights,
    pub(crate) terminal: Option<OwnedFd>,
    /// Reads the signals that would end or inform us.
    pub(crate) signals: OwnedFd,
    /// Where the exit code goes.
    pub(crate) told: &'a OwnedFd,
}

/// What has come of starting the command.
enum StartedCommand {
    Running(RunningCommand),
    /// The wall stood, and the program could not be executed.
    NoProgram(std::io::Error),
}

/// What the floor and the mounts of the new process are made of.
struct HeldPlaces {
    trees: Vec<PathBuf>,
    repository: Vec<PathBuf>,
    covers: Option<BTreeMap<PathBuf, PathBuf>>,
}

struct RunningCommand {
    child: Pid,
    handed: HandedDescriptors,
    ready: ReadyReport,
}

/// What the new process has handed over. There is nothing where another clerk answers.
#[derive(Default)]
struct HandedDescriptors {
    listener: Option<OwnedFd>,
    /// Its root.
    root: Option<OwnedFd>,
}

impl WallSupervisor<'_> {
    pub(crate) fn run(
        mut self,
        mut command: Command,
        finish: impl FnOnce(&Rights, &WallOutcome),
    ) -> Result<(), Error> {
        let repository = match self.rights.git {
            Git::Local => git::Layout::of(&self.rights.root),
            Git::Shut => None,
        };
        let own_trees = self.rights.trees.clone();
        let of_git: Vec<PathBuf> = repository.iter().flat_map(git::Layout::trees).collect();
        self.rights.trees.extend(of_git.iter().cloned());
        let made = make_trees(&self.rights.trees);
        let guests = match &self.rights.records {
            Some(directory) => GuestFiles::recorded_in(directory).map_err(Error::Supervise)?,
            None => GuestFiles::default(),
        };
        // A kernel without watches left hides all the same.
        let record = guests.record();
        let covers = record.and_then(|it| Covers::make(it, &self.rights.hidden).ok().flatten());
        environment::prepare(&mut command, &self.rights);
        let places = HeldPlaces {
            trees: own_trees,
            repository: of_git,
            covers: covers.as_ref().map(|it| it.by_file().clone()),
        };
        let running = match self.start(&mut command, places)? {
            StartedCommand::Running(running) => running,
            StartedCommand::NoProgram(error) => {
                let program = command.get_program().to_string_lossy().into_owned();
                say(&format!("modekeeper: {program}: {error}\n"));
                remove_empty(&made);
                tell(self.told, no_program(&error));
                return Ok(());
            }
        };
        let held = WallHold {
            abi: self.version.number(),
            rules: running.ready.rules,
            clerk: running.handed.listener.is_some(),
            namespace: running.ready.has_namespace,
        };
        let clerk = Clerk::new(ClerkStart {
            arch: self.arch,
            listener: running.handed.listener,
            rights: self.rights,
            repository,
            root: running.ready.root,
            held_root: running.handed.root,
            // Callers bring their own. Ours is put back when the last of them has gone.
            umask: rustix::process::umask(rustix::fs::Mode::empty()),
            guests,
            covers,
        });
        let watch = CommandWatch::new(clerk, running.child, self.signals, self.told, self.terminal);
        let ended = watch.until_all_gone();
        remove_empty(&made);
        let Clerk { rights, report, .. } = ended.clerk;
        let outcome = WallOutcome {
            code: ended.code,
            report,
            held,
        };
        finish(&rights, &outcome);
        if !ended.has_told {
            tell(self.told, outcome.code);
        }
        // The process ends now, and a mode's tables with it: taking them apart would only cost time.
        std::mem::forget(rights);
        Ok(())
    }

    fn start(
        &mut self,
        command: &mut Command,
        places: HeldPlaces,
    ) -> Result<StartedCommand, Error> {
        let supervise = |errno: Errno| Error::Supervise(errno.into());
        let (ours, theirs) = rustix::net::socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )
        .map_err(supervise)?;
        let terminal = match &self.terminal {
            Some(fd) => Some(rustix::io::fcntl_dupfd_cloexec(fd, 3).map_err(supervise)?),
            None => None,
        };
        let mut shown = self.rights.shown.clone();
        shown.sort();
        let hold = Hold {
            version: self.version,
            doors: Doors {
                arch: self.arch,
                network: self.rights.network,
                clerk: door::ClerkPresence::Answers,
                floor_holds_truncate: self.version.holds_truncate(),
            },
            trees: places.trees,
            repository: places.repository,
            hidden: HiddenPaths {
                paths: self.rights.hidden.clone(),
                covers: places.covers.unwrap_or_default(),
                shown,
            },
            terminal,
            channel: theirs,
        };
        let spawned = sys::spawn_held(command, move || hold.take());
        let message = hear(&ours).map_err(Error::Supervise)?;
        match (spawned, message) {
            (Ok(child), StartReport::Ready(ready, handed)) => {
                Ok(StartedCommand::Running(RunningCommand {
                    child,
                    handed,
                    ready,
                }))
            }
            (Err(error), StartReport::Ready(..)) => Ok(StartedCommand::NoProgram(error)),
            (_, StartReport::Failed(text)) => Err(Error::Held(text)),
            (Ok(_), StartReport::Nothing) => Err(Error::Supervise(std::io::Error::other(
                "no answer from the command",
            ))),
            (Err(error), StartReport::Nothing) => Err(Error::Supervise(error)),
        }
    }
}

/// A shell's codes for what cannot be executed.
fn no_program(error: &std::io::Error) -> i32 {
    if error.kind() == std::io::ErrorKind::NotFound {
        exit_code::NOT_FOUND
    } else {
        exit_code::NOT_EXECUTABLE
    }
}

/// Makes the trees that are not there yet, because a rule sticks to a directory and not to its name.
fn make_trees(trees: &[PathBuf]) -> Vec<PathBuf> {
    let missing = trees.iter().filter(|tree| !tree.exists());
    let made = missing.filter(|tree| std::fs::create_dir_all(tree).is_ok());
    made.cloned().collect()
}

/// Removes those that were not needed.
fn remove_empty(made: &[PathBuf]) {
    for tree in made {
        drop(std::fs::remove_dir(tree));
    }
}

/// What the new process said before it became the command.
enum StartReport {
    Ready(ReadyReport, HandedDescriptors),
    Failed(String),
    Nothing,
}

fn hear(channel: &OwnedFd) -> std::io::Result<StartReport> {
    let mut bytes = [0_u8; 4096];
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut slices = [std::io::IoSliceMut::new(&mut bytes)];
    // The other end is closed by now, in the child by its exec or its death.
    let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
    let received = match rustix::net::recvmsg(channel, &mut slices, &mut control, flags) {
        Ok(received) => received.bytes,
        Err(Errno::AGAIN) => 0,
        Err(errno) => return Err(errno.into()),
    };
    let mut handed = HandedDescriptors::default();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(mut fds) = message {
            handed.listener = fds.next();
            handed.root = fds.next();
        }
    }
    let message = bytes.get(..received).unwrap_or_default();
    Ok(match message {
        [READY, ready @ ..] => match ReadyReport::from_bytes(ready) {
            Some(ready) => StartReport::Ready(ready, handed),
            None => StartReport::Nothing,
        },
        [_, text @ ..] => StartReport::Failed(String::from_utf8_lossy(text).into_owned()),
        [] => StartReport::Nothing,
    })
}
