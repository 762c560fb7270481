//! Running a command inside the wall: the process that a client sees, and the one that supervises.
//!
//! The caller's process only waits for the exit code. A second one supervises: a client that kills what it started
//! does not kill the clerk, which then ends the command and removes its guests.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Command;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use rustix::process::{Pid, Signal};

use crate::door::Arch;
use crate::error::Error;
use crate::floor::Version;
use crate::hold::describe;
use crate::report::WallReport;
use crate::rights::Rights;
use crate::supervise::WallSupervisor;
use crate::{exit_code, sys};

/// What a supervisor tells at the end.
#[derive(Debug)]
pub struct WallOutcome {
    pub code: i32,
    pub report: WallReport,
    pub held: WallHold,
}

/// What held the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WallHold {
    /// The version of Landlock that was used.
    pub abi: i32,
    /// How many rules the floor has.
    pub rules: u32,
    pub clerk: bool,
    /// Whether a mount namespace hides what is hidden.
    pub namespace: bool,
}

/// What the supervising process is to do, once it knows what holds the command.
#[derive(Debug)]
pub enum Supervision<F> {
    /// Run it inside the wall.
    ///
    /// `finish` runs after the last process of the command has ended. It gets the rights back for their words.
    Hold {
        rights: Box<Rights>,
        command: Box<Command>,
        finish: F,
    },
    /// End with this code; what there is to say has been said.
    End(i32),
    /// Leave it to the waiting process, which learns this number.
    HandBack(u8),
}

/// What the waiting process learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Supervised {
    /// The exit code: 124 after the time limit, 125 if the command was not started, 126 and 127 as a shell has them,
    /// 128 and more by signal.
    Ended(i32),
    HandedBack(u8),
}

/// Codes from here on are numbers that are handed back.
const HANDED_BACK: i32 = 0x1_0000;

/// Runs a command inside the wall, and answers with its exit code.
pub fn run(
    rights: Rights,
    command: Command,
    finish: impl FnOnce(&Rights, &WallOutcome),
) -> Result<i32, Error> {
    // A caller that has the rights in its hand may hear why nothing holds here.
    Version::of_kernel(rights.kernel.abi)?;
    Arch::native().ok_or(Error::UnknownProcessor)?;
    let rights = Box::new(rights);
    let supervised = supervise(|| Supervision::Hold {
        rights,
        command: Box::new(command),
        finish,
    })?;
    Ok(match supervised {
        Supervised::Ended(code) => code,
        Supervised::HandedBack(_) => exit_code::WALL,
    })
}

/// Forks at once, and prepares in the supervising process: the one that waits stays small, what is opened for the
/// command's sake stays where it is needed until the end, and no lock or connection goes through a fork.
///
/// Call it from a program with one thread. The command inherits its streams, or has files that are open already; after
/// the start, `finish` may read this process's variables and not set any. See `sys/spawn.rs` for both.
pub fn supervise<F: FnOnce(&Rights, &WallOutcome)>(
    prepare: impl FnOnce() -> Supervision<F>,
) -> Result<Supervised, Error> {
    let supervise = |errno: Errno| Error::Supervise(errno.into());
    let (heard, told) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(supervise)?;
    let terminal = foreground_terminal();
    match sys::fork().map_err(Error::Supervise)? {
        sys::Fork::Parent(supervisor) => {
            drop(told);
            let code = wait(supervisor, &heard).map_err(Error::Supervise)?;
            let handed_back = u8::try_from(code - HANDED_BACK);
            Ok(handed_back.map_or(Supervised::Ended(code), Supervised::HandedBack))
        }
        sys::Fork::Child => {
            drop(heard);
            if let Err(error) = in_supervisor(prepare, terminal, &told) {
                say(&format!(
                    "modekeeper: not started: {}. Run \"modekeeper doctor\".\n",
                    describe(&error)
                ));
                tell(&told, exit_code::WALL);
            }
            sys::leave(0)
        }
    }
}

/// The supervising process's whole life.
fn in_supervisor<F: FnOnce(&Rights, &WallOutcome)>(
    prepare: impl FnOnce() -> Supervision<F>,
    terminal: Option<OwnedFd>,
    told: &OwnedFd,
) -> Result<(), Error> {
    let supervise = |errno: Errno| Error::Supervise(errno.into());
    rustix::process::setpgid(None, None).map_err(supervise)?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).map_err(supervise)?;
    // Those that come while it prepares are passed on when there is a process to pass them to.
    let signals = sys::take_signals().map_err(Error::Supervise)?;
    let (rights, command, finish) = match prepare() {
        Supervision::Hold {
            rights,
            command,
            finish,
        } => (rights, *command, finish),
        Supervision::End(code) => {
            tell(told, code);
            return Ok(());
        }
        Supervision::HandBack(number) => {
            tell(told, HANDED_BACK + i32::from(number));
            return Ok(());
        }
    };
    if !is_heard(told) {
        return Ok(());
    }
    let supervisor = WallSupervisor {
        version: Version::of_kernel(rights.kernel.abi)?,
        arch: Arch::native().ok_or(Error::UnknownProcessor)?,
        rights: *rights,
        terminal,
        signals,
        told,
    };
    supervisor.run(command, finish)
}

/// Whether a process still waits for the command.
fn is_heard(told: &OwnedFd) -> bool {
    let mut fds = [PollFd::new(told, PollFlags::empty())];
    let now = rustix::event::Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    rustix::event::poll(&mut fds, Some(&now)).is_ok_and(|ready| ready == 0)
}

/// The terminal that our group has in the foreground, if any.
fn foreground_terminal() -> Option<OwnedFd> {
    let stdin = rustix::stdio::stdin();
    let foreground = rustix::termios::tcgetpgrp(stdin).ok()?;
    if foreground != rustix::process::getpgrp() {
        return None;
    }
    rustix::io::fcntl_dupfd_cloexec(stdin, 3).ok()
}

/// Writes to people. Where nobody reads, there is nothing to do about it.
pub(crate) fn say(text: &str) {
    let mut rest = text.as_bytes();
    while let Ok(written) = rustix::io::write(rustix::stdio::stderr(), rest) {
        rest = rest.get(written..).unwrap_or_default();
        if rest.is_empty() || written == 0 {
            return;
        }
    }
}

/// Tells the waiting process the exit code. It may have gone.
pub(crate) fn tell(told: &OwnedFd, code: i32) {
    rustix::io::write(told, &code.to_ne_bytes()).ok();
}

/// Waits for the exit code, and passes on the signals that ask a program to end.
fn wait(supervisor: Pid, heard: &OwnedFd) -> io::Result<i32> {
    let signals = sys::take_signals()?;
    loop {
        let mut fds = [
            PollFd::new(heard, PollFlags::IN),
            PollFd::new(&signals, PollFlags::IN),
        ];
        match rustix::event::poll(&mut fds, None) {
            Err(Errno::INTR) => continue,
            other => other?,
        };
        let [news, signal] = fds.map(|fd| fd.revents());
        if signal.contains(PollFlags::IN) {
            for signal in read_signals(&signals) {
                // It may have ended meanwhile; the pipe says so.
                rustix::process::kill_process(supervisor, signal).ok();
            }
        }
        if !news.is_empty() {
            let mut code = [0; 4];
            return match rustix::io::read(heard, &mut code)? {
                4 => {
                    let code = i32::from_ne_bytes(code);
                    reap(supervisor);
                    Ok(code)
                }
                _ => Err(io::Error::other("the supervising process was killed")),
            };
        }
    }
}

/// Collects the supervisor if it has ended; with processes in the background it goes on without us.
fn reap(supervisor: Pid) {
    let options = rustix::process::WaitOptions::NOHANG;
    rustix::process::waitpid(Some(supervisor), options).ok();
}

/// The signals that have come and ask to be passed on.
pub(crate) fn read_signals(signals: &OwnedFd) -> Vec<Signal> {
    /// `struct signalfd_siginfo`; it begins with the number.
    const INFO: usize = 128;
    let mut found = Vec::new();
    let mut info = [0_u8; INFO];
    while let Ok(INFO) = rustix::io::read(signals, &mut info) {
        let number = info.first_chunk::<4>().map(|it| i32::from_ne_bytes(*it));
        let passed_on = [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT];
        found.extend(passed_on.into_iter().find(|it| Some(it.as_raw()) == number));
    }
    found
}
