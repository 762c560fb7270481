//! What a server shares among its connections, and what one connection remembers.

#![expect(
    deprecated,
    reason = "logging is deprecated from 2026-07-28 on; older clients use it"
)]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use mk_engine::{Actor, Caller, Engine, Standing, Start};
use mk_tools::Family;
use mk_types::{AbsPath, ModeSlug, SessionId};
use rmcp::RoleServer;
use rmcp::model::{LoggingLevel, RequestStateCodec};
use rmcp::service::RequestContext;
use tokio::sync::{Notify, Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use crate::era::Era;
use crate::roots::Roots;

/// Calls that run at the same time in one process; more wait their turn.
const MOST_CALLS: usize = 256;
/// Calls that wait for a person at the same time. They do not count above: people are slow, and others must not wait for them.
const MOST_WAITING: usize = 256;
/// Streams of changes that one connection may have open.
const MOST_STREAMS: usize = 64;
/// Connections at the same time; each holds little, but not nothing.
const MOST_CONNECTIONS: usize = 10_000;

/// What all connections of a process share. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Server {
    inner: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    engine: Engine,
    version: String,
    start: Start,
    /// The families of tools that are offered.
    toolsets: Vec<Family>,
    calls: Semaphore,
    waiting: Semaphore,
    connections: AtomicUsize,
    closing: CancellationToken,
    request_state: RequestStateCodec,
}

/// One connection: where it came in, and what it is about.
#[derive(Debug)]
pub struct Connection {
    server: Server,
    /// The mode of the endpoint.
    bound: Option<ModeSlug>,
    current: Mutex<Option<SessionId>>,
    /// The project this connection has activated.
    project: Mutex<Option<AbsPath>>,
    roots: Roots,
    log_level: Mutex<Option<LoggingLevel>>,
    /// Somebody tells this connection of changes already.
    told: AtomicBool,
    streams: Semaphore,
    /// A call on this connection may have changed the mode in force.
    acted: Arc<Notify>,
    /// Cancelled when nobody serves this connection any more.
    gone: CancellationToken,
}

impl Server {
    /// `version` is the product's; `start` is where calls work that name no task.
    pub fn new(engine: Engine, version: &str, start: Start) -> Self {
        let inner = Shared {
            engine,
            version: version.to_owned(),
            start,
            toolsets: Family::ALL.to_vec(),
            calls: Semaphore::new(MOST_CALLS),
            waiting: Semaphore::new(MOST_WAITING),
            connections: AtomicUsize::new(0),
            closing: CancellationToken::new(),
            // State that clients carry for us is good for one run of the server. Two ids are 164 random bits.
            request_state: RequestStateCodec::new_unchecked(format!(
                "{}{}",
                SessionId::random(),
                SessionId::random()
            )),
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// Offers only some families of tools: clients cap how many they take.
    #[must_use]
    pub fn with_toolsets(mut self, toolsets: Vec<Family>) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.toolsets = toolsets;
        }
        self
    }

    pub(crate) fn offers(&self, family: Family) -> bool {
        self.inner.toolsets.contains(&family)
    }

    /// Opens a connection; an error when there are too many.
    pub fn connect(&self, bound: Option<ModeSlug>) -> std::io::Result<Connection> {
        let before = self.inner.connections.fetch_add(1, Ordering::Relaxed);
        let connection = Connection {
            server: self.clone(),
            bound,
            current: Mutex::default(),
            project: Mutex::default(),
            roots: Roots::default(),
            log_level: Mutex::default(),
            told: AtomicBool::new(false),
            streams: Semaphore::new(MOST_STREAMS),
            acted: Arc::default(),
            gone: CancellationToken::new(),
        };
        if before >= MOST_CONNECTIONS {
            return Err(std::io::Error::other("too many connections"));
        }
        Ok(connection)
    }

    pub fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    pub fn start(&self) -> &Start {
        &self.inner.start
    }

    /// Ends waiting calls: their clients are gone, or the process is about to be.
    pub fn closing(&self) -> &CancellationToken {
        &self.inner.closing
    }

    #[cfg(test)]
    pub(crate) fn connections(&self) -> usize {
        self.inner.connections.load(Ordering::Relaxed)
    }

    pub(crate) fn version(&self) -> &str {
        &self.inner.version
    }

    /// Waits for a turn to work. `None` never comes: the semaphore is not closed.
    pub(crate) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        self.inner.calls.acquire().await.ok()
    }

    /// Room to wait for a person, if there is any.
    pub(crate) fn patience(&self) -> Option<SemaphorePermit<'_>> {
        self.inner.waiting.try_acquire().ok()
    }

    pub(crate) fn request_state(&self) -> &RequestStateCodec {
        &self.inner.request_state
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.gone.cancel();
        self.server
            .inner
            .connections
            .fetch_sub(1, Ordering::Relaxed);
    }
}

impl Connection {
    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    pub(crate) fn engine(&self) -> &Engine {
        self.server.engine()
    }

    /// On whose behalf a request comes. What the connection did before counts only where connections mean something.
    pub(crate) fn caller(&self, era: Era) -> Caller {
        let (current, project, roots) = match era {
            Era::Connected => (self.current(), self.project(), self.roots.known()),
            Era::Stateless => (None, None, Vec::new()),
        };
        let start = self.server.start();
        let (project, standing) = match project.or_else(|| self.engine().active_project()) {
            Some(project) => (project, Standing::InProject),
            None => match (start, roots.first()) {
                (Start::Found(_) | Start::Nowhere(_), Some(root)) => {
                    (root.clone(), Standing::InProject)
                }
                _ => (start.folder().clone(), start.standing()),
            },
        };
        Caller {
            project,
            standing,
            bound: self.bound.clone(),
            current,
            roots,
            actor: Actor::Agent,
        }
    }

    pub(crate) fn roots(&self) -> &Roots {
        &self.roots
    }

    /// Before a request whose project may be one of the client's roots.
    pub(crate) async fn find_project(&self, context: &RequestContext<RoleServer>) {
        let settled = matches!(self.server.start(), Start::Named(_)) || self.project().is_some();
        if Era::of(context) == Era::Connected && !settled {
            self.roots.learn(&context.peer).await;
        }
    }

    fn project(&self) -> Option<AbsPath> {
        self.project
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn set_project(&self, project: AbsPath) {
        *self.project.lock().unwrap_or_else(PoisonError::into_inner) = Some(project);
    }

    pub(crate) fn current(&self) -> Option<SessionId> {
        self.current
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn set_current(&self, session: SessionId) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(session);
    }

    /// True for the first who asks: a client that says `initialized` twice is told everything once.
    pub(crate) fn start_telling(&self) -> bool {
        !self.told.swap(true, Ordering::Relaxed)
    }

    /// Room for one more stream of changes, if there is any.
    pub(crate) fn stream(&self) -> Option<SemaphorePermit<'_>> {
        self.streams.try_acquire().ok()
    }

    /// Rings when a call on this connection may have changed the mode in force.
    pub(crate) fn acted(&self) -> &Arc<Notify> {
        &self.acted
    }

    pub(crate) fn gone(&self) -> &CancellationToken {
        &self.gone
    }

    pub(crate) fn log_level(&self) -> Option<LoggingLevel> {
        *self
            .log_level
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_log_level(&self, level: LoggingLevel) {
        *self
            .log_level
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(level);
    }
}
