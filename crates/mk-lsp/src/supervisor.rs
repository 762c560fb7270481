//! The thread that looks after one language's server: starts it when it is needed, ends it when it hangs, starts it
//! again after a pause.
//!
//! Everything reaches it as an event, so that nothing here is shared and no caller ever waits for a lock.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use mk_types::AbsPath;
use tokio::sync::{oneshot, watch};

use crate::DiskChange;
use crate::ask::{AnswerReadiness, PendingQuestion};
use crate::error::ServerError;
use crate::locate::choose;
use crate::options::{ServerOptions, WallLauncher};
use crate::process::{ServerProcess, ServerProgram};
use crate::progress::Warmth;
use crate::running::RunningServer;
use crate::status::{Health, ServerStatus};
use crate::table::ServedLanguage;

/// How often is looked whether a question that waits may be put.
const TICK: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// How often is looked whether a server is still needed, and how much memory it has.
const PATROL: Duration = Duration::from_secs(5);
/// A server that ran for this long had nothing wrong with it at the start.
const SOUND: Duration = Duration::from_secs(60);

/// What a supervisor is told.
#[derive(Debug)]
pub(crate) enum Event {
    Ask(Box<PendingQuestion>),
    /// The caller does not wait for this ticket any more.
    Forget(u64),
    Changed(Vec<DiskChange>),
    /// Ends the server, and with it all memory of its failures.
    Stop(oneshot::Sender<()>),
    /// The project is closed.
    End,
    /// A message can be taken from the server of this generation.
    Message(u64),
    /// The output of the server of this generation has ended, with the reason if it was not the end of the file.
    Closed(u64, Option<String>),
}

/// What a supervisor looks after, and with what means.
#[derive(Debug)]
pub(crate) struct Duty {
    pub(crate) language: ServedLanguage,
    pub(crate) root: AbsPath,
    pub(crate) options: Arc<ServerOptions>,
    pub(crate) status: watch::Sender<ServerStatus>,
    pub(crate) events: Sender<Event>,
}

/// Looks after the server until it is told to end.
pub(crate) fn supervise(duty: Duty, events: &Receiver<Event>) {
    let mut supervisor = ServerSupervisor {
        duty,
        running: None,
        queue: VecDeque::new(),
        generation: 0,
        failures: 0,
        failed: None,
        asked: Instant::now(),
        patrolled: Instant::now(),
    };
    loop {
        let event = match supervisor.next_look() {
            None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(at) => events.recv_timeout(at.saturating_duration_since(Instant::now())),
        };
        match event {
            Ok(Event::End) | Err(RecvTimeoutError::Disconnected) => break,
            Ok(event) => supervisor.take(event),
            Err(RecvTimeoutError::Timeout) => {}
        }
        supervisor.advance(Instant::now());
        supervisor.show_status();
    }
}

struct ServerSupervisor {
    duty: Duty,
    running: Option<RunningServer>,
    /// Questions for which the server is not far enough yet.
    queue: VecDeque<PendingQuestion>,
    generation: u64,
    /// In a row.
    failures: u32,
    /// The last failure and when the next attempt is allowed.
    failed: Option<(ServerError, Instant)>,
    /// When somebody last asked something.
    asked: Instant,
    patrolled: Instant,
}

impl ServerSupervisor {
    fn take(&mut self, event: Event) {
        let now = Instant::now();
        match event {
            Event::Ask(ask) => {
                self.asked = now;
                match (&self.running, &self.failed) {
                    // Waiting would not help: it is known to be broken.
                    (None, Some((error, until))) if now < *until => {
                        ask.finish(Err(error.clone()));
                    }
                    // Somebody has waited in vain already; it is asked again when it has said something.
                    (Some(running), _) if running.is_suspect() => {
                        ask.finish(Err(ServerError::Suspect {
                            server: running.server.name.clone(),
                        }));
                    }
                    _ => self.queue.push_back(*ask),
                }
            }
            Event::Forget(ticket) => {
                self.queue.retain(|ask| ask.ticket != ticket);
                if let Some(running) = &mut self.running {
                    running.forget(ticket, now, &self.duty.options.limits);
                }
            }
            Event::Changed(changes) => {
                if let Some(running) = &mut self.running {
                    running.changed(&changes);
                }
            }
            Event::Stop(done) => {
                self.failed = None;
                self.failures = 0;
                if let Some(mut running) = self.running.take() {
                    for ask in running.abandon() {
                        ask.finish(Err(ServerError::Stopped));
                    }
                    running.close();
                }
                // Who does not wait any more need not know.
                done.send(()).ok();
            }
            Event::Message(generation) => {
                let current = self.running.as_mut();
                if let Some(running) = current.filter(|running| running.generation == generation)
                    && let Some(again) = running.hear(now)
                {
                    self.queue.push_front(again);
                }
            }
            Event::Closed(generation, reason) => {
                let current = self.running.as_mut();
                if let Some(running) = current.filter(|running| running.generation == generation) {
                    let reason = reason.unwrap_or_else(|| running.ending());
                    self.fail(reason, now);
                }
            }
            Event::End => {}
        }
    }

    /// Does whatever is due.
    fn advance(&mut self, now: Instant) {
        let limits = self.duty.options.limits;
        if let Some(running) = &mut self.running
            && let Some(reason) = running.look_after(now, &limits)
        {
            self.fail(reason, now);
        }
        self.patrol(now);
        self.give_up(now);
        if self.running.is_none()
            && !self.queue.is_empty()
            && let Err(error) = self.start()
        {
            self.turn_away(&error);
            self.pause(error, now);
        }
        self.dispatch(now);
    }

    /// Ends a server that nobody needs, or that needs too much.
    fn patrol(&mut self, now: Instant) {
        let limits = self.duty.options.limits;
        if now < self.patrolled + PATROL.min(limits.idle) {
            return;
        }
        self.patrolled = now;
        let Some(running) = &self.running else { return };
        let used = running.memory();
        if used > limits.memory {
            let gigabytes = |bytes: u64| bytes as f64 / f64::from(1 << 30);
            let (used, most) = (gigabytes(used), gigabytes(limits.memory));
            self.fail(
                format!("it needs {used:.1} GB of memory, more than {most:.1} GB"),
                now,
            );
        } else if self.queue.is_empty() && running.is_idle() && now >= self.asked + limits.idle {
            tracing::info!(
                language = self.duty.language.name,
                "language server stopped: not in use"
            );
            if let Some(running) = self.running.take() {
                running.close();
            }
        }
    }

    fn start(&mut self) -> Result<(), ServerError> {
        let Duty {
            language,
            root,
            options,
            ..
        } = &self.duty;
        let (server, program) = choose(language, root, options)?;
        let failed = |error: std::io::Error| ServerError::Start {
            server: server.name.clone(),
            reason: format!("{}: {error}", program.display()),
            stderr: Vec::new(),
        };
        let held_by = options.launcher.as_ref().map(WallLauncher::server);
        let process = ServerProcess::start(&ServerProgram {
            held_by: held_by.as_deref().unwrap_or_default(),
            path: &program,
            arguments: server.command.get(1..).unwrap_or_default(),
            folder: root.as_path(),
            search_path: &options.search_path,
        });
        self.generation += 1;
        let running = process
            .and_then(|process| RunningServer::new(process, server, &self.duty, self.generation))
            .map_err(failed)?;
        tracing::info!(
            language = language.name,
            server = server.name,
            pid = running.pid(),
            "language server started"
        );
        self.running = Some(running);
        Ok(())
    }

    /// Ends a server that cannot go on, and answers every call that waits for it.
    fn fail(&mut self, reason: String, now: Instant) {
        let Some(mut running) = self.running.take() else {
            return;
        };
        let server = running.server.name.clone();
        let stderr = running.last_words();
        let error = if running.is_initialized() {
            ServerError::Crashed {
                server,
                reason,
                stderr,
            }
        } else {
            ServerError::Start {
                server,
                reason,
                stderr,
            }
        };
        tracing::warn!(
            language = self.duty.language.name,
            "language server: {error}"
        );
        if now >= running.started + SOUND {
            self.failures = 0;
        }
        let unanswered = running.abandon();
        // Gone before anybody hears of it, so that nobody finds it still there.
        drop(running);
        for ask in unanswered {
            ask.finish(Err(error.clone()));
        }
        // What it was not asked yet the next one can be, if there is one at once.
        if self.failures > 0 || matches!(error, ServerError::Start { .. }) {
            self.turn_away(&error);
        }
        self.pause(error, now);
    }

    /// Answers every call that waits for a server.
    fn turn_away(&mut self, error: &ServerError) {
        for ask in self.queue.drain(..) {
            ask.finish(Err(error.clone()));
        }
    }

    /// Keeps the failure for a while instead of trying again.
    fn pause(&mut self, error: ServerError, now: Instant) {
        self.failures += 1;
        let pause = match (&error, self.failures) {
            // The first time may be chance, and what is not installed may be at any moment.
            (ServerError::NotInstalled { .. }, _) | (_, 1) => Duration::ZERO,
            (_, failures) => {
                let doublings = failures.saturating_sub(2).min(16);
                let pause = self.duty.options.limits.back_off * 2_u32.pow(doublings);
                pause.min(LONGEST_PAUSE)
            }
        };
        self.failed = Some((error, now + pause));
    }

    /// Answers questions that have waited too long for the server to be far enough.
    fn give_up(&mut self, now: Instant) {
        let limits = self.duty.options.limits;
        // One that does not even start has a limit of its own, and a better reason.
        let Some(running) = self.running.as_mut().filter(|it| it.is_initialized()) else {
            return;
        };
        let doing = match running.warmth(now) {
            Warmth::Warm if !running.has_room() => "it is busy with other questions".to_owned(),
            Warmth::Warm => "the project keeps changing".to_owned(),
            Warmth::Busy { percent, title, .. } => {
                let percent = percent.map(|percent| format!(" {percent} %"));
                format!("it reads the project{}", percent.unwrap_or_default())
                    + &Some(title)
                        .filter(|title| !title.is_empty())
                        .map_or(String::new(), |title| format!(" ({title})"))
            }
        };
        for ask in std::mem::take(&mut self.queue) {
            if now >= ask.asked + limits.warm_up {
                ask.finish(Err(ServerError::Timeout {
                    server: running.server.name.clone(),
                    doing: doing.clone(),
                    seconds: limits.warm_up.as_secs(),
                }));
                running.probe(now, &limits);
            } else {
                self.queue.push_back(ask);
            }
        }
    }

    /// Puts every question that the server is far enough for.
    fn dispatch(&mut self, now: Instant) {
        let Some(running) = &mut self.running else {
            return;
        };
        if !running.is_initialized() {
            return;
        }
        self.failed = None;
        // Some servers begin to read the project only when they see a document of it.
        let current = Some(running.generation);
        for ask in self.queue.iter_mut().filter(|ask| ask.shown_to != current) {
            running.show(ask, now);
            ask.shown_to = current;
        }
        let warm = running.warmth(now) == Warmth::Warm;
        for ask in std::mem::take(&mut self.queue) {
            let due = ask.not_before.is_none_or(|at| now >= at);
            if due && (warm || ask.when == AnswerReadiness::Initialized) && running.has_room() {
                // Again, because it may have waited, and files do not.
                running.show(&ask, now);
                running.ask(ask, now);
            } else {
                self.queue.push_back(ask);
            }
        }
    }

    /// When to look even though nothing has happened.
    fn next_look(&self) -> Option<Instant> {
        let now = Instant::now();
        let running = self.running.as_ref()?;
        if let Some(at) = running.next_look(now) {
            return Some(at);
        }
        if !self.queue.is_empty() {
            return Some(now + TICK);
        }
        let patrol = self.patrolled + PATROL.min(self.duty.options.limits.idle);
        match running.warmth(now) {
            Warmth::Warm => Some(patrol),
            Warmth::Busy { until, .. } => Some(until.min(patrol)),
        }
    }

    fn show_status(&self) {
        let health = match (&self.running, &self.failed) {
            (Some(running), _) if !running.is_initialized() => Health::Starting,
            (Some(running), _) => match running.warmth(Instant::now()) {
                Warmth::Warm => Health::Ready,
                Warmth::Busy { percent, title, .. } => Health::Indexing { percent, title },
            },
            (None, Some((error, _))) => Health::Failed {
                error: error.clone(),
            },
            (None, None) => Health::Stopped,
        };
        let status = ServerStatus {
            language: self.duty.language.name.clone(),
            server: self
                .running
                .as_ref()
                .map(|running| running.server.name.clone()),
            pid: self.running.as_ref().map(RunningServer::pid),
            health,
            n_starts: self.generation,
        };
        self.duty.status.send_if_modified(|shown| {
            let changed = *shown != status;
            if changed {
                *shown = status;
            }
            changed
        });
    }
}
