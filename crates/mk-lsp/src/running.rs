//! One running server: its process, its pipes, and what has been said on both sides.
//!
//! It knows no time but what it is given, and decides nothing about restarts: that is the supervisor's.

mod hear;
mod watch;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use mk_project::read_text;
use mk_types::AbsPath;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::ask::{AnswerReadiness, PendingQuestion, ServerQuestion, ServerReply};
use crate::capability::{Capabilities, initialize};
use crate::document::{ChangeKind, Documents, Notice, ShownDocument};
use crate::error::ServerError;
use crate::message::{Incoming, notification, request};
use crate::options::{Limits, ProjectCode};
use crate::pending::Pending;
use crate::pipe::{Outbox, read_all};
use crate::process::{Pipes, ServerProcess};
use crate::progress::{ServerProgress, Warmth};
use crate::published::PublishedDiagnostics;
use crate::supervisor::Duty;
use crate::table::{ServedLanguage, ServerRow};
use crate::workspace::{has_manifest, workspaces};
use crate::{DiskChange, uri};
use watch::DiagnosticsWatch;

/// Questions that a server has at the same time; those that wait here can still be called off.
const MOST_ASKED: usize = 16;
/// Messages that were read and not yet looked at; a server that floods us waits.
const MOST_INCOMING: usize = 8;
/// Diagnostics come in several parts; after this long without another one they count as complete.
const SETTLED: Duration = Duration::from_millis(250);
/// A server that has said nothing at all for this long has nothing to say about a file.
const SILENCE: Duration = Duration::from_secs(2);
/// How often is looked after a server that somebody waits for.
const AWAITED: Duration = Duration::from_millis(100);
const WATCHED: Duration = Duration::from_millis(50);
/// A caller that waited for this long and left has found a slow server.
const SLOW: Duration = Duration::from_secs(2);
/// How long after its end a server's last words are waited for, should somebody else keep its output open.
const LAST_WORDS: Duration = Duration::from_millis(50);
/// How long a server may take to end when it is asked to.
const FAREWELL: Duration = Duration::from_millis(300);
/// How many changed files are shown at once to a server that does not look by itself, and how large they may be.
const MOST_SHOWN: usize = 16;
const LARGEST_SHOWN: u64 = 1024 * 1024;
/// Numbers of requests that are nobody's question.
const INITIALIZE: i64 = 0;
const PROBE: i64 = -1;
const SHUTDOWN: i64 = -2;
const DIAGNOSTIC: &str = "textDocument/diagnostic";

/// A server and the conversation with it.
#[derive(Debug)]
pub(crate) struct RunningServer {
    pub(crate) server: ServerRow,
    pub(crate) generation: u64,
    language: ServedLanguage,
    root: AbsPath,
    /// The directories that it was told to read.
    workspaces: Vec<PathBuf>,
    process: ServerProcess,
    outgoing: Outbox,
    incoming: Receiver<Incoming>,
    pub(crate) started: Instant,
    /// `None` until it has answered `initialize`.
    capabilities: Option<Capabilities>,
    documents: Documents,
    published: PublishedDiagnostics,
    progress: ServerProgress,
    pending: Pending,
    watches: Vec<DiagnosticsWatch>,
    heard: Instant,
    /// When it was last told that files have changed.
    changed: Option<Instant>,
    /// By when it must answer something, because it was too slow before.
    probe: Option<Instant>,
    /// When its end was noticed; what it wrote before may still be on the way.
    exited: Option<Instant>,
    /// Why it cannot go on, as soon as that is known.
    broken: Option<String>,
}

impl RunningServer {
    /// Takes over a process and begins the conversation.
    pub(crate) fn new(
        (process, pipes): (ServerProcess, Pipes),
        server: &ServerRow,
        duty: &Duty,
        generation: u64,
    ) -> std::io::Result<Self> {
        let (read, incoming) = sync_channel(MOST_INCOMING);
        let outgoing = Outbox::new(pipes.stdin)?;
        read_all(pipes.stdout, read, generation, duty.events.clone())?;
        let now = Instant::now();
        let mut running = Self {
            progress: ServerProgress::new(server.warm.clone(), now),
            server: server.clone(),
            generation,
            language: duty.language.clone(),
            root: duty.root.clone(),
            workspaces: workspaces(&duty.root, &server.manifests),
            process,
            outgoing,
            incoming,
            started: now,
            capabilities: None,
            documents: Documents::default(),
            published: PublishedDiagnostics::default(),
            pending: Pending::default(),
            watches: Vec::new(),
            heard: now,
            changed: None,
            probe: None,
            exited: None,
            broken: None,
        };
        let careful = duty.options.project_code == ProjectCode::Avoid;
        // Inside the wall no signal reaches us, which servers take for our end; there the launcher ends them.
        let watched = duty.options.launcher.is_none().then(std::process::id);
        let options = server.options(careful);
        let params = initialize(&duty.root, &running.workspaces, &options, watched);
        running.send(request(INITIALIZE, "initialize", &params));
        Ok(running)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Kills it, and gives the last lines of its standard error.
    pub(crate) fn last_words(&mut self) -> Vec<String> {
        self.process.last_words()
    }

    pub(crate) fn is_initialized(&self) -> bool {
        self.capabilities.is_some()
    }

    /// When to look after it though it says nothing; `None` if nobody waits for it.
    pub(crate) fn next_look(&self, now: Instant) -> Option<Instant> {
        if let Some(exited) = self.exited {
            return Some(exited + LAST_WORDS);
        }
        if !self.watches.is_empty() {
            return Some(now + WATCHED);
        }
        let awaited = !self.is_initialized() || !self.pending.is_empty() || self.probe.is_some();
        awaited.then(|| now + AWAITED)
    }

    fn send(&mut self, message: Vec<u8>) {
        if !self.outgoing.send(message) {
            self.broken = Some("it does not read its input".into());
        }
    }

    fn notify(&mut self, notices: Vec<Notice>) {
        for (method, params) in notices {
            self.send(notification(method, &params));
        }
    }

    /// Shows the server the document of a question, and tells it what happened to the others.
    pub(crate) fn show(&mut self, ask: &PendingQuestion, now: Instant) {
        if let Some(shown) = &ask.document {
            if self.documents.is_empty() {
                self.progress.first_document(now);
            }
            self.tell(&self.documents.stale(&shown.path));
            let notices = self.documents.show(shown);
            self.notify(notices);
        }
    }

    /// Tells the server about files on disk.
    pub(crate) fn changed(&mut self, changes: &[DiskChange]) {
        if self.is_initialized() {
            let on_disk = |change: &DiskChange| (change.path.under(&self.root), change.kind);
            self.tell(&changes.iter().map(on_disk).collect::<Vec<_>>());
        }
    }

    fn tell(&mut self, changes: &[(PathBuf, ChangeKind)]) {
        if changes.is_empty() {
            return;
        }
        let mut notices = Vec::new();
        if self.server.shown_changes {
            for (path, _) in changes.iter().take(MOST_SHOWN) {
                notices.extend(self.show_changed(path));
            }
        }
        notices.extend(self.documents.changed(changes));
        self.notify(notices);
        let now = Instant::now();
        self.changed = Some(now);
        let is_own = |path: &Path| self.language.document_language(&path.to_string_lossy());
        let is_manifest = |(path, _): &(PathBuf, ChangeKind)| {
            let name = path.file_name().map(|name| name.to_string_lossy());
            let manifests = &self.server.manifests;
            name.is_some_and(|name| manifests.iter().any(|manifest| *manifest == name))
        };
        if changes.iter().any(is_manifest) {
            self.progress.hope();
        }
        let mut changes = changes.iter();
        if changes.any(|(path, kind)| *kind != ChangeKind::Changed || is_own(path).is_none()) {
            self.progress.restructured(now);
        }
    }

    fn show_changed(&mut self, path: &Path) -> Vec<Notice> {
        let language = self.language.document_language(&path.to_string_lossy());
        let text = read_text(path, LARGEST_SHOWN).ok().flatten();
        let Some((language, text)) = language.zip(text) else {
            return Vec::new();
        };
        self.documents.show(&ShownDocument {
            path: path.to_owned(),
            language: language.to_owned(),
            text: text.into(),
        })
    }

    /// Whether it has seen the whole project as it is.
    pub(crate) fn warmth(&self, now: Instant) -> Warmth {
        let warmth = self.progress.warmth(now);
        let publishes = !self.knows(DIAGNOSTIC);
        if warmth != Warmth::Warm || !self.server.shown_changes || !publishes {
            return warmth;
        }
        // It publishes something about each document when it has read it.
        let unread = self.documents.paths().find_map(|path| {
            let shown = self.documents.shown_at(path)?;
            let read = self.current(path).is_some() || now >= shown + SILENCE;
            (!read).then_some(shown)
        });
        unread.map_or(Warmth::Warm, |shown| Warmth::Busy {
            percent: None,
            title: String::new(),
            until: shown + SILENCE,
        })
    }

    fn knows(&self, method: &str) -> bool {
        let capabilities = self.capabilities.as_ref();
        capabilities.is_some_and(|capabilities| capabilities.knows(method))
    }

    /// Whether it can be asked something before it has answered.
    pub(crate) fn has_room(&self) -> bool {
        let most = if self.server.one_at_a_time {
            1
        } else {
            MOST_ASKED
        };
        self.exited.is_none() && self.pending.len() < most
    }

    /// Puts a question to the server, which is initialized and was shown the document.
    pub(crate) fn ask(&mut self, ask: PendingQuestion, now: Instant) {
        let Some(capabilities) = &self.capabilities else {
            return;
        };
        if let Some(homeless) = self.homeless(&ask) {
            return ask.finish(Err(homeless));
        }
        let encoding = capabilities.encoding();
        let method = ask.question.method();
        let known = capabilities.knows(method);
        let mut params = match &ask.question {
            ServerQuestion::Presence => return self.reply(ask, Box::default()),
            ServerQuestion::Diagnostics if !known => return self.watch(ask, now),
            ServerQuestion::Diagnostics => json!({}),
            ServerQuestion::Request(_, params) if known => params(encoding),
            ServerQuestion::Request(..) => {
                let server = self.server.name.clone();
                return ask.finish(Err(ServerError::Unsupported { server, method }));
            }
        };
        if let (Value::Object(params), Some(shown)) = (&mut params, &ask.document) {
            params.insert("textDocument".to_owned(), identifier(shown));
        }
        let id = self.pending.push(Some(ask), now);
        self.send(request(id, method, &params));
    }

    /// Why nothing can be learnt about a document that belongs to no workspace: servers answer all the same.
    fn homeless(&self, ask: &PendingQuestion) -> Option<ServerError> {
        let ServerRow {
            name, manifests, ..
        } = &self.server;
        let directory = ask.document.as_ref()?.path.parent()?;
        let is_blind =
            ask.when == AnswerReadiness::Warm && !has_manifest(&self.root, directory, manifests);
        is_blind.then(|| ServerError::Blind {
            server: name.clone(),
            reason: format!(
                "neither the directory of this file nor one above it has {}",
                manifests.join(" or ")
            ),
        })
    }

    /// Why an answer to this question would mean nothing.
    fn blind(&self, ask: &PendingQuestion) -> Option<ServerError> {
        let reason = self.progress.complaint()?.trim().to_owned();
        let server = self.server.name.clone();
        (ask.when == AnswerReadiness::Warm).then_some(ServerError::Blind { server, reason })
    }

    fn reply(&self, ask: PendingQuestion, result: Box<RawValue>) {
        // Without the project it answers all the same, mostly with nothing.
        if let Some(blind) = self.blind(&ask) {
            return ask.finish(Err(blind));
        }
        let encoding = self.capabilities.as_ref().map(Capabilities::encoding);
        ask.finish(Ok(ServerReply {
            server: self.server.name.clone(),
            pid: self.pid(),
            encoding: encoding.unwrap_or(crate::position::Encoding::Utf16),
            result,
        }));
    }

    /// The caller has gone. One that has waited for long makes the server suspect: the next one does not wait.
    pub(crate) fn forget(&mut self, ticket: u64, now: Instant, limits: &Limits) {
        if let Some((id, sent)) = self.pending.forget(ticket) {
            // One that takes questions one by one fails the next when this is called off; it has one at most.
            if !self.server.one_at_a_time {
                self.cancel(id);
            }
            if now >= sent + SLOW {
                self.probe(now, limits);
            }
        }
        self.watches.retain(|watch| watch.ask.ticket != ticket);
    }

    /// Whether it was too slow, and has said nothing since: it may hang.
    pub(crate) fn is_suspect(&self) -> bool {
        self.probe.is_some()
    }

    /// Whether it has nothing to do.
    pub(crate) fn is_idle(&self) -> bool {
        self.is_initialized() && self.pending.is_empty() && self.watches.is_empty()
    }

    /// The bytes of memory that it holds, with everything it has started.
    pub(crate) fn memory(&self) -> u64 {
        self.process.memory()
    }

    fn cancel(&mut self, id: i64) {
        self.send(notification("$/cancelRequest", &json!({"id": id})));
    }

    /// Ends what takes too long; the reason if the server itself must be ended.
    pub(crate) fn look_after(&mut self, now: Instant, limits: &Limits) -> Option<String> {
        if let Some(reason) = self.broken.take() {
            return Some(reason);
        }
        if self.exited.is_none() && self.process.exited().is_some() {
            self.exited = Some(now);
        }
        if self.exited.is_some_and(|exited| now >= exited + LAST_WORDS) {
            return Some(self.ending());
        }
        if !self.is_initialized() && now >= self.started + limits.warm_up {
            return Some(format!(
                "no answer to `initialize` in {} s",
                limits.warm_up.as_secs()
            ));
        }
        self.expire(now, limits);
        self.settle(now, limits);
        let hung = self.probe.is_some_and(|until| now >= until);
        hung.then(|| "it does not answer any more".to_owned())
    }

    fn expire(&mut self, now: Instant, limits: &Limits) {
        for (id, ask) in self.pending.take_late(now, limits.request) {
            if let Some(ask) = ask {
                let error = self.too_slow(ask.question.method(), limits);
                ask.finish(Err(error));
                self.cancel(id);
            }
            self.probe(now, limits);
        }
    }

    fn too_slow(&self, method: &str, limits: &Limits) -> ServerError {
        ServerError::Timeout {
            server: self.server.name.clone(),
            doing: format!("no answer to `{method}`"),
            seconds: limits.request.as_secs(),
        }
    }

    /// Asks something that every server must answer at once, be it with a refusal.
    pub(crate) fn probe(&mut self, now: Instant, limits: &Limits) {
        if self.probe.is_none() {
            self.send(request(PROBE, "$/modekeeper/alive", &Value::Null));
            self.probe = Some(now + limits.hang);
        }
    }

    /// How it ended, after its output did.
    pub(crate) fn ending(&mut self) -> String {
        self.process
            .wait_briefly(SETTLED)
            .map_or("it closed its output".to_owned(), |status| {
                status.to_string()
            })
    }

    /// All questions that it leaves unanswered.
    pub(crate) fn abandon(&mut self) -> Vec<PendingQuestion> {
        let watches = std::mem::take(&mut self.watches).into_iter();
        let mut asks = self.pending.abandon();
        asks.extend(watches.map(|watch| watch.ask));
        asks
    }

    /// Lets it end by itself; it is killed if it does not do so at once.
    pub(crate) fn close(mut self) {
        self.send(request(SHUTDOWN, "shutdown", &Value::Null));
        self.send(notification("exit", &Value::Null));
        self.process.wait_briefly(FAREWELL);
    }
}

fn identifier(shown: &ShownDocument) -> Value {
    json!({"uri": uri::of_path(&shown.path)})
}
