//! An MCP client on standard input and output, over pipes as Python gives them or sockets as Node does.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::wait::wait_for_end;

/// An answer may wait for an index or a language server, for minutes on a busy machine.
const ANSWER: Duration = Duration::from_secs(180);

pub struct Client {
    /// `None` once abandoned.
    child: Option<Child>,
    input: Option<Box<dyn Write + Send>>,
    lines: Receiver<String>,
    /// What came while something else was waited for.
    pub aside: Vec<Value>,
    next_id: u64,
}

impl Client {
    /// `modekeeper mcp` over pipes, initialized.
    pub fn start(sandbox: &Sandbox) -> Self {
        Self::start_with(sandbox, &[])
    }

    pub fn start_with(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let mut client = Self::open(&mut server(sandbox, arguments));
        client.initialize(&json!({}));
        client
    }

    /// Over pipes, without a handshake. stderr is left to the caller's command.
    pub fn open(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = Box::new(child.stdin.take().unwrap());
        let output = child.stdout.take().unwrap();
        Self::of(child, input, output)
    }

    /// Over a pair of sockets for each direction, without a handshake.
    pub fn open_on_sockets(command: &mut Command) -> Self {
        let (input, their_input) = UnixStream::pair().unwrap();
        let (output, their_output) = UnixStream::pair().unwrap();
        let child = command
            .stdin(Stdio::from(OwnedFd::from(their_input)))
            .stdout(Stdio::from(OwnedFd::from(their_output)))
            .spawn()
            .unwrap();
        // The command keeps its ends until it is replaced, and with them our end of file.
        command.stdin(Stdio::null()).stdout(Stdio::null());
        Self::of(child, Box::new(input), output)
    }

    fn of(child: Child, input: Box<dyn Write + Send>, output: impl Read + Send + 'static) -> Self {
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(output).lines();
            lines
                .map_while(Result::ok)
                .try_for_each(|line| sender.send(line))
        });
        Self {
            child: Some(child),
            input: Some(input),
            lines,
            aside: Vec::new(),
            next_id: 0,
        }
    }

    pub fn initialize(&mut self, capabilities: &Value) -> Value {
        let answer = self.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25",
                "capabilities": capabilities,
                "clientInfo": { "name": "it", "version": "1" },
            }),
        );
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer
    }

    pub fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    pub fn send_line(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(&[line, b"\n"].concat()).unwrap();
        input.flush().unwrap();
    }

    /// Sends a request and gives its id.
    pub fn post(&mut self, method: &str, params: &Value) -> u64 {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Sends a request and waits for its answer.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.post(method, params);
        self.answer(id)
    }

    #[track_caller]
    pub fn answer(&mut self, id: u64) -> Value {
        self.until("the answer", |message| {
            message["id"] == id && message.get("method").is_none()
        })
    }

    pub fn call_params(tool: &str, arguments: &Value) -> Value {
        json!({ "name": tool, "arguments": arguments })
    }

    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.request("tools/call", &Self::call_params(tool, arguments))
    }

    /// Creates a task and gives its session.
    #[track_caller]
    pub fn create(&mut self, mode: &str) -> String {
        let answer = self.call("create_task", &json!({ "mode_slug": mode }));
        let id = answer["result"]["metadata"]["session_id"].as_str();
        id.unwrap_or_else(|| panic!("{answer:#}")).to_owned()
    }

    #[track_caller]
    pub fn until(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(index) = self.aside.iter().position(&wanted) {
            return self.aside.remove(index);
        }
        let deadline = Instant::now() + ANSWER;
        loop {
            let message = self
                .next_within(deadline.saturating_duration_since(Instant::now()))
                .unwrap_or_else(|| panic!("{what} did not come; instead: {:#?}", self.aside));
            if wanted(&message) {
                return message;
            }
            self.aside.push(message);
        }
    }

    #[track_caller]
    pub fn notification(&mut self, method: &str) -> Value {
        self.until(method, |message| message["method"] == method)
    }

    /// The next message; `None` when the server has ended or is silent. Every line must be JSON.
    #[track_caller]
    pub fn next_within(&mut self, time: Duration) -> Option<Value> {
        match self.lines.recv_timeout(time) {
            Ok(line) => Some(parse(&line)),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    pub fn signal(&self, signal: Signal) {
        let child = self.child.as_ref().unwrap();
        kill_process(Pid::from_child(child), signal).unwrap();
    }

    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Closes the input, and gives what still came, how the server ended and how long that took.
    #[track_caller]
    pub fn end(mut self) -> (Vec<Value>, ExitStatus, Duration) {
        self.close_input();
        self.wait()
    }

    #[track_caller]
    pub fn wait(&mut self) -> (Vec<Value>, ExitStatus, Duration) {
        let (status, time) = wait_for_end(self.child());
        let mut rest = std::mem::take(&mut self.aside);
        rest.extend(self.lines.iter().map(|line| parse(&line)));
        (rest, status, time)
    }

    /// The lines as they come, for tests that cannot expect each to be whole.
    pub fn lines(&self) -> &Receiver<String> {
        &self.lines
    }

    pub fn child(&mut self) -> &mut Child {
        self.child.as_mut().unwrap()
    }

    /// Closes the input as a client that crashed does, and leaves the process.
    pub fn abandon(mut self) -> Child {
        self.child.take().unwrap()
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let process = self.child.as_ref().map(Child::id);
        f.debug_struct("Client")
            .field("process", &process)
            .finish_non_exhaustive()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // It has ended already, most of the time.
            drop(child.kill());
            drop(child.wait());
        }
    }
}

pub fn server(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = sandbox.command(&[&["mcp"], arguments].concat());
    command.stderr(Stdio::null());
    command
}

#[track_caller]
fn parse(line: &str) -> Value {
    let value: Value =
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} on stdout: {line:?}"));
    assert!(value.is_object(), "not a message: {line}");
    value
}
