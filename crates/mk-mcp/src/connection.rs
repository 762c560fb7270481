//! What a server shares among its connections, and what belongs to one of them.

#![expect(
    deprecated,
    reason = "logging is deprecated from 2026-07-28 on; older clients use it"
)]

mod memory;

use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use axum::extract::ConnectInfo;
use axum::http::request::Parts;
use mk_engine::{
    Actor, AgentLimits, AgentLink, Caller, CallerConversation, Ceiling, Engine, Error, OthersTasks,
    ProjectStanding, StartDirectory,
};
use mk_tools::{CallAllowance, Limiter, Tool, Toolset};
use mk_types::{AbsPath, ConversationId, ModeSlug, SessionId, lock};
use rmcp::RoleServer;
use rmcp::model::{Extensions, LoggingLevel, RequestStateCodec};
use rmcp::service::RequestContext;
use tokio::sync::{Notify, Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use memory::{ConversationMemory, session_name};

use crate::era::{Era, client_name};
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
pub struct McpServer {
    inner: Arc<SharedConnection>,
}

#[derive(Debug)]
struct SharedConnection {
    engine: Engine,
    version: String,
    start: StartDirectory,
    /// The families of tools that are offered.
    toolsets: Vec<Toolset>,
    /// `None` where calls are not limited.
    limiter: Option<Limiter>,
    /// What nothing on this server may exceed.
    ceiling: Option<Ceiling>,
    /// The agent that started this server, where it serves one.
    agent: Option<AgentLink>,
    attended: Attended,
    calls: Semaphore,
    waiting: Semaphore,
    connections: AtomicUsize,
    /// What sessions over HTTP remember, by their name on the wire.
    memories: Mutex<HashMap<String, Arc<Mutex<ConversationMemory>>>>,
    closing: CancellationToken,
    request_state: RequestStateCodec,
}

/// Whether a person is asked elsewhere in a conversation.
struct Attended(Box<dyn Fn(&ConversationId) -> bool + Send + Sync>);

impl fmt::Debug for Attended {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Attended")
    }
}

/// What a credential allows, looked up.
#[derive(Debug, Default)]
struct CredentialLimits {
    ceilings: Vec<Ceiling>,
    /// Empty for all.
    projects: Vec<AbsPath>,
    answers: bool,
    others: OthersTasks,
    conversation: Option<ConversationId>,
    /// The agent that a request may come from, by its process.
    agent: Option<AgentLink>,
}

/// One connection: where it came in, and what it is about.
#[derive(Debug)]
pub struct Connection {
    server: McpServer,
    /// The ceilings of the endpoint and of the server.
    ceilings: Vec<Ceiling>,
    /// What the credential allows that the connection was made with.
    limits: CredentialLimits,
    /// Shared with the server once the session has a name, because a session over HTTP may rest and wake up.
    memory: Mutex<Arc<Mutex<ConversationMemory>>>,
    roots: Roots,
    /// It has the memory of its session, which has a name.
    is_named: AtomicBool,
    /// Somebody tells this connection of changes already.
    told: AtomicBool,
    streams: Semaphore,
    /// A call on this connection may have changed the mode in force.
    acted: Arc<Notify>,
    /// Cancelled when nobody serves this connection any more.
    gone: CancellationToken,
}

impl McpServer {
    /// `version` is the product's; `start` is where calls work that name no task.
    pub fn new(engine: Engine, version: &str, start: StartDirectory) -> Self {
        let inner = SharedConnection {
            engine,
            version: version.to_owned(),
            start,
            toolsets: Toolset::DEFAULT.to_vec(),
            limiter: None,
            ceiling: None,
            agent: None,
            attended: Attended(Box::new(|_| false)),
            calls: Semaphore::new(MOST_CALLS),
            waiting: Semaphore::new(MOST_WAITING),
            connections: AtomicUsize::new(0),
            memories: Mutex::default(),
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

    /// Serves the agent that started this process: its hook and this server are one conversation.
    #[must_use]
    pub fn with_agent(mut self, agent: AgentLink) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.agent = Some(agent);
        }
        self
    }

    /// Knows the conversations whose requests another process shows to a person, as an editor's proxy does.
    #[must_use]
    pub fn with_attended(
        mut self,
        attended: impl Fn(&ConversationId) -> bool + Send + Sync + 'static,
    ) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.attended = Attended(Box::new(attended));
        }
        self
    }

    pub(crate) fn is_attended(&self, conversation: &ConversationId) -> bool {
        (self.inner.attended.0)(conversation)
    }

    /// Offers only some families of tools: clients cap how many they take.
    #[must_use]
    pub fn with_toolsets(mut self, toolsets: Vec<Toolset>) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.toolsets = toolsets;
        }
        self
    }

    /// Caps every connection.
    #[must_use]
    pub fn with_ceiling(mut self, ceiling: Option<Ceiling>) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.ceiling = ceiling;
        }
        self
    }

    /// Limits how often each session calls a tool.
    #[must_use]
    pub fn with_limiter(mut self, limiter: Limiter) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.limiter = Some(limiter);
        }
        self
    }

    pub(crate) fn offers(&self, family: Toolset) -> bool {
        self.inner.toolsets.contains(&family)
    }

    /// Opens a connection; an error when there are too many.
    pub fn connect(&self, endpoint: Option<Ceiling>) -> std::io::Result<Connection> {
        // The client that starts this server asks for itself, as an editor does.
        let own = AgentLimits {
            answers: true,
            ..AgentLimits::default()
        };
        self.connect_within(endpoint, &own)
    }

    /// The same within what a credential allows.
    pub fn connect_within(
        &self,
        endpoint: Option<Ceiling>,
        limits: &AgentLimits,
    ) -> std::io::Result<Connection> {
        let limits = self.look_up(limits).map_err(std::io::Error::other)?;
        let before = self.inner.connections.fetch_add(1, Ordering::Relaxed);
        let connection = Connection {
            server: self.clone(),
            ceilings: self.inner.ceiling.iter().cloned().chain(endpoint).collect(),
            memory: Mutex::new(Arc::new(Mutex::new(ConversationMemory::new(&limits)))),
            limits,
            roots: Roots::default(),
            is_named: AtomicBool::new(false),
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

    fn look_up(&self, limits: &AgentLimits) -> Result<CredentialLimits, Error> {
        let modes = limits.modes.iter();
        let ceiling = |mode: &ModeSlug| self.engine().modes().ceiling(mode.as_str());
        let ceilings = modes.map(|mode| Ok(ceiling(mode)?.of_token()));
        Ok(CredentialLimits {
            ceilings: ceilings.collect::<Result<_, Error>>()?,
            projects: limits.projects.clone(),
            answers: limits.answers,
            others: limits.others,
            conversation: limits.conversation(),
            agent: limits.agent.clone(),
        })
    }

    pub fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    pub fn start(&self) -> &StartDirectory {
        &self.inner.start
    }

    /// Ends waiting calls: their clients are gone, or the process is about to be.
    pub fn closing(&self) -> &CancellationToken {
        &self.inner.closing
    }

    /// A session over HTTP is over, and with it what it remembered.
    pub(crate) fn forget(&self, session: &str) {
        self.memories().remove(session);
    }

    fn memories(&self) -> MutexGuard<'_, HashMap<String, Arc<Mutex<ConversationMemory>>>> {
        lock(&self.inner.memories)
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
    pub(crate) fn server(&self) -> &McpServer {
        &self.server
    }

    pub(crate) fn engine(&self) -> &Engine {
        self.server.engine()
    }

    /// Whether the client of a request is believed to have asked a person: one that started this server, or an
    /// operator's. Over HTTP an agent's own program could say so, too.
    pub(crate) fn answers(&self, context: &RequestContext<RoleServer>) -> bool {
        match context.extensions.get::<Parts>() {
            Some(parts) => {
                let limits = parts.extensions.get::<AgentLimits>();
                limits.is_some_and(|limits| limits.answers)
            }
            None => self.limits.answers,
        }
    }

    /// On whose behalf a request comes, within what its own credential allows: the holder's next token may allow more
    /// or less than the one that the session began with.
    pub(crate) fn caller_of(&self, context: &RequestContext<RoleServer>) -> Result<Caller, Error> {
        let mut caller = self.caller(Era::of(context));
        caller.client = client_name(context);
        if let (Some(id), Some(name)) = (&caller.conversation.id, &caller.client) {
            self.engine().conversations().introduce(id, name);
        }
        let parts = context.extensions.get::<Parts>();
        if let Some(limits) = parts.and_then(|parts| parts.extensions.get::<AgentLimits>()) {
            let limits = self.server.look_up(limits)?;
            caller.ceilings = self
                .ceilings
                .iter()
                .cloned()
                .chain(limits.ceilings)
                .collect();
            let own = &mut caller.conversation.id;
            *own = own.take().or(limits.conversation);
            caller.within = limits.projects;
            caller.others = limits.others;
            caller.agent = limits.agent.or(caller.agent);
        }
        Ok(caller)
    }

    /// On whose behalf a request comes. What the connection did before counts only where connections mean something.
    pub(crate) fn caller(&self, era: Era) -> Caller {
        let (conversation, project, roots) = match era {
            Era::Connected => (self.conversation(), self.project(), self.roots.known()),
            Era::Stateless => (CallerConversation::default(), None, Vec::new()),
        };
        let start = self.server.start();
        let (project, standing) = match project {
            Some(project) => (project, ProjectStanding::InProject),
            None => match (start, roots.first()) {
                (StartDirectory::Found(_) | StartDirectory::Nowhere(_), Some(root)) => {
                    (root.clone(), ProjectStanding::InProject)
                }
                _ => (start.folder().clone(), start.standing()),
            },
        };
        Caller {
            project,
            standing,
            ceilings: self
                .ceilings
                .iter()
                .chain(&self.limits.ceilings)
                .cloned()
                .collect(),
            conversation,
            mode: None,
            agent: self.agent(),
            client: None,
            roots,
            within: self.limits.projects.clone(),
            others: self.limits.others,
            actor: Actor::Agent,
        }
    }

    /// The agent that started this server, or that opened this connection.
    fn agent(&self) -> Option<AgentLink> {
        let own = self.server.inner.agent.as_ref();
        own.or(self.limits.agent.as_ref()).cloned()
    }

    pub(crate) fn roots(&self) -> &Roots {
        &self.roots
    }

    /// Before a request whose project may be one of the client's roots.
    pub(crate) async fn find_project(&self, context: &RequestContext<RoleServer>) {
        let settled =
            matches!(self.server.start(), StartDirectory::Named(_)) || self.project().is_some();
        if Era::of(context) == Era::Connected && !settled {
            self.roots.learn(&context.peer).await;
        }
    }

    /// Gives this connection the memory of its session: its own from now on, or what the session had before it rested.
    pub(crate) fn remember_as(&self, session: &str) {
        self.is_named.store(true, Ordering::Release);
        let mut memory = lock(&self.memory);
        let mut memories = self.server.memories();
        match memories.get(session) {
            Some(known) => *memory = Arc::clone(known),
            None => drop(memories.insert(session.to_owned(), Arc::clone(&memory))),
        }
    }

    /// Before a request that may change what is remembered: a session over HTTP has a name from its second message on.
    pub(crate) fn recognise(&self, extensions: &Extensions) {
        if self.is_named.load(Ordering::Acquire) {
            return;
        }
        if let Some(session) = session_name(extensions) {
            self.remember_as(session);
        }
    }

    /// Whose bucket of calls is taken from: the session's, else the address's, which is none on stdio.
    pub(crate) fn take_call(
        &self,
        tool: &Tool,
        extensions: &Extensions,
    ) -> Option<Result<CallAllowance, CallAllowance>> {
        let limiter = self.server.inner.limiter.as_ref()?;
        if let Some(session) = session_name(extensions) {
            return limiter.take(tool, session);
        }
        let parts = extensions.get::<Parts>()?;
        let address = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let client = address.map(|address| address.ip().to_string());
        limiter.take(tool, client.as_deref().unwrap_or_default())
    }

    fn with_memory<T>(&self, look: impl FnOnce(&mut ConversationMemory) -> T) -> T {
        let memory = lock(&self.memory);
        let mut memory = lock(&memory);
        look(&mut memory)
    }

    fn project(&self) -> Option<AbsPath> {
        self.with_memory(|memory| memory.project.clone())
    }

    pub(crate) fn set_project(&self, project: AbsPath) {
        self.with_memory(|memory| memory.project = Some(project));
    }

    pub(crate) fn conversation(&self) -> CallerConversation {
        self.with_memory(|memory| memory.conversation.clone())
    }

    /// Makes a task the innermost of this conversation.
    pub(crate) fn enter(&self, session: SessionId) {
        self.with_memory(|memory| memory.conversation.enter(session));
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
        self.with_memory(|memory| memory.log_level)
    }

    pub(crate) fn set_log_level(&self, level: LoggingLevel) {
        self.with_memory(|memory| memory.log_level = Some(level));
    }
}
