//! Durable state: conversations and projects, sessions with their tasks, messages and mode
//! history, approvals, decisions, permits, records of commands and credentials.
//!
//! SQLite in a file that several processes share, or private in memory. Knows nothing of policy
//! or protocols; JSON is an opaque string here. Reads are inline and take microseconds; writes go
//! to one thread, share commits, and are on disk before they resolve. No runtime is needed.

mod act;
mod approval;
mod boot;
mod change;
mod command;
mod conversation;
mod credential;
mod decision;
mod error;
mod link;
mod mark;
mod model;
mod moment;
mod open;
mod postgres;
mod project;
mod project_mode;
mod recent;
mod recover;
mod row;
mod seal;
mod session;
mod sweep;
mod usage;
mod writer;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use mk_types::{Clock, SessionId, TaskId, lock};

use error::Failure;
pub use error::{Error, MarkContent, MissingSubject};
use link::params;
pub use model::{
    AccessRole, AgentSession, Approval, ApprovalFigures, ApprovalState, ApprovalVerdict,
    AuditedChange, CommandFilter, CommandPermit, CommandRecord, Conversation, ConversationGrounds,
    Credential, CredentialKind, DecisionCount, DecisionFilter, DecisionRecord, ModeGrounds,
    ModeReach, ModeSwitch, NewAct, NewApproval, NewCommandPermit, NewCommandRecord,
    NewConversation, NewCredential, NewDecision, NewProjectMode, NewSession, ProcessIdentity,
    Project, ProjectGrounds, Retention, Role, RootDirectory, Ruling, Session, SessionFilter,
    SetProjectMode, StoredMessage, StoredModeChange, StoredPlan, SweptSessions, TaskState,
};
pub use moment::in_one_moment;
use open::{LockWaits, StoreUse};
pub use postgres::{InvalidPostgresUrl, PostgresTrouble, PostgresUrl, StoreReach};
pub use recover::{RecoveredStore, recover};
pub use seal::ChainCheck;
use writer::{SharedStore, Turn};

/// Where the state lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreLocation {
    /// The database file; its folder is created when missing.
    File(PathBuf),
    /// Private to this store, gone with it.
    Memory,
    /// A PostgreSQL that several servers share.
    Postgres(Box<PostgresUrl>),
}

impl fmt::Display for StoreLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Memory => f.write_str(":memory:"),
            Self::Postgres(url) => url.fmt(f),
        }
    }
}

/// How long closing waits for the thread that writes.
const LONGEST_CLOSE: Duration = Duration::from_millis(900);

/// Whether everything was written when the store was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum CloseOutcome {
    Complete,
    CutOff,
}

/// A handle to the state; clones share one database, one reader and one writer thread.
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<StoreInner>,
}

/// Owned by the handles alone: when the last one goes, the thread is told to finish.
#[derive(Debug)]
struct StoreInner {
    shared: Arc<SharedStore>,
    thread: Mutex<Thread>,
}

#[derive(Debug)]
enum Thread {
    NotStarted,
    Running(JoinHandle<()>),
    Ended,
}

impl Store {
    /// Opens nothing yet: the first use does.
    pub fn new(location: StoreLocation, clock: Clock) -> Self {
        Self::used_by(location, clock, StoreUse::Plain)
    }

    /// The same for a server: a read that meets a lock fails soon, because others wait for the
    /// thread it is on.
    pub fn for_server(location: StoreLocation, clock: Clock) -> Self {
        Self::used_by(location, clock, StoreUse::Server)
    }

    /// The same for a process that ends soon, as a command does: it opens one connection, and leaves to others what need
    /// not be done now.
    pub fn for_a_moment(location: StoreLocation, clock: Clock) -> Self {
        Self::used_by(location, clock, StoreUse::Brief)
    }

    /// The same for a process that does one thing at a time: each write is made on its caller's thread.
    pub fn alone(location: StoreLocation, clock: Clock) -> Self {
        Self::used_by(location, clock, StoreUse::Alone)
    }

    /// The same for one that only notes what has happened: after a power failure, its last writes may be missing.
    pub fn for_notes(location: StoreLocation, clock: Clock) -> Self {
        Self::used_by(location, clock, StoreUse::Notes)
    }

    fn used_by(location: StoreLocation, clock: Clock, store_use: StoreUse) -> Self {
        let shared = Arc::new(SharedStore::new(location, clock, store_use));
        let thread = Mutex::new(Thread::NotStarted);
        Self {
            inner: Arc::new(StoreInner { shared, thread }),
        }
    }

    /// Keeps the modes that persons set for projects in this directory too, and compares the database with it when it is
    /// opened, in memory as well. Not for PostgreSQL, which is not lost by cleaning a directory.
    #[must_use]
    pub fn marking_projects_in(self, directory: PathBuf) -> Self {
        if !matches!(self.location(), StoreLocation::Postgres(_)) {
            self.inner.shared.marks.set_directory(directory);
        }
        self
    }

    /// A session, with activity that is noted but not yet written.
    pub fn session(&self, id: &SessionId) -> Result<Option<Session>, Error> {
        let shared = &self.inner.shared;
        let touched = shared.touched(id);
        let question = ("session", id.as_str().to_owned());
        let mut session =
            shared.read_recent(question, |connection| session::find(connection, id))?;
        if let (Some(session), Some(at)) = (&mut session, touched) {
            session.last_activity = session.last_activity.max(at);
        }
        Ok(session)
    }

    /// Whether this id was a session that expired.
    pub fn is_tombstone(&self, id: &SessionId) -> Result<bool, Error> {
        let shared = &self.inner.shared;
        shared.read(|connection| session::is_tombstone(connection, id))
    }

    /// Whether this id was the task of a session that expired.
    pub fn is_tombstone_of_task(&self, id: &TaskId) -> Result<bool, Error> {
        let shared = &self.inner.shared;
        shared.read(|connection| session::is_tombstone_of_task(connection, id))
    }

    pub fn session_of_task(&self, id: &TaskId) -> Result<Option<Session>, Error> {
        let shared = &self.inner.shared;
        match shared.read(|connection| session::id_of_task(connection, id))? {
            Some(id) => self.session(&id),
            None => Ok(None),
        }
    }

    /// The tasks below `task`, in order of creation.
    pub fn children(&self, task: &TaskId) -> Result<Vec<TaskId>, Error> {
        let shared = &self.inner.shared;
        shared.read(|connection| session::children(connection, task))
    }

    /// The conversation, oldest first; empty for an unknown session.
    pub fn messages(&self, id: &SessionId) -> Result<Vec<StoredMessage>, Error> {
        let shared = &self.inner.shared;
        shared.read(|connection| session::messages(connection, id))
    }

    /// The first line of a task's first message, at most 200 characters: what the task is about.
    pub fn title(&self, id: &SessionId) -> Result<Option<String>, Error> {
        let shared = &self.inner.shared;
        shared.read(|connection| session::title(connection, id))
    }

    /// The mode history, oldest first; empty for an unknown session.
    pub fn mode_changes(&self, id: &SessionId) -> Result<Vec<StoredModeChange>, Error> {
        let shared = &self.inner.shared;
        shared.read(|connection| session::mode_changes(connection, id))
    }

    /// Sessions, newest first.
    pub fn sessions(&self, filter: &SessionFilter) -> Result<Vec<Session>, Error> {
        let shared = &self.inner.shared;
        let touched = shared.all_touched();
        let mut sessions = shared.read(|connection| session::list(connection, filter))?;
        for session in &mut sessions {
            if let Some(at) = touched.get(&session.id) {
                session.last_activity = session.last_activity.max(*at);
            }
        }
        Ok(sessions)
    }

    /// A number that changes whenever anybody, here or in another process, wrote.
    pub fn data_version(&self) -> Result<i64, Error> {
        let shared = &self.inner.shared;
        match (&shared.location, &shared.postgres) {
            (_, Some(postgres)) => postgres.version(),
            (StoreLocation::File(_), None) => shared.read(|connection| {
                let version: Option<i64> =
                    connection.first("PRAGMA data_version", params![], |row| row.get(0))?;
                // What this very connection wrote does not count there.
                let own = match shared.has_one_connection() {
                    true => shared.commits(),
                    false => 0,
                };
                Ok(version.unwrap_or_default() + own)
            }),
            (StoreLocation::Memory | StoreLocation::Postgres(_), None) => Ok(shared.commits()),
        }
    }

    /// The clock that its times are of: where servers share a database, the database's.
    pub fn clock(&self) -> Clock {
        self.inner.shared.clock.clone()
    }

    pub fn location(&self) -> &StoreLocation {
        &self.inner.shared.location
    }

    /// Whether nothing of it runs in a thread.
    pub fn needs_no_thread(&self) -> bool {
        let is_started = !matches!(*lock(&self.inner.thread), Thread::NotStarted);
        self.inner.shared.writes_here() && !is_started
    }

    /// Whether anything can be stored yet. Reading would make a database that is not there.
    pub fn exists(&self) -> bool {
        match &self.inner.shared.location {
            StoreLocation::File(path) => path.exists(),
            StoreLocation::Memory | StoreLocation::Postgres(_) => true,
        }
    }

    /// Whether the database is in reach. While it is not, reads get what was known before, and what they allow must not
    /// change anything.
    pub fn reach(&self) -> StoreReach {
        let postgres = self.inner.shared.postgres.as_ref();
        postgres.map_or(StoreReach::ALWAYS, postgres::Postgres::reach)
    }

    /// Notes that a session is in use now. In memory first; written within about a second, and
    /// then counted for its ancestors too.
    pub fn touch(&self, id: &SessionId) {
        match self.start() {
            Ok(()) => self.inner.shared.touch(id),
            Err(Error::Closed) => {}
            Err(error) => tracing::warn!(%error, "the activity of a session is not written"),
        }
    }

    /// Creates a session with its first message; a parent must exist and be active.
    pub async fn create(&self, new: NewSession) -> Result<Session, Error> {
        self.write(move |turn| session::create(turn, &new)).await
    }

    /// Changes the mode if the session is still in `change.from`; the same mode is recorded too.
    pub async fn switch(&self, change: ModeSwitch) -> Result<Session, Error> {
        self.write(move |turn| session::switch(turn, &change)).await
    }

    /// Ends an active task.
    pub async fn finish(
        &self,
        session: &SessionId,
        state: TaskState,
        result: Option<String>,
    ) -> Result<Session, Error> {
        let id = session.clone();
        self.write(move |turn| session::finish(turn, &id, state, result.as_deref()))
            .await
    }

    /// Adds to the conversation of an active task.
    pub async fn add_message(
        &self,
        session: &SessionId,
        role: Role,
        content: String,
    ) -> Result<(), Error> {
        let id = session.clone();
        self.write(move |turn| session::add_message(turn, &id, role, &content))
            .await
    }

    /// Writes a whole copy of the database, as it is now, to `target`; other processes go on.
    pub fn back_up(&self, target: &Path) -> Result<(), Error> {
        self.flush();
        let shared = &self.inner.shared;
        let location = &shared.location;
        match location {
            StoreLocation::Memory => {
                shared.read_sqlite(|connection| open::copy_to(connection, target))
            }
            // Not the reader's connection: it would be occupied, and may not write anything.
            StoreLocation::File(_) => {
                let purpose = open::ConnectionPurpose::Write;
                let opened = open::open(location, purpose, LockWaits::PATIENT, &shared.marks)?;
                open::copy_to(&opened.connection, target).map_err(|failure| failure.at(location))
            }
            StoreLocation::Postgres(_) => Err(Error::NotAFile {
                location: location.clone(),
            }),
        }
    }

    /// Writes noted activity and queued decisions now; returns when it is on disk, at the latest after two seconds.
    pub fn flush(&self) {
        self.inner.shared.flush();
    }

    /// Writes everything that is queued and ends the thread; later writes are refused. Tells
    /// whether all was written: what another process's lock holds up is left after a second, and
    /// was acknowledged to nobody.
    pub fn close(&self) -> CloseOutcome {
        self.inner.close()
    }

    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Turn<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Error> {
        let permit = self.inner.shared.room().await?;
        if self.inner.shared.writes_here() {
            // Held, so that no thread starts meanwhile.
            let thread = lock(&self.inner.thread);
            if matches!(*thread, Thread::NotStarted) {
                return self.inner.shared.write_here(permit, work);
            }
        }
        self.start()?;
        let answer = self.inner.shared.submit(permit, work)?;
        // A job that panicked answers nothing.
        answer.await.unwrap_or(Err(Error::Panicked))
    }

    /// Queues a write that nobody waits for.
    fn write_soon(
        &self,
        work: impl FnOnce(&Turn<'_>) -> Result<(), Failure> + Send + 'static,
    ) -> Result<(), Error> {
        let permit = self.inner.shared.room_now()?;
        self.start()?;
        drop(self.inner.shared.submit(permit, work)?);
        Ok(())
    }

    /// Starts the writer thread at the first write.
    fn start(&self) -> Result<(), Error> {
        let mut thread = lock(&self.inner.thread);
        match *thread {
            Thread::Running(_) => Ok(()),
            Thread::Ended => Err(Error::Closed),
            Thread::NotStarted => {
                let shared = Arc::clone(&self.inner.shared);
                let started = std::thread::Builder::new()
                    .name("mk-store".to_owned())
                    .spawn(move || shared.run());
                *thread = Thread::Running(started.map_err(|source| Error::Thread {
                    location: self.inner.shared.location.clone(),
                    source: Arc::new(source),
                })?);
                Ok(())
            }
        }
    }
}

impl StoreInner {
    fn close(&self) -> CloseOutcome {
        self.shared.begin_closing();
        let thread = std::mem::replace(&mut *lock(&self.thread), Thread::Ended);
        let Thread::Running(handle) = thread else {
            self.shared.release();
            return CloseOutcome::Complete;
        };
        if !self.shared.wait_for_end(LONGEST_CLOSE) {
            tracing::error!("the store is locked: not everything was written");
            return CloseOutcome::CutOff;
        }
        match handle.join() {
            Ok(()) if self.shared.is_drained() => CloseOutcome::Complete,
            Ok(()) => CloseOutcome::CutOff,
            Err(_) => {
                tracing::error!("the thread that writes the store panicked");
                CloseOutcome::CutOff
            }
        }
    }
}

impl Drop for StoreInner {
    fn drop(&mut self) {
        if self.close() == CloseOutcome::CutOff {
            tracing::error!("the store was closed before everything was written");
        }
    }
}

#[cfg(test)]
mod tests;
