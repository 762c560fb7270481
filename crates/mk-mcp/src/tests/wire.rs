//! A client on a pipe in memory, through the same stack as standard input and output.

use std::collections::VecDeque;
use std::time::Duration;

use mk_testkit::names::Names;
use rmcp::RoleServer;
use rmcp::service::Service;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::task::JoinHandle;

use super::World;
use crate::transport::converse;

/// Longer than anything takes; a test that waits this long has failed.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

pub(super) struct Wire {
    writer: Option<WriteHalf<DuplexStream>>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    /// Messages that came while something else was waited for.
    aside: VecDeque<Value>,
    pub(super) names: Names,
    pub(super) serving: JoinHandle<()>,
}

impl Wire {
    /// Opens a connection; nothing is said yet.
    pub(super) fn connect(world: &World) -> Self {
        Self::connect_to(world, world.service())
    }

    pub(super) fn connect_to(world: &World, service: impl Service<RoleServer>) -> Self {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(theirs);
        let closing = world.server.closing().clone();
        let serving = tokio::spawn(converse(service, closing, reader, writer));
        let (reader, writer) = tokio::io::split(ours);
        Self {
            writer: Some(writer),
            lines: BufReader::new(reader).lines(),
            aside: VecDeque::new(),
            names: Names::default(),
            serving,
        }
    }

    /// A connection after its handshake.
    pub(super) async fn open(world: &World) -> Self {
        Self::open_with(world, json!({})).await
    }

    pub(super) async fn open_with(world: &World, capabilities: Value) -> Self {
        let mut wire = Self::connect(world);
        wire.initialize("2025-11-25", capabilities).await;
        wire
    }

    pub(super) async fn initialize(&mut self, version: &str, capabilities: Value) -> Value {
        let answer = self
            .request(json!({
                "jsonrpc": "2.0",
                "id": "hello",
                "method": "initialize",
                "params": {
                    "protocolVersion": version,
                    "capabilities": capabilities,
                    "clientInfo": { "name": "client-name", "version": "1.0.0" },
                },
            }))
            .await;
        self.notify("notifications/initialized", json!({})).await;
        answer
    }

    /// Sends bytes as they are.
    pub(super) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let writer = self.writer.as_mut().expect("the pipe is open");
        writer.write_all(bytes.as_ref()).await.expect("a reader");
    }

    pub(super) async fn send(&mut self, message: Value) {
        let line = format!("{}\n", self.names.reveal(&message));
        self.write(line).await;
    }

    pub(super) async fn notify(&mut self, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.send(message).await;
    }

    /// Sends a request and waits for its answer; what else comes is put aside.
    pub(super) async fn request(&mut self, request: Value) -> Value {
        let id = request["id"].clone();
        self.send(request).await;
        self.answer(id).await
    }

    /// `tools/call` up to 2025-11-25.
    pub(super) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request(call(1, tool, arguments)).await
    }

    pub(super) async fn answer(&mut self, id: Value) -> Value {
        self.wait_for("answer", |message| {
            message["id"] == id && message.get("method").is_none()
        })
        .await
    }

    pub(super) async fn expect_notification(&mut self, method: &str) -> Value {
        self.wait_for(method, |message| {
            message["method"] == method && message.get("id").is_none()
        })
        .await
    }

    /// A request of the server's.
    pub(super) async fn expect_request(&mut self, method: &str) -> Value {
        self.wait_for(method, |message| {
            message["method"] == method && message.get("id").is_some()
        })
        .await
    }

    async fn wait_for(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.aside.iter().position(&fits) {
            return self.aside.remove(at).expect("it was found there");
        }
        loop {
            let message = self.receive(what).await;
            if fits(&message) {
                return message;
            }
            self.aside.push_back(message);
        }
    }

    /// The next message, in the order of the wire.
    pub(super) async fn next(&mut self) -> Value {
        match self.aside.pop_front() {
            Some(message) => message,
            None => self.receive("message").await,
        }
    }

    async fn receive(&mut self, what: &str) -> Value {
        let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await;
        let line = line.unwrap_or_else(|_| panic!("no {what}; put aside: {:#?}", self.aside));
        let line = line.expect("a readable pipe");
        let line = line.unwrap_or_else(|| panic!("the end instead of {what}"));
        let message: Value = serde_json::from_str(&line).expect("every line is JSON");
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        self.names.hide(&message)
    }

    /// Sends lines at full speed, as a pipe from a file would, and takes that many answers meanwhile, as they are.
    pub(super) async fn write_while_reading(&mut self, lines: String, count: usize) -> Vec<Value> {
        let mut writer = self.writer.take().expect("the pipe is open");
        let writing = tokio::spawn(async move {
            writer.write_all(lines.as_bytes()).await.expect("a reader");
            writer
        });
        let mut answers = Vec::new();
        while answers.len() < count {
            let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await;
            let line = line.expect("an answer in time").expect("a readable pipe");
            let message: Value =
                serde_json::from_str(&line.expect("an answer")).expect("every line is JSON");
            if message.get("id").is_some() {
                answers.push(message);
            }
        }
        self.writer = Some(writing.await.expect("no panic"));
        answers
    }

    /// Says nothing more.
    pub(super) fn hang_up(&mut self) {
        let writer = self.writer.take().expect("the pipe is open");
        let mut writer = writer;
        tokio::spawn(async move { writer.shutdown().await });
    }

    /// What comes until the server closes its end.
    pub(super) async fn rest(&mut self) -> Vec<Value> {
        self.hang_up();
        let mut rest: Vec<Value> = self.aside.drain(..).collect();
        let reading = async {
            while let Some(line) = self.lines.next_line().await.expect("a readable pipe") {
                let message = serde_json::from_str(&line).expect("every line is JSON");
                rest.push(self.names.hide(&message));
            }
        };
        let ended = tokio::time::timeout(PATIENCE, reading).await;
        ended.expect("the server ends when its client does");
        rest
    }
}

pub(super) fn call(id: impl Into<Value>, tool: &str, arguments: impl Into<Value>) -> Value {
    let params = json!({ "name": tool, "arguments": arguments.into() });
    request(id, "tools/call", params)
}

pub(super) fn request(id: impl Into<Value>, method: &str, params: impl Into<Value>) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params.into() })
}

/// A request as 2026-07-28 wants it.
pub(super) fn modern(id: impl Into<Value>, method: &str, params: Value) -> Value {
    modern_with(id, method, params, json!({}))
}

pub(super) fn modern_with(
    id: impl Into<Value>,
    method: &str,
    mut params: Value,
    capabilities: impl Into<Value>,
) -> Value {
    let capabilities = capabilities.into();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
        "io.modelcontextprotocol/clientInfo": { "name": "client-name", "version": "1.0.0" },
    });
    request(id, method, params)
}

/// The text of a tool's result.
#[track_caller]
pub(super) fn text(answer: &Value) -> &str {
    let text = answer["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("no text in {answer:#}"))
}
