//! The same call over `/mcp` on a kept connection, beside the call over stdio.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::calls::{create_task, new_task, session_of, validate};
use super::report::{Budget, Row, Spread, microseconds};
use crate::peer::{Home, Peer, Wire, check_answer, cpu_of, result_of};

const WARM_UP: u32 = 500;
const CALLS: u32 = 3_000;

pub(crate) fn measure(binary: &Path, rounds: usize) -> Result<Vec<Row>> {
    let (mut http, mut stdio) = (Samples::default(), Samples::default());
    for _ in 0..rounds {
        over_http(binary, &mut http)?;
        over_stdio(binary, &mut stdio)?;
    }
    let row = |what: &str, http, stdio, budget| Row {
        what: format!("validate_tool_use, /mcp, {what}"),
        unit: "µs",
        ours: Spread::of(http),
        beside: Some(("stdio", Spread::of(stdio))),
        budget,
    };
    Ok(vec![
        row("one by one, CPU", http.cpu, stdio.cpu, Budget::Times(2.0)),
        row(
            "one by one, clock",
            http.wall,
            stdio.wall,
            Budget::AtMost(1_000.0),
        ),
    ])
}

#[derive(Debug, Default)]
struct Samples {
    cpu: Vec<f64>,
    wall: Vec<f64>,
}

fn over_stdio(binary: &Path, samples: &mut Samples) -> Result<()> {
    let home = Home::new()?;
    let mut command = home.command(binary);
    command.arg("mcp");
    let mut peer = Peer::spawn(command, Wire::Pipes)?;
    peer.initialize()?;
    let session = create_task(&mut peer)?;
    let mut lines = |count: u32| -> Vec<String> {
        let params = validate(&session);
        (0..count)
            .map(|_| peer.line("tools/call", &params))
            .collect()
    };
    let (warm_up, calls) = (lines(WARM_UP), lines(CALLS));
    peer.sequential(&warm_up)?;
    let before = peer.cpu()?;
    let times = peer.sequential(&calls)?;
    let time: Duration = times.iter().sum();
    samples
        .cpu
        .push(microseconds((peer.cpu()? - before) / CALLS));
    samples.wall.push(microseconds(time / CALLS));
    Ok(())
}

fn over_http(binary: &Path, samples: &mut Samples) -> Result<()> {
    let home = Home::new()?;
    let mut server = ServeProcess::start(&home, binary)?;
    let created = server.call("tools/call", &new_task())?;
    let params = validate(&session_of(&result_of(&created)?)?);
    for _ in 0..WARM_UP {
        server.call("tools/call", &params)?;
    }
    let before = cpu_of(server.child.id())?;
    let mut time = Duration::ZERO;
    for _ in 0..CALLS {
        let request = server.request("tools/call", &params);
        let begun = Instant::now();
        let answer = server.connection.exchange(&request)?;
        time += begun.elapsed();
        check_answer(&answer)?;
    }
    let spent = cpu_of(server.child.id())? - before;
    samples.cpu.push(microseconds(spent / CALLS));
    samples.wall.push(microseconds(time / CALLS));
    Ok(())
}

/// `modekeeper serve` and one connection to it.
#[derive(Debug)]
pub(super) struct ServeProcess {
    child: Child,
    address: String,
    connection: KeptConnection,
    next_id: u64,
}

impl ServeProcess {
    pub(super) fn start(home: &Home, binary: &Path) -> Result<Self> {
        let mut command = home.command(binary);
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().context("cannot start the server")?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("no stdout")?).read_line(&mut line)?;
        let address = line
            .split_once("http://")
            .and_then(|(_, rest)| rest.split_once("/mcp"));
        let (address, _) = address.with_context(|| format!("no address in {line:?}"))?;
        let mut server = Self {
            child,
            address: address.to_owned(),
            connection: KeptConnection::open(address)?,
            next_id: 0,
        };
        server.connection.initialize("/mcp")?;
        Ok(server)
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// The whole request, so that making it is not measured.
    fn request(&mut self, method: &str, params: &Value) -> String {
        self.next_id += 1;
        let id = self.next_id;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.connection.head_and("/mcp", &message)
    }

    /// The answer, as JSON.
    pub(super) fn call(&mut self, method: &str, params: &Value) -> Result<Vec<u8>> {
        let request = self.request(method, params);
        let answer = self.connection.exchange(&request)?;
        check_answer(&answer)?;
        Ok(answer)
    }
}

/// A connection that serves one request after the other, and its session.
#[derive(Debug)]
pub(super) struct KeptConnection {
    stream: BufReader<TcpStream>,
    session: Option<String>,
}

impl KeptConnection {
    pub(super) fn open(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::new(stream),
            session: None,
        })
    }

    pub(super) fn initialize(&mut self, path: &str) -> Result<()> {
        let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "xtask", "version": "0" },
        }});
        let hello = self.head_and(path, &hello);
        self.exchange(&hello)?;
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let ready = self.head_and(path, &ready);
        self.exchange(&ready)?;
        Ok(())
    }

    pub(super) fn head_and(&self, path: &str, message: &Value) -> String {
        let body = message.to_string();
        let session = self.session.iter();
        let session: String = session
            .map(|it| format!("Mcp-Session-Id: {it}\r\n"))
            .collect();
        format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{session}Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
    }

    /// The body of the answer; of a stream, the data of its last event.
    pub(super) fn exchange(&mut self, request: &str) -> Result<Vec<u8>> {
        self.stream.get_mut().write_all(request.as_bytes())?;
        let mut length = 0;
        let mut is_chunked = false;
        let mut line = String::new();
        loop {
            line.clear();
            ensure!(self.stream.read_line(&mut line)? > 0, "the server ended");
            let Some((name, value)) = line.trim_end().split_once(": ") else {
                if line == "\r\n" {
                    break;
                }
                ensure!(line.starts_with("HTTP/1.1 20"), "the server said {line}");
                continue;
            };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse()?,
                "transfer-encoding" => is_chunked = true,
                "mcp-session-id" => self.session = Some(value.to_owned()),
                _ => {}
            }
        }
        if !is_chunked {
            return self.bytes(length);
        }
        let mut body = Vec::new();
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let length = usize::from_str_radix(line.trim_end(), 16)?;
            body.extend(self.bytes(length)?);
            self.bytes(2)?;
            if length == 0 {
                break;
            }
        }
        let mut lines = body.split(|byte| *byte == b'\n').rev();
        let data = lines.find_map(|line| line.strip_prefix(b"data: "));
        Ok(data.unwrap_or(&body).to_vec())
    }

    fn bytes(&mut self, length: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

impl Drop for ServeProcess {
    fn drop(&mut self) {
        // A server that ended by itself cannot be killed, and need not be.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
