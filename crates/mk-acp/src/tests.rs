//! Conversations over pipes in memory: an editor and an agent that the test plays, and the proxy between them.

mod ask;
mod attack;
mod contract;
mod mode;
mod permission;
mod relay;
mod restart;
mod trouble;

use std::sync::Mutex;
use std::time::Duration;

use mk_clients::{ACP_TOOLS, ClientId};
use mk_engine::{
    Engine, EngineParts, Folders, HookSettings, OwnTool, ProjectWatching, Settings, StoreLocation,
};
use mk_testkit::Fixture;
use mk_types::Clock;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::{Error, Exit, LaunchAgent, Options, OwnServer, Relay, RunningAgent};

/// Only a fault reaches it.
const PATIENCE: Duration = Duration::from_secs(60);

/// One side of the conversation, played by the test.
struct Peer {
    output: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    input: BufReader<Box<dyn AsyncRead + Send + Unpin>>,
    next: u64,
}

impl Peer {
    fn new(
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self {
            output: Some(Box::new(output)),
            input: BufReader::new(Box::new(input)),
            next: 0,
        }
    }

    async fn line(&mut self, line: &str) {
        let output = self.output.as_mut().expect("still open");
        output
            .write_all(line.as_bytes())
            .await
            .expect("the proxy reads");
        output.write_all(b"\n").await.expect("the proxy reads");
    }

    async fn say(&mut self, message: Value) {
        self.line(&message.to_string()).await;
    }

    /// Sends a request and gives its id.
    async fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.say(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
        id
    }

    async fn answer(&mut self, request: &Value, result: Value) {
        self.say(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }))
            .await;
    }

    async fn update(&mut self, session: &str, update: Value) {
        let params = json!({ "sessionId": session, "update": update });
        self.say(json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }))
            .await;
    }

    /// The next line as it came; `None` at the end.
    async fn hear_line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = tokio::time::timeout(PATIENCE, self.input.read_line(&mut line));
        let read = read
            .await
            .expect("something within the time")
            .expect("readable");
        (read > 0).then(|| line.trim_end_matches('\n').to_owned())
    }

    async fn hear(&mut self) -> Value {
        let line = self.hear_line().await.expect("another message");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The next message that is about this method, past all others.
    async fn hear_method(&mut self, method: &str) -> Value {
        loop {
            let message = self.hear().await;
            if message["method"] == method {
                return message;
            }
        }
    }

    /// The next update of this kind.
    async fn hear_update(&mut self, kind: &str) -> Value {
        loop {
            let message = self.hear_method("session/update").await;
            let update = &message["params"]["update"];
            if update["sessionUpdate"] == kind {
                return update.clone();
            }
        }
    }

    /// The answer to a request, past everything else.
    async fn hear_answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.hear().await;
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    fn leave(&mut self) {
        self.output = None;
    }
}

/// A project, a proxy, and both of its peers.
struct World {
    files: Fixture,
    _state: Fixture,
    engine: Engine,
    editor: Peer,
    agent: Peer,
    proxy: JoinHandle<Result<Exit, Error>>,
    /// Starts of the agent after the first.
    again: mpsc::UnboundedReceiver<Peer>,
}

/// The agent's own selector, as most agents offer it.
fn own_modes() -> Value {
    json!({
        "currentModeId": "auto",
        "availableModes": [
            { "id": "auto", "name": "Auto" }, { "id": "default", "name": "Ask" }, { "id": "yolo", "name": "Yolo" },
        ],
    })
}

fn own_option(current: &str) -> Value {
    json!({
        "id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": current,
        "options": [{ "value": "auto", "name": "Auto" }, { "value": "default", "name": "Ask" }],
    })
}

fn model_option() -> Value {
    json!({
        "id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "large",
        "options": [{ "value": "large", "name": "Large" }], "_meta": { "number": 1.50 },
    })
}

impl World {
    fn new(files: &str) -> Self {
        Self::with(files, None, Relay::Modes)
    }

    fn of(client: ClientId) -> Self {
        Self::with("", Some(client), Relay::Modes)
    }

    fn with(files: &str, client: Option<ClientId>, relay: Relay) -> Self {
        let files = Fixture::new(files);
        files.write("src/main.rs", "fn main() {}\n");
        let state = Fixture::new("");
        let mut tools = mk_tools::own_tools();
        tools.extend(OwnTool::of_rows(ACP_TOOLS));
        tools.extend(client.into_iter().flat_map(OwnTool::of_client));
        let engine = Engine::new(EngineParts {
            settings: Settings {
                watching: ProjectWatching::On,
                ..Settings::default()
            },
            folders: Folders {
                state: state.root().as_path().to_owned(),
                ..Folders::default()
            },
            store: StoreLocation::Memory,
            clock: Clock::System,
            own_tools: tools,
        });
        let (to_proxy, from_editor) = tokio::io::duplex(1 << 20);
        let (to_editor, from_proxy) = tokio::io::duplex(1 << 20);
        let options = Options {
            relay,
            client,
            settings: HookSettings::default(),
            meta: None,
            server: Some(OwnServer {
                command: "/opt/modekeeper".to_owned(),
                arguments: vec!["mcp".to_owned()],
                environment: vec![("HERE".to_owned(), "there".to_owned())],
                variable: "WHOSE".to_owned(),
            }),
            trace: None,
            names: state.root().as_path().join("names"),
            directory: files.root().clone(),
            attend: Box::new(|_| None),
            rest: Box::new(|| {}),
        };
        let (launch, agent, again) = starting();
        let served = engine.clone();
        let proxy = tokio::spawn(async move {
            crate::run(
                served,
                options,
                launch,
                (from_editor, to_editor),
                std::future::pending(),
            )
            .await
        });
        Self {
            files,
            _state: state,
            engine,
            editor: Peer::new(from_proxy, to_proxy),
            agent,
            proxy,
            again,
        }
    }

    /// The agent's next start.
    async fn next_agent(&mut self) -> Peer {
        let start = tokio::time::timeout(PATIENCE, self.again.recv());
        start
            .await
            .expect("a start within the time")
            .expect("the proxy runs")
    }

    fn path(&self, name: &str) -> String {
        self.files.path(name).display().to_string()
    }

    /// Puts a new session of the agent between both, and gives the editor's answer.
    async fn open(&mut self, result: Value) -> Value {
        let cwd = self.files.root().to_string();
        let id = self
            .editor
            .ask("session/new", json!({ "cwd": cwd, "mcpServers": [] }))
            .await;
        let request = self.agent.hear_method("session/new").await;
        self.agent.answer(&request, result).await;
        self.editor.hear_answer(id).await
    }

    /// The usual session, pinned.
    async fn usual(&mut self) {
        self.open(json!({ "sessionId": "s1", "modes": own_modes() }))
            .await;
        let pin = self.agent.hear_method("session/set_mode").await;
        assert_eq!(pin["params"]["modeId"], "default");
        self.agent.answer(&pin, json!({})).await;
    }

    async fn set_mode(&mut self, mode: &str) -> Value {
        let id = self
            .editor
            .ask(
                "session/set_mode",
                json!({ "sessionId": "s1", "modeId": mode }),
            )
            .await;
        self.editor.hear_answer(id).await
    }

    /// The agent asks for permission, with the usual options.
    async fn agent_asks(&mut self, tool_call: Value) -> u64 {
        let params = json!({
            "sessionId": "s1", "toolCall": tool_call,
            "options": [
                { "optionId": "always", "name": "Always", "kind": "allow_always" },
                { "optionId": "allow-session", "name": "For this session", "kind": "allow_once" },
                { "optionId": "allow", "name": "Allow", "kind": "allow_once" },
                { "optionId": "cancel", "name": "Cancel", "kind": "reject_once" },
                { "optionId": "reject", "name": "Reject", "kind": "reject_once" },
            ],
        });
        self.agent.ask("session/request_permission", params).await
    }

    fn edit(&self, name: &str) -> Value {
        json!({
            "toolCallId": format!("edit {name}"), "title": format!("Edit {name}"), "kind": "edit",
            "locations": [{ "path": self.path(name) }],
        })
    }
}

/// An agent that can be started again and again: how, and the first of its starts and those after it.
fn starting() -> (LaunchAgent, Peer, mpsc::UnboundedReceiver<Peer>) {
    let (sender, again) = mpsc::unbounded_channel();
    let (first, agent) = start();
    let first = Mutex::new(Some(first));
    let launch: LaunchAgent = Box::new(move |_| {
        if let Some(first) = first.lock().unwrap().take() {
            return Ok(first);
        }
        let (next, agent) = start();
        sender.send(agent).expect("the test waits");
        Ok(next)
    });
    (launch, agent, again)
}

/// One start of an agent: the proxy's end and the test's.
fn start() -> (RunningAgent, Peer) {
    let (agent_in, agent_reads) = tokio::io::duplex(1 << 20);
    let (agent_writes, agent_out) = tokio::io::duplex(1 << 20);
    let agent = RunningAgent {
        input: Box::new(agent_in),
        output: Box::new(agent_out),
        process: None,
    };
    (agent, Peer::new(agent_reads, agent_writes))
}
