//! The proxy as a whole: two pumps, what they share, and how a conversation ends.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mk_clients::{AcpCall, AcpHabits, ClientId, ToolUse, acp_habits};
use mk_engine::{Engine, HookSettings};
use mk_policy::Mode;
use mk_types::{AbsPath, ConversationId, lock, random_symbols};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, oneshot};

use crate::alias::Aliases;
use crate::error::{Error, RequestRefusal};
use crate::grant::ModeRights;
use crate::line::{LineReader, Outlet};
use crate::message::{self, Id};
use crate::open::SessionOpening;
use crate::passthrough::relay;
use crate::process::{AgentProcess, RunningAgent};
use crate::session::AcpSession;
use crate::trace::{LineDirection, TraceFile};

/// How long an agent may take to end after its input has.
pub(crate) const ENDING: Duration = Duration::from_secs(2);
/// How long the editor may take to read the last answers.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// What the person who started the proxy has chosen.
pub struct Options {
    pub relay: Relay,
    /// The product that the agent is, where that is known.
    pub client: Option<ClientId>,
    pub settings: HookSettings,
    /// What sessions carry below `_meta`, so that the agent calls our hook.
    pub meta: Option<Value>,
    /// Our MCP server, which every session is given.
    pub server: Option<OwnServer>,
    pub trace: Option<PathBuf>,
    /// Where the names of sessions are kept that an agent had to begin again.
    pub names: PathBuf,
    /// Where the agent was started.
    pub directory: AbsPath,
    /// Says that somebody can be asked in a conversation, for as long as what it gives is kept.
    pub attend: EditorAttend,
    /// Called now and then after lines have passed: gives back what only they needed.
    pub rest: Box<dyn Fn() + Send + Sync>,
}

/// Our own MCP server as an agent starts it.
#[derive(Debug, Clone)]
pub struct OwnServer {
    pub command: String,
    pub arguments: Vec<String>,
    pub environment: Vec<(String, String)>,
    /// The variable that says which conversation it belongs to, as `client:session`.
    pub variable: String,
}

/// Takes note of a conversation.
pub type EditorAttend = Box<dyn Fn(&ConversationId) -> Option<EditorAttendance> + Send + Sync>;

/// Kept as long as somebody can be asked.
pub type EditorAttendance = Box<dyn Any + Send + Sync>;

/// How much the proxy does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relay {
    Modes,
    /// Nothing but passing bytes on.
    Passthrough,
}

/// How a conversation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    EditorLeft,
    Stopped,
}

/// Starts the agent; again with another mode where its rules are read at its start only.
pub type LaunchAgent = Box<dyn Fn(Option<&Mode>) -> Result<RunningAgent, Error> + Send + Sync>;

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ProxySide {
    Editor,
    Agent,
}

/// What all tasks share.
pub(crate) struct Core {
    pub(crate) engine: Engine,
    pub(crate) options: Options,
    pub(crate) launch: LaunchAgent,
    editor: Outlet,
    trace: Option<TraceFile>,
    /// Makes our ids different from those of every peer. Neither side sees those of the other, so that an agent cannot
    /// ask something under the id of a question of ours.
    nonces: [String; 2],
    next: AtomicU64,
    /// Lines that have come, from both sides.
    pub(crate) passed: AtomicU64,
    pub(crate) state: Mutex<ProxyState>,
    ended: mpsc::UnboundedSender<u64>,
}

/// What changes.
#[derive(Default)]
pub(crate) struct ProxyState {
    pub(crate) agent: Option<Outlet>,
    pub(crate) process: Option<AgentProcess>,
    /// Which start of the agent this is.
    pub(crate) generation: u64,
    /// What the mode allowed whose rules the agent was started with.
    pub(crate) started_with: Option<String>,
    pub(crate) sessions: HashMap<String, AcpSession>,
    pub(crate) aliases: Aliases,
    /// Requests of the editor whose answers we look at.
    pub(crate) awaited: HashMap<Id, AwaitedAnswer>,
    /// Requests of the agent that were passed on, whose answers we look at.
    pub(crate) passed_on: HashMap<Id, PassedOn>,
    /// Requests of our own, by the side that has to answer them.
    own: HashMap<(ProxySide, Id), oneshot::Sender<Result<Value, ()>>>,
    pub(crate) attending: Vec<EditorAttendance>,
    pub(crate) initialize: Option<Box<RawValue>>,
    pub(crate) client: Option<ClientId>,
    pub(crate) abilities: Abilities,
}

/// What the agent says it can.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Abilities {
    /// `session/new` takes a text for the system prompt.
    pub(crate) system_prompt: bool,
}

/// What an answer of the agent is about.
#[derive(Debug)]
pub(crate) enum AwaitedAnswer {
    Initialize,
    Open(SessionOpening),
    Option {
        session: String,
    },
    Prompt {
        session: String,
    },
    Close {
        session: String,
    },
    List,
    /// Nothing to look at; if the agent ends, it is answered.
    Plain,
}

/// What an answer of the editor is about.
#[derive(Debug)]
pub(crate) struct PassedOn {
    pub(crate) session: String,
    pub(crate) options: Vec<Value>,
    pub(crate) call: AcpCall,
    pub(crate) tool: ToolUse,
    /// What was in force when the person was asked; `None` if that could not be read.
    pub(crate) rights: Option<ModeRights>,
}

impl fmt::Debug for Core {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Core")
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = out.debug_struct("Options");
        out.field("relay", &self.relay)
            .field("client", &self.client);
        out.finish_non_exhaustive()
    }
}

/// Stands between an editor and its agent until one of them goes, or until `stop` says so. Nothing that the agent has
/// started outlives this.
pub async fn run(
    engine: Engine,
    options: Options,
    launch: LaunchAgent,
    editor: (
        impl AsyncRead + Send + Unpin + 'static,
        impl AsyncWrite + Send + Unpin + 'static,
    ),
    stop: impl Future<Output = ()>,
) -> Result<Exit, Error> {
    let trace = options
        .trace
        .as_deref()
        .map(TraceFile::create)
        .transpose()?;
    let agent = launch(None)?;
    match options.relay {
        Relay::Passthrough => relay(agent, editor, trace, stop).await,
        Relay::Modes => {
            let parts = (engine, options, launch, trace);
            converse(parts, agent, editor, stop).await
        }
    }
}

type ProxyParts = (Engine, Options, LaunchAgent, Option<TraceFile>);

async fn converse(
    parts: ProxyParts,
    agent: RunningAgent,
    (reader, writer): (
        impl AsyncRead + Send + Unpin + 'static,
        impl AsyncWrite + Send + Unpin + 'static,
    ),
    stop: impl Future<Output = ()>,
) -> Result<Exit, Error> {
    let (editor, writing) = Outlet::new(writer);
    tokio::spawn(writing);
    let (ended, mut endings) = mpsc::unbounded_channel();
    let core = Arc::new(Core::new(parts, editor, ended));
    core.attach(agent);
    let ticking = tokio::spawn(Arc::clone(&core).watch());
    let pump = Arc::clone(&core);
    let mut listening = tokio::spawn(async move {
        let mut lines = LineReader::new(reader);
        while let Some(line) = lines.next().await? {
            pump.note(LineDirection::FromEditor, &line);
            pump.hear_editor(line).await;
        }
        Ok(())
    });
    tokio::pin!(stop);
    let outcome = loop {
        tokio::select! {
            heard = &mut listening => break match heard {
                Ok(Ok(())) => Ok(Exit::EditorLeft),
                Ok(Err(error)) => Err(Error::Editor(error)),
                Err(_) => Err(Error::Editor(std::io::ErrorKind::Other.into())),
            },
            () = &mut stop => break Ok(Exit::Stopped),
            Some(generation) = endings.recv() => {
                if core.lock().generation == generation {
                    break Err(core.agent_ended().await);
                }
            }
        }
    };
    ticking.abort();
    listening.abort();
    core.finish().await;
    outcome
}

impl Core {
    fn new(
        (engine, options, launch, trace): ProxyParts,
        editor: Outlet,
        ended: mpsc::UnboundedSender<u64>,
    ) -> Self {
        let conversations = engine.conversations();
        let started_in = conversations.mode_at(&options.directory, &options.settings);
        let catalogue = engine.modes().catalogue_at(&options.directory);
        let started_in = started_in
            .ok()
            .and_then(|mode| catalogue.get(mode.as_str()));
        let state = ProxyState {
            client: options.client,
            started_with: started_in.map(|mode| mode.rights()),
            ..ProxyState::default()
        };
        Self {
            engine,
            options,
            launch,
            editor,
            trace,
            nonces: [nonce(), nonce()],
            next: AtomicU64::new(0),
            passed: AtomicU64::new(0),
            state: Mutex::new(state),
            ended,
        }
    }

    pub(crate) fn lock(&self) -> std::sync::MutexGuard<'_, ProxyState> {
        lock(&self.state)
    }

    /// Takes an agent into service, in the place of the one before.
    pub(crate) fn attach(self: &Arc<Self>, agent: RunningAgent) {
        let RunningAgent {
            input,
            output,
            process,
        } = agent;
        let (outlet, writing) = Outlet::new(input);
        tokio::spawn(writing);
        let generation = {
            let mut state = self.lock();
            state.generation += 1;
            state.agent = Some(outlet);
            // The one before ends here, with all it has started.
            state.process = process;
            state.generation
        };
        let pump = Arc::clone(self);
        tokio::spawn(async move {
            let mut lines = LineReader::new(output);
            loop {
                match lines.next().await {
                    Ok(Some(line)) if pump.lock().generation == generation => {
                        let line = pump.lock().aliases.for_editor(line);
                        pump.note(LineDirection::FromAgent, &line);
                        pump.hear_agent(line).await;
                    }
                    Ok(Some(_)) => {}
                    Ok(None) => break,
                    Err(error) => {
                        tracing::warn!(%error, "the agent's output cannot be read");
                        break;
                    }
                }
            }
            // Nobody is left to hear it if this fails.
            let _gone = pump.ended.send(generation);
        });
    }

    /// What is known about the product. One that was known only after its start has no hook of ours.
    pub(crate) fn habits(&self) -> AcpHabits {
        let habits = acp_habits(self.lock().client);
        let is_injected = self.options.client.is_some();
        AcpHabits {
            hook: habits.hook && is_injected,
            restarts: habits.restarts && is_injected,
            ..habits
        }
    }

    /// The name under which the hook of this product knows its conversations.
    pub(crate) fn client_name(&self) -> &'static str {
        self.lock().client.map_or("acp", ClientId::slug)
    }

    pub(crate) fn with_session<T>(
        &self,
        session: &str,
        work: impl FnOnce(&mut AcpSession) -> T,
    ) -> Option<T> {
        self.lock().sessions.get_mut(session).map(work)
    }

    pub(crate) async fn to_editor(&self, line: Vec<u8>) {
        self.note(LineDirection::ToEditor, &line);
        self.editor.send(line).await;
    }

    pub(crate) async fn to_agent(&self, line: Vec<u8>) {
        self.note(LineDirection::ToAgent, &line);
        let (agent, line) = {
            let state = self.lock();
            (state.agent.clone(), state.aliases.for_agent(line))
        };
        if let Some(agent) = agent {
            agent.send(line).await;
        }
    }

    fn note(&self, heard: LineDirection, line: &[u8]) {
        self.passed.fetch_add(1, Ordering::Relaxed);
        if let Some(trace) = &self.trace {
            trace.write(heard, line);
        }
    }

    /// A notification about a session, to the editor.
    pub(crate) async fn update(&self, session: &str, update: &Value) {
        let params = serde_json::json!({ "sessionId": session, "update": update });
        self.to_editor(message::notification("session/update", &params))
            .await;
    }

    pub(crate) async fn refuse(
        &self,
        side: ProxySide,
        id: &Id,
        refusal: RequestRefusal,
        message: &str,
    ) {
        let line = message::failure(id, refusal.code(), message);
        match side {
            ProxySide::Editor => self.to_editor(line).await,
            ProxySide::Agent => self.to_agent(line).await,
        }
    }

    /// Asks one side something of our own. An error, or the end of that side, is `Err`.
    pub(crate) async fn request(
        &self,
        side: ProxySide,
        method: &str,
        params: &Value,
    ) -> Result<Value, ()> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let [to_editor, to_agent] = &self.nonces;
        let nonce = match side {
            ProxySide::Editor => to_editor,
            ProxySide::Agent => to_agent,
        };
        let id = Id::own(&format!("modekeeper-{nonce}-{number}"));
        let (sender, receiver) = oneshot::channel();
        self.lock().own.insert((side, id.clone()), sender);
        let line = message::request(&id, method, params);
        match side {
            ProxySide::Editor => self.to_editor(line).await,
            ProxySide::Agent => self.to_agent(line).await,
        }
        receiver.await.unwrap_or(Err(()))
    }

    /// Hands the answer of one side to a request of ours over; `false` if that side was not asked.
    pub(crate) fn answered(
        &self,
        side: ProxySide,
        id: &Id,
        outcome: &Result<Option<&RawValue>, &RawValue>,
    ) -> bool {
        let Some(sender) = self.lock().own.remove(&(side, id.clone())) else {
            return false;
        };
        let outcome = match outcome {
            Ok(Some(result)) => serde_json::from_str(result.get()).map_err(|_| ()),
            Ok(None) => Ok(Value::Null),
            Err(_) => Err(()),
        };
        // The caller may have stopped waiting.
        drop(sender.send(outcome));
        true
    }

    /// Tells the editor about everything that it still waits for.
    async fn agent_ended(&self) -> Error {
        let (awaited, process) = {
            let mut state = self.lock();
            state.own.clear();
            (std::mem::take(&mut state.awaited), state.process.take())
        };
        let status = match process {
            Some(mut process) => process.end(ENDING).await,
            None => "no status".to_owned(),
        };
        let text = format!("The agent ended with {status}");
        let mut ids: Vec<Id> = awaited.into_keys().collect();
        ids.sort();
        for id in ids {
            self.refuse(ProxySide::Editor, &id, RequestRefusal::Internal, &text)
                .await;
        }
        Error::AgentEnded { status }
    }

    /// Lets the agent end by itself, and ends what is left of it.
    async fn finish(&self) {
        let process = {
            let mut state = self.lock();
            state.agent = None;
            state.process.take()
        };
        if let Some(mut process) = process {
            process.end(ENDING).await;
        }
        // An editor that does not read is not waited for.
        drop(tokio::time::timeout(LAST_ANSWERS, self.editor.flush()).await);
        if let Some(trace) = &self.trace {
            trace.finish();
        }
    }
}

pub(crate) fn nonce() -> String {
    random_symbols(16)
}
