//! A server over HTTP and a client of Streamable HTTP; the HTTP is by hand, so that nothing is smoothed over.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::wait::{PATIENCE, wait_for_end};

/// `modekeeper serve` on a free port.
#[derive(Debug)]
pub struct Server {
    child: Child,
    pub address: SocketAddr,
}

impl Server {
    pub fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let all = [&["serve", "--listen", "127.0.0.1:0"], arguments].concat();
        Self::open(&mut sandbox.command(&all))
    }

    pub fn open(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        let address = line
            .split_once("http://")
            .and_then(|(_, rest)| rest.split_once("/mcp"))
            .unwrap_or_else(|| panic!("no address in {line:?}"));
        let address = address.0.parse().unwrap();
        Self { child, address }
    }

    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    #[track_caller]
    pub fn wait(&mut self) -> std::time::Duration {
        let (status, time) = wait_for_end(&mut self.child);
        assert!(status.success(), "{status}");
        time
    }

    pub fn send(&self, request: &Request<'_>) -> Response {
        request.send(self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[derive(Debug, Clone, Default)]
pub struct Request<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub headers: Vec<(&'a str, String)>,
    pub body: String,
}

impl Request<'_> {
    pub fn send(&self, address: SocketAddr) -> Response {
        self.send_within(PATIENCE, address)
    }

    /// The same to what takes longer.
    pub fn send_within(&self, patience: Duration, address: SocketAddr) -> Response {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(patience)).unwrap();
        let mut text = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        if !self.headers.iter().any(|(name, _)| *name == "Host") {
            text.push_str(&format!("Host: {address}\r\n"));
        }
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str(&format!("Content-Length: {}\r\n\r\n", self.body.len()));
        stream.write_all(text.as_bytes()).unwrap();
        stream.write_all(self.body.as_bytes()).unwrap();
        Response::read(BufReader::new(stream))
    }
}

/// Status and headers; the body is read as it comes.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    headers: Vec<(String, String)>,
    stream: BufReader<TcpStream>,
    /// Body bytes that no line was made of yet.
    waiting: Vec<u8>,
    ended: bool,
}

impl Response {
    fn read(mut stream: BufReader<TcpStream>) -> Self {
        let mut first = String::new();
        stream.read_line(&mut first).unwrap();
        let status = first.split(' ').nth(1).and_then(|it| it.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no HTTP: {first:?}"));
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).unwrap();
            // The blank after the colon is optional; ChromeDriver sends none.
            let Some((name, value)) = line.trim_end().split_once(':') else {
                break;
            };
            headers.push((name.to_ascii_lowercase(), value.trim_start().to_owned()));
        }
        Self {
            status,
            headers,
            stream,
            waiting: Vec::new(),
            ended: false,
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(it, _)| it == name);
        found.map(|(_, value)| value.as_str())
    }

    /// More of the body; false at its end.
    fn fill(&mut self) -> bool {
        if self.ended {
            return false;
        }
        let length = self.header("content-length").map(|it| it.parse().unwrap());
        let size = if let Some(length) = length {
            self.ended = true;
            length
        } else {
            let mut line = String::new();
            self.stream.read_line(&mut line).unwrap();
            usize::from_str_radix(line.trim(), 16).unwrap_or(0)
        };
        let start = self.waiting.len();
        self.waiting.resize(start + size, 0);
        self.stream.read_exact(&mut self.waiting[start..]).unwrap();
        if length.is_none() {
            // The line break after the chunk.
            self.stream.read_line(&mut String::new()).unwrap();
        }
        self.ended |= size == 0;
        size > 0
    }

    pub fn text(mut self) -> String {
        while self.fill() {}
        String::from_utf8(self.waiting).unwrap()
    }

    fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.waiting.iter().position(|byte| *byte == b'\n') {
                let rest = self.waiting.split_off(end + 1);
                let line = std::mem::replace(&mut self.waiting, rest);
                return Some(String::from_utf8(line).unwrap().trim_end().to_owned());
            }
            if !self.fill() {
                return None;
            }
        }
    }

    /// The next event with data, as its name and data.
    pub fn event(&mut self) -> Option<(String, String)> {
        let (mut name, mut data) = (String::new(), String::new());
        loop {
            let line = self.line()?;
            match line.split_once(':') {
                Some(("event", value)) => value.trim().clone_into(&mut name),
                Some(("data", value)) => data.push_str(value.trim()),
                None if line.is_empty() && !data.is_empty() => return Some((name, data)),
                _ => {}
            }
        }
    }
}

/// A client of `/mcp` with a session.
#[derive(Debug)]
pub struct HttpClient {
    address: SocketAddr,
    path: String,
    session: Option<String>,
    /// What it calls itself.
    name: String,
    /// Sent as a bearer.
    pub token: Option<String>,
    next_id: u64,
}

impl HttpClient {
    pub fn new(address: SocketAddr, path: &str) -> Self {
        Self {
            address,
            path: path.to_owned(),
            session: None,
            name: "it".to_owned(),
            token: None,
            next_id: 0,
        }
    }

    /// Initialized.
    pub fn start(address: SocketAddr, path: &str) -> Self {
        Self::new(address, path).begin()
    }

    /// The same with a name of its own.
    pub fn start_as(address: SocketAddr, path: &str, name: &str) -> Self {
        let mut client = Self::new(address, path);
        name.clone_into(&mut client.name);
        client.begin()
    }

    /// The same with a token.
    pub fn start_with(address: SocketAddr, path: &str, token: &str) -> Self {
        let mut client = Self::new(address, path);
        client.token = Some(token.to_owned());
        client.begin()
    }

    fn begin(mut self) -> Self {
        let name = self.name.clone();
        self.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": name, "version": "1" },
            }),
        );
        self.notify("notifications/initialized");
        self
    }

    pub fn headers(&self) -> Vec<(&'static str, String)> {
        let mut headers = vec![
            ("Content-Type", "application/json".to_owned()),
            ("Accept", "application/json, text/event-stream".to_owned()),
        ];
        headers.extend(self.session.clone().map(|id| ("Mcp-Session-Id", id)));
        let token = self.token.as_ref();
        headers.extend(token.map(|it| ("Authorization", format!("Bearer {it}"))));
        headers
    }

    fn send(&mut self, message: &Value) -> Response {
        let request = Request {
            method: "POST",
            path: &self.path,
            headers: self.headers(),
            body: message.to_string(),
        };
        let response = request.send(self.address);
        if let Some(session) = response.header("mcp-session-id") {
            self.session = Some(session.to_owned());
        }
        response
    }

    pub fn notify(&mut self, method: &str) {
        let response = self.send(&json!({ "jsonrpc": "2.0", "method": method }));
        assert_eq!(response.status, 202);
    }

    #[track_caller]
    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let mut response = self.send(&message);
        let status = response.status;
        if response.header("content-type") == Some("text/event-stream") {
            while let Some((_, data)) = response.event() {
                let answer: Value = serde_json::from_str(&data).unwrap();
                if answer["id"] == id {
                    return answer;
                }
            }
            panic!("the stream ended without an answer to {message}");
        }
        let text = response.text();
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{status}: {text:?}"))
    }

    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.request(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        )
    }

    /// The stream of notifications.
    pub fn listen(&self) -> Response {
        let mut headers = self.headers();
        headers.retain(|(name, _)| *name != "Content-Type");
        let request = Request {
            method: "GET",
            path: &self.path,
            headers,
            body: String::new(),
        };
        request.send(self.address)
    }
}

/// The contract's `metadata` travels in `_meta` here; puts it where the other transports have it.
pub fn lift(mut answer: Value) -> Value {
    let result = answer.get_mut("result").and_then(Value::as_object_mut);
    let Some(result) = result else {
        return answer;
    };
    if let Some(Value::Object(mut meta)) = result.remove("_meta") {
        if let Some(metadata) = meta.remove("modekeeper/metadata") {
            result.insert("metadata".to_owned(), metadata);
        }
        assert!(meta.is_empty(), "more in _meta: {meta:?}");
    }
    answer
}
