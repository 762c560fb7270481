//! Language servers, where an answer must be exact: a client of our own for any server that speaks over its pipes.
//!
//! Each language of a project has at most one server and one thread that looks after it (`supervisor`). Servers are
//! started by the first question and die with us. Nothing here writes to the project: a rename is a plan.

mod ask;
mod capability;
mod document;
mod edit;
mod error;
mod frame;
mod inquiry;
mod install;
mod locate;
mod message;
mod operation;
mod options;
mod pending;
mod pipe;
mod position;
mod process;
mod progress;
mod published;
mod running;
mod status;
mod supervisor;
mod symbol;
mod table;
mod uri;
mod workspace;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use mk_types::{AbsPath, ProjectPath, lock, unpoisoned};
use tokio::sync::{oneshot, watch};

use ask::{AnswerReadiness, PendingQuestion, ServerQuestion, ServerReply};
use document::ShownDocument;
use supervisor::{Duty, Event, supervise};
use table::ServedLanguage;

pub use document::ChangeKind;
pub use edit::{FileEdits, FileMove, ServerRenamePlan, TextEdit};
pub use error::ServerError;
pub use install::InstallPlan;
pub use operation::{
    AttributedAnswer, FileLocation, ServerDiagnostic, ServerSeverity, SourceDocument,
};
pub use options::{Limits, ProjectCode, ServerOptions, WallLauncher};
pub use status::{Health, ServerStatus};
pub use symbol::{FoundSymbol, OutlineSymbol};
pub use table::{CustomServer, WarmSign};
pub use uri::FileRef;

/// Languages whose files tell servers of other languages how to read theirs: `tsconfig.json`, `compile_commands.json`.
const DATA: [&str; 2] = ["json", "yaml"];

/// A file that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskChange {
    pub path: ProjectPath,
    pub kind: ChangeKind,
}

/// A server that is known for a language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownServer {
    pub language: String,
    pub name: String,
    /// Its program, if it is there; whether it works is seen when it is started.
    pub program: Option<PathBuf>,
    /// Whether it runs for this project, and how it is doing.
    pub status: Option<ServerStatus>,
}

/// The language servers of one project.
///
/// Dropping it kills them all, and waits for nothing.
#[derive(Debug)]
pub struct Servers {
    root: AbsPath,
    options: Arc<ServerOptions>,
    languages: Vec<ServedLanguage>,
    tickets: AtomicU64,
    handles: Mutex<BTreeMap<String, Handle>>,
}

#[derive(Debug, Clone)]
struct Handle {
    events: Sender<Event>,
    status: watch::Receiver<ServerStatus>,
}

impl Drop for Servers {
    fn drop(&mut self) {
        for handle in unpoisoned(self.handles.get_mut()).values() {
            drop(handle.events.send(Event::End));
        }
    }
}

impl Servers {
    /// Starts nothing. `root` is a folder's real name: servers answer with real names.
    pub fn new(root: AbsPath, options: ServerOptions) -> Self {
        Self {
            languages: table::languages(&options.custom),
            root,
            options: Arc::new(options),
            tickets: AtomicU64::new(0),
            handles: Mutex::new(BTreeMap::new()),
        }
    }

    /// The language of a file, if a server is known for it.
    pub fn language_of(&self, path: &ProjectPath) -> Option<&str> {
        self.language_at(path)
            .map(|(language, _)| language.name.as_str())
    }

    fn language_at(&self, path: &ProjectPath) -> Option<(&ServedLanguage, &str)> {
        self.languages
            .iter()
            .find_map(|language| Some((language, language.document_language(path.as_str())?)))
    }

    /// The name of a language, which people call by several.
    pub fn language_called(&self, name: &str) -> Result<&str, ServerError> {
        Ok(&self.language(name)?.name)
    }

    fn language(&self, name: &str) -> Result<&ServedLanguage, ServerError> {
        self.languages
            .iter()
            .find(|language| language.is_called(name))
            .ok_or_else(|| ServerError::UnknownLanguage {
                name: name.to_owned(),
            })
    }

    /// Every server that is known, and which of them are there. Looks at the disk, runs nothing.
    pub fn list(&self) -> Vec<KnownServer> {
        let mut known = Vec::new();
        for language in &self.languages {
            let status = self.status_of(&language.name);
            for server in &language.servers {
                let own = |status: &ServerStatus| status.server.as_ref() == Some(&server.name);
                known.push(KnownServer {
                    language: language.name.clone(),
                    name: server.name.clone(),
                    program: locate::locate(server, &self.root, &self.options),
                    status: status.clone().filter(own),
                });
            }
        }
        known
    }

    /// Whether a program of a server for a language is there. Looks at the disk.
    pub fn is_installed(&self, language: &str) -> bool {
        let is_there =
            |server: &table::ServerRow| locate::locate(server, &self.root, &self.options).is_some();
        self.language(language)
            .is_ok_and(|language| language.servers.iter().any(is_there))
    }

    /// What a server says of its version. Runs its program, which may take a second.
    pub fn version(&self, server: &KnownServer) -> Option<String> {
        locate::version(server.program.as_deref()?, &self.root, &self.options)
    }

    /// How a language's servers can be installed, the preferred one first; empty if only its maker offers it.
    pub fn install_plans(&self, language: &str) -> Result<Vec<InstallPlan>, ServerError> {
        Ok(install::plans(
            self.language(language)?,
            &self.options.tools,
        ))
    }

    /// The languages for which a server was asked for so far.
    pub fn status(&self) -> Vec<ServerStatus> {
        let handles = self.lock();
        let status = |handle: &Handle| handle.status.borrow().clone();
        handles.values().map(status).collect()
    }

    fn status_of(&self, language: &str) -> Option<ServerStatus> {
        let handles = self.lock();
        handles
            .get(language)
            .map(|handle| handle.status.borrow().clone())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Handle>> {
        lock(&self.handles)
    }

    /// Tells the servers that run what has changed on disk. A file that a question shows need not be told.
    pub fn files_changed(&self, changes: &[DiskChange]) {
        for (language, handle) in self.lock().iter() {
            // Files of no language, and data, may be anything: manifests, settings, generated code.
            let concerns = |change: &&DiskChange| {
                let of = self.language_of(&change.path);
                of.is_none_or(|of| of == language || DATA.contains(&of))
            };
            let changes: Vec<DiskChange> = changes.iter().filter(concerns).cloned().collect();
            drop(handle.events.send(Event::Changed(changes)));
        }
    }

    /// Ends a language's server; the next question starts it again.
    pub async fn stop(&self, language: &str) -> Result<(), ServerError> {
        let handle = self.handle(self.language(language)?)?;
        let (done, stopped) = oneshot::channel();
        drop(handle.events.send(Event::Stop(done)));
        stopped.await.map_err(|_| ServerError::Stopped)
    }

    /// Ends a language's server, forgets its failures, and starts it; returns its process.
    pub async fn restart(&self, language: &str) -> Result<AttributedAnswer<u32>, ServerError> {
        self.stop(language).await?;
        let language = self.language(language)?;
        let reply = self.ask(
            language,
            ServerQuestion::Presence,
            None,
            AnswerReadiness::Initialized,
        );
        let reply = reply.await?;
        Ok(AttributedAnswer {
            server: reply.server,
            value: reply.pid,
        })
    }

    /// Starts a language's server if need be, and waits until it has read the project.
    pub async fn warm_up(
        &self,
        language: &str,
        mut progress: impl FnMut(&ServerStatus),
    ) -> Result<AttributedAnswer<u32>, ServerError> {
        let language = self.language(language)?;
        let mut status = self.handle(language)?.status;
        let ask = self.ask(
            language,
            ServerQuestion::Presence,
            None,
            AnswerReadiness::Warm,
        );
        tokio::pin!(ask);
        let reply = loop {
            tokio::select! {
                biased;
                reply = &mut ask => break reply?,
                Ok(()) = status.changed() => progress(&status.borrow_and_update()),
            }
        };
        Ok(AttributedAnswer {
            server: reply.server,
            value: reply.pid,
        })
    }

    /// Asks the server for a document's language.
    async fn ask_about(
        &self,
        document: &SourceDocument,
        question: ServerQuestion,
        when: AnswerReadiness,
    ) -> Result<ServerReply, ServerError> {
        let (language, document_language) =
            self.language_at(&document.path)
                .ok_or_else(|| ServerError::UnknownLanguage {
                    name: document.path.to_string(),
                })?;
        let shown = ShownDocument {
            path: document.path.under(&self.root),
            language: document_language.to_owned(),
            text: Arc::clone(&document.text),
        };
        self.ask(language, question, Some(shown), when).await
    }

    async fn ask(
        &self,
        language: &ServedLanguage,
        question: ServerQuestion,
        document: Option<ShownDocument>,
        when: AnswerReadiness,
    ) -> Result<ServerReply, ServerError> {
        let handle = self.handle(language)?;
        let (answer, answered) = oneshot::channel();
        let ticket = self.tickets.fetch_add(1, Ordering::Relaxed);
        let ask = PendingQuestion {
            ticket,
            question,
            document,
            shown_to: None,
            when,
            asked: Instant::now(),
            not_before: None,
            answer,
        };
        // A caller that goes away before the answer must not leave the server working for nobody.
        let mut waiting = CancelQuestionOnDrop {
            events: handle.events,
            ticket: Some(ticket),
        };
        drop(waiting.events.send(Event::Ask(Box::new(ask))));
        let reply = answered.await.unwrap_or(Err(ServerError::Stopped));
        waiting.ticket = None;
        reply
    }

    fn handle(&self, language: &ServedLanguage) -> Result<Handle, ServerError> {
        let mut handles = self.lock();
        if let Some(handle) = handles.get(&language.name) {
            return Ok(handle.clone());
        }
        let (events, received) = channel();
        let (status, shown) = watch::channel(ServerStatus {
            language: language.name.clone(),
            server: None,
            pid: None,
            health: Health::Stopped,
            n_starts: 0,
        });
        let duty = Duty {
            language: language.clone(),
            root: self.root.clone(),
            options: Arc::clone(&self.options),
            status,
            events: events.clone(),
        };
        process::thread(&language.name)
            .spawn(move || supervise(duty, &received))
            .map_err(|error| ServerError::Start {
                server: language.name.clone(),
                reason: error.to_string(),
                stderr: Vec::new(),
            })?;
        let handle = Handle {
            events,
            status: shown,
        };
        handles.insert(language.name.clone(), handle.clone());
        Ok(handle)
    }
}

/// Cancels a question when it is dropped.
struct CancelQuestionOnDrop {
    events: Sender<Event>,
    /// `None` once it is answered.
    ticket: Option<u64>,
}

impl Drop for CancelQuestionOnDrop {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            drop(self.events.send(Event::Forget(ticket)));
        }
    }
}

#[cfg(test)]
mod tests;
