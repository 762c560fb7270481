//! The loop of the supervising process: calls, signals, time, and the end of the last process.

use std::collections::HashSet;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};

use crate::clerk::Clerk;
use crate::exit_code;
use crate::rights::Background;
use crate::run::{read_signals, say, tell};

/// Between asking a command to end and ending it.
const GRACE: Duration = Duration::from_secs(5);
/// How often what was killed is looked for again: killed parents leave children.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// One command that runs.
#[derive(Debug)]
pub(crate) struct CommandWatch<'a> {
    clerk: Clerk,
    child: Pid,
    signals: OwnedFd,
    told: &'a OwnedFd,
    terminal: Option<OwnedFd>,
    /// The command's own exit code, once it has one.
    code: Option<i32>,
    has_told: bool,
    deadline: Option<Instant>,
    ending: Option<CommandEnding>,
    /// The last process has left the filter. It may take a while to end, and is waited for by its signal.
    has_hung_up: bool,
    /// Who has been asked to end. Some are our children only when their parents are gone.
    asked: HashSet<Pid>,
}

/// What is left when all processes are gone.
#[derive(Debug)]
pub(crate) struct CommandRemains {
    pub(crate) code: i32,
    /// Whether the client knows the code, because something went on in the background.
    pub(crate) has_told: bool,
    pub(crate) clerk: Clerk,
}

/// How far ending the command has come.
#[derive(Debug, Clone, Copy)]
enum CommandEnding {
    /// Asked; killed after this time.
    Asked {
        until: Instant,
    },
    Killed,
}

/// What a turn of the loop leaves to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WatchTurn {
    AllGoOn,
    SomeoneMayHaveEnded,
}

impl<'a> CommandWatch<'a> {
    pub(crate) fn new(
        clerk: Clerk,
        child: Pid,
        signals: OwnedFd,
        told: &'a OwnedFd,
        terminal: Option<OwnedFd>,
    ) -> Self {
        let limit = clerk.rights.time_limit;
        Self {
            clerk,
            child,
            signals,
            told,
            terminal,
            code: None,
            has_told: false,
            deadline: limit.map(|it| Instant::now() + it),
            ending: None,
            has_hung_up: false,
            asked: HashSet::new(),
        }
    }

    /// Serves until no process is left.
    pub(crate) fn until_all_gone(mut self) -> CommandRemains {
        if self.clerk.listener().is_none() {
            say("modekeeper: inside another wall: patterns by existing files only.\n");
        }
        let mut is_someone_left = self.reap();
        while is_someone_left {
            if self.turn() == WatchTurn::SomeoneMayHaveEnded {
                is_someone_left = self.reap();
            }
        }
        rustix::process::umask(self.clerk.umask_at_start());
        self.clerk.clean_up();
        say(&self.clerk.report.summary(&self.clerk.rights));
        CommandRemains {
            code: self.code.unwrap_or(exit_code::WALL),
            has_told: self.has_told,
            clerk: self.clerk,
        }
    }

    /// Waits for something to do, and does it.
    fn turn(&mut self) -> WatchTurn {
        let listener = self.clerk.listener().filter(|_| !self.has_hung_up);
        // Without a listener, the signals are polled twice.
        let calls = listener.as_ref().map_or(&self.signals, Arc::as_ref);
        let mut fds = [
            PollFd::new(calls, PollFlags::IN),
            PollFd::new(&self.signals, PollFlags::IN),
            PollFd::new(self.told, PollFlags::ERR),
        ];
        let timeout = self.timeout();
        // A launcher that has gone is reported for ever: once that is known, asking again would never wait.
        let awaits_launcher = !self.has_told && self.ending.is_none();
        let polled_fds = if awaits_launcher {
            &mut fds[..]
        } else {
            &mut fds[..2]
        };
        let polled = rustix::event::poll(polled_fds, timeout.as_ref());
        let [call, signal, launcher] = fds.map(|fd| fd.revents());
        if polled.is_ok() {
            if listener.is_some() && call.contains(PollFlags::IN) {
                self.clerk.serve();
            } else if listener.is_some() && call.intersects(PollFlags::HUP | PollFlags::ERR) {
                self.has_hung_up = true;
            }
            if signal.contains(PollFlags::IN) {
                for signal in read_signals(&self.signals) {
                    self.pass_on(signal);
                }
            }
            if awaits_launcher && launcher.contains(PollFlags::ERR) {
                self.ask_to_end();
            }
        }
        self.keep_time();
        let only_a_call =
            polled.is_ok_and(|ready| ready > 0) && signal.is_empty() && !self.has_hung_up;
        if only_a_call {
            WatchTurn::AllGoOn
        } else {
            WatchTurn::SomeoneMayHaveEnded
        }
    }

    fn timeout(&self) -> Option<Timespec> {
        let now = Instant::now();
        let until = match self.ending {
            None => self.deadline.map(|it| it.saturating_duration_since(now)),
            Some(CommandEnding::Asked { .. } | CommandEnding::Killed) => Some(LOOK_AGAIN),
        };
        until.and_then(|it| Timespec::try_from(it).ok())
    }

    fn keep_time(&mut self) {
        let now = Instant::now();
        match self.ending {
            None if self.deadline.is_some_and(|it| now >= it) => {
                self.code = Some(exit_code::TIME);
                self.ask_to_end();
            }
            Some(CommandEnding::Asked { until }) if now >= until => {
                self.ending = Some(CommandEnding::Killed);
                self.signal_all(Signal::KILL);
            }
            Some(CommandEnding::Asked { .. }) => self.ask_children(),
            Some(CommandEnding::Killed) => self.signal_all(Signal::KILL),
            None => {}
        }
    }

    fn ask_to_end(&mut self) {
        self.ending = Some(CommandEnding::Asked {
            until: Instant::now() + GRACE,
        });
        self.signal_all(Signal::TERM);
    }

    /// A terminal sends its own signals to the command's group; other clients send them to us.
    fn pass_on(&mut self, signal: Signal) {
        let from_terminal =
            self.terminal.is_some() && (signal == Signal::INT || signal == Signal::QUIT);
        if !from_terminal {
            // The group may be gone.
            rustix::process::kill_process_group(self.child, signal).ok();
        }
    }

    /// Asks those who have left the command's group.
    fn ask_children(&mut self) {
        for child in children() {
            if self.asked.insert(child) {
                // It may have ended.
                rustix::process::kill_process(child, Signal::TERM).ok();
            }
        }
    }

    /// The command's group, and all that have left it and are our children now.
    fn signal_all(&mut self, signal: Signal) {
        rustix::process::kill_process_group(self.child, signal).ok();
        for child in children() {
            self.asked.insert(child);
            rustix::process::kill_process(child, signal).ok();
        }
    }

    /// Collects who has ended; whether someone is left.
    fn reap(&mut self) -> bool {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.child => self.command_ended(status),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    fn command_ended(&mut self, status: WaitStatus) {
        let code = self.code.unwrap_or_else(|| code_of(status));
        self.code = Some(code);
        if let Some(terminal) = self.terminal.take() {
            let group =
                rustix::process::getppid().and_then(|it| rustix::process::getpgid(Some(it)).ok());
            // The terminal may have gone.
            group.and_then(|group| rustix::termios::tcsetpgrp(&terminal, group).ok());
        }
        let next = rustix::process::wait(WaitOptions::NOHANG);
        if matches!(next, Err(Errno::CHILD)) {
            return;
        }
        match self.clerk.rights.background {
            Background::End if self.ending.is_none() => self.ask_to_end(),
            Background::End => {}
            Background::Keep => self.go_on_alone(code),
        }
    }

    /// The client is told; what it started in the background is held as before.
    fn go_on_alone(&mut self, code: i32) {
        if self.has_told || self.ending.is_some() {
            return;
        }
        self.clerk.note_hidden();
        say(&self.clerk.report.summary(&self.clerk.rights));
        self.clerk.report.has_spoken();
        self.has_told = true;
        tell(self.told, code);
        // A client that reads to the end of our streams must not wait for us.
        if let Ok(null) = rustix::fs::open(
            "/dev/null",
            rustix::fs::OFlags::RDWR,
            rustix::fs::Mode::empty(),
        ) {
            rustix::stdio::dup2_stdin(null.as_fd()).ok();
            rustix::stdio::dup2_stdout(null.as_fd()).ok();
            rustix::stdio::dup2_stderr(null.as_fd()).ok();
        }
    }
}

/// Our children now.
fn children() -> Vec<Pid> {
    let me = rustix::process::getpid();
    let path = format!("/proc/self/task/{}/children", me.as_raw_nonzero());
    let children = std::fs::read_to_string(path).unwrap_or_default();
    let children = children.split_whitespace().filter_map(|it| it.parse().ok());
    children.filter_map(Pid::from_raw).collect()
}

fn code_of(status: WaitStatus) -> i32 {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => code,
        (None, Some(signal)) => exit_code::SIGNAL + signal,
        (None, None) => exit_code::WALL,
    }
}
