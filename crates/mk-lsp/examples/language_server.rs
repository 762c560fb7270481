//! A language server that behaves as badly as it is told to; the tests of this crate start it.
//!
//! `language_server <behaviour>` speaks the protocol over its pipes. It answers `hover` with the methods and replies
//! that it has received, one in a line, so that tests can see what reached it. `language_server hold <folder>
//! <file> <search path> [<server>]` starts the server for a file through this crate, prints its process, and waits to
//! be killed; `<server>` is one for `*.fake`.

use std::io::{BufRead as _, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

use mk_lsp::{CustomServer, Limits, ProjectCode, ServerOptions, Servers, SourceDocument, WarmSign};
use mk_types::{AbsPath, Position, ProjectPath};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["hold", folder, file, search_path, server @ ..] => hold(folder, file, search_path, server),
        [behaviour] => Server::new(behaviour).run(),
        _ => None,
    }
    .map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
}

struct Server {
    behaviour: String,
    heard: Vec<String>,
    n_definitions: usize,
}

impl Server {
    fn new(behaviour: &str) -> Self {
        Self {
            behaviour: behaviour.to_owned(),
            heard: Vec::new(),
            n_definitions: 0,
        }
    }

    fn is(&self, behaviour: &str) -> bool {
        self.behaviour == behaviour
    }

    fn run(&mut self) -> Option<()> {
        match self.behaviour.as_str() {
            "absent" => {
                complain("no licence\nfor this machine");
                return None;
            }
            "noise" => loop {
                write(b"this is not the protocol\n")?;
            },
            "chatty" => write(b"Welcome!\nThis server is ready.\n\n")?,
            "huge" => write(b"Content-Length: 1000000000000\r\n\r\n")?,
            "wrong" => write(b"Content-Length: many\r\n\r\n")?,
            "deaf" => block(),
            "parent" => {
                // It inherits our output, and so keeps it open after we are gone.
                spawn("sleep", &["1000"])?;
            }
            "runaway" => {
                // It leaves the group, and so is not killed with it.
                spawn("setsid", &["sleep", "1000"])?;
            }
            "loud" => {
                for _ in 0..20_000 {
                    complain("a line of complaint that nobody reads");
                }
            }
            _ => {}
        }
        let mut input = std::io::stdin().lock();
        loop {
            let mut length = None;
            loop {
                let mut line = String::new();
                if input.read_line(&mut line).ok()? == 0 {
                    return Some(());
                }
                if line.trim().is_empty() {
                    break;
                }
                if let Some(value) = line.strip_prefix("Content-Length: ") {
                    length = value.trim().parse::<u64>().ok();
                }
            }
            let mut body = Vec::new();
            input.by_ref().take(length?).read_to_end(&mut body).ok()?;
            self.hear(&serde_json::from_slice(&body).ok()?)?;
        }
    }

    fn hear(&mut self, message: &Value) -> Option<()> {
        let method = message.get("method").and_then(Value::as_str);
        let Some(method) = method else {
            self.heard.push(format!("reply {message}"));
            return Some(());
        };
        self.heard.push(method.to_owned());
        let Some(id) = message.get("id") else {
            return (method != "exit").then_some(());
        };
        let params = message.get("params").cloned().unwrap_or_default();
        match method {
            "initialize" if self.is("mute") => Some(()),
            "initialize" => {
                answer(id, &self.capabilities())?;
                self.greet()
            }
            "textDocument/definition" => self.define(id, &params),
            "textDocument/hover" => answer(id, &json!({"contents": self.heard.join("\n")})),
            "textDocument/rename" => answer(
                id,
                &json!({"changes": {"file:///etc/passwd": [], "untitled:x": []}}),
            ),
            "shutdown" => answer(id, &Value::Null),
            _ => refuse(id, -32601),
        }
    }

    fn define(&mut self, id: &Value, params: &Value) -> Option<()> {
        self.n_definitions += 1;
        let place = json!([{
            "uri": params.pointer("/textDocument/uri"),
            "range": {"start": params.get("position"), "end": params.get("position")},
        }]);
        match self.behaviour.as_str() {
            "silent" => Some(()),
            "stuck" => block(),
            "mortal" => None,
            "cut" => {
                write(b"Content-Length: 500\r\n\r\n{\"jsonrpc\"")?;
                None
            }
            "broken" => {
                for _ in 0..20 {
                    write(b"Content-Length: 5\r\n\r\n{{{{{")?;
                }
                Some(())
            }
            "refusing" => refuse(id, -32603),
            "unable" => refuse(id, -32601),
            "modified" if self.n_definitions < 3 => refuse(id, -32801),
            "flood" => {
                let mut hint = json!({"uri": "file:///x", "diagnostics": []});
                for n in 0..50_000 {
                    *hint.get_mut("uri")? = json!(format!("file:///{n}"));
                    notify("textDocument/publishDiagnostics", &hint)?;
                }
                answer(id, &place)
            }
            "senseless" => answer(id, &json!({"uri": 7})),
            _ => answer(id, &place),
        }
    }

    fn capabilities(&self) -> Value {
        let encoding = if self.is("utf-8") { "utf-8" } else { "utf-16" };
        json!({"capabilities": {
            "positionEncoding": encoding,
            "definitionProvider": true,
            "hoverProvider": true,
            "renameProvider": {"prepareProvider": true},
            "implementationProvider": false,
        }})
    }

    fn greet(&self) -> Option<()> {
        match self.behaviour.as_str() {
            "asking" => {
                let asks = [
                    (
                        "workspace/configuration",
                        json!({"items": [{"section": "fake.deep"}, {}]}),
                    ),
                    ("window/workDoneProgress/create", json!({"token": 1})),
                    ("workspace/applyEdit", json!({"edit": {}})),
                    ("window/dance", json!({})),
                ];
                for (number, (method, params)) in asks.iter().enumerate() {
                    let id = format!("server-{number}");
                    send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
                }
                Some(())
            }
            "blind" => notify(
                "experimental/serverStatus",
                &json!({"health": "error", "quiescent": true, "message": "there is no manifest"}),
            ),
            "indexing" => {
                for value in [
                    json!({"kind": "begin", "title": "Reading", "percentage": 0}),
                    json!({"kind": "report", "percentage": 40}),
                ] {
                    notify("$/progress", &json!({"token": "t", "value": value}))?;
                }
                Some(())
            }
            _ => Some(()),
        }
    }
}

fn notify(method: &str, params: &Value) -> Option<()> {
    send(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
}

fn send(message: &Value) -> Option<()> {
    let body = message.to_string();
    write(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes())
}

fn write(bytes: &[u8]) -> Option<()> {
    let mut output = std::io::stdout().lock();
    output.write_all(bytes).ok()?;
    output.flush().ok()
}

fn complain(text: &str) {
    drop(std::io::stderr().write_all(format!("{text}\n").as_bytes()));
}

fn block() -> ! {
    loop {
        std::thread::park();
    }
}

#[expect(clippy::disallowed_methods, reason = "a server starts what it likes")]
fn spawn(program: &str, arguments: &[&str]) -> Option<()> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    command.spawn().ok().map(drop)
}

/// Starts a server as a product would, and waits to be killed.
fn hold(folder: &str, file: &str, search_path: &str, server: &[&str]) -> Option<()> {
    let root = AbsPath::new(Path::new(folder))?;
    let custom = CustomServer {
        language: "fake".to_owned(),
        extensions: vec!["fake".to_owned()],
        command: server.iter().map(|word| (*word).to_owned()).collect(),
        options: Value::Null,
        settings: Value::Null,
        warm: WarmSign::Nothing,
    };
    let options = ServerOptions {
        launcher: None,
        search_path: search_path.into(),
        tools: root.as_path().join("tools"),
        project_code: ProjectCode::Avoid,
        custom: vec![custom],
        limits: Limits::default(),
    };
    let servers = Servers::new(root.clone(), options);
    let path = ProjectPath::parse(file, &root).ok()?;
    let text = std::fs::read_to_string(path.under(&root)).ok()?;
    let document = SourceDocument {
        path,
        text: Arc::from(text),
    };
    let position = Position { line: 1, column: 1 };
    let runtime = tokio::runtime::Builder::new_current_thread().build().ok()?;
    // That nothing is there, or that it cannot say so, is an answer too.
    drop(runtime.block_on(servers.definition(&document, position)));
    let pid = servers.status().first()?.pid?;
    write(format!("{pid}\n").as_bytes())?;
    block()
}

fn answer(id: &Value, result: &Value) -> Option<()> {
    send(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

fn refuse(id: &Value, code: i64) -> Option<()> {
    let error = json!({"code": code, "message": "not today"});
    send(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
}
