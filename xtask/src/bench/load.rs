//! Many clients at once over `/mcp`, plain HTTP and SSE: requests a second, the server's processor time for each, and
//! what it costs to know who calls.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::calls::{new_task, session_of, validate};
use super::http::{KeptConnection, ServeProcess};
use super::report::{Budget, Row, Spread, microseconds};
use crate::peer::{Home, cpu_of, result_of};

const CLIENTS: [usize; 3] = [1, 64, 512];
const TIME: Duration = Duration::from_secs(3);
/// What access control may cost a call, in microseconds.
const MOST_FOR_ACCESS: f64 = 10.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Face {
    Mcp,
    Rest,
    Sse,
}

pub(crate) fn measure(binary: &Path, rounds: usize) -> Result<Vec<Row>> {
    let home = Home::new()?;
    let config = home.path().join(".config/modekeeper");
    std::fs::create_dir_all(&config)?;
    std::fs::write(
        config.join("config.json"),
        r#"{ "http": { "rate_limits": false } }"#,
    )?;
    let token = token(&home, binary)?;
    let mut server = ServeProcess::start(&home, binary)?;
    let created = server.call("tools/call", &new_task())?;
    let call = validate(&session_of(&result_of(&created)?)?);
    let mut rows = Vec::new();
    for (face, name) in [
        (Face::Mcp, "/mcp"),
        (Face::Rest, "REST"),
        (Face::Sse, "SSE"),
    ] {
        for clients in CLIENTS {
            let loaded = load(&server, face, clients, &call, None);
            let loaded = loaded.with_context(|| format!("{name}, {clients} at once"))?;
            rows.push(figure(
                &format!("{name}, {clients} at once"),
                "/s",
                loaded.rate,
            ));
            rows.push(figure(
                &format!("{name}, {clients} at once, CPU a call"),
                "µs",
                loaded.cpu,
            ));
        }
    }
    rows.extend(access(&server, rounds, &call, &token)?);
    Ok(rows)
}

/// The same call without a token, with one about a task that was created with it, and with one about a task of another
/// conversation, whose mode then has to be compared with the token's own.
fn access(server: &ServeProcess, rounds: usize, call: &Value, token: &str) -> Result<Vec<Row>> {
    let own = own_task(server, token)?;
    let (mut unknown, mut known, mut foreign) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        unknown.push(load(server, Face::Rest, 1, call, None)?.cpu);
        known.push(load(server, Face::Rest, 1, &own, Some(token))?.cpu);
        foreign.push(load(server, Face::Rest, 1, call, Some(token))?.cpu);
    }
    let row = |what: &str, ours, budget| Row {
        what: format!("REST with a token, {what}, CPU a call"),
        unit: "µs",
        ours: Spread::of(ours),
        beside: Some(("without", Spread::of(unknown.clone()))),
        budget,
    };
    Ok(vec![
        row("its own task", known, Budget::Above(MOST_FOR_ACCESS)),
        row("another's task", foreign, Budget::None),
    ])
}

/// A call about a task that the token's holder has created.
fn own_task(server: &ServeProcess, token: &str) -> Result<Value> {
    let mut connection = KeptConnection::open(server.address())?;
    let head = format!("Authorization: Bearer {token}\r\n");
    let answer = connection.exchange(&post("/tools/call", &head, &new_task()))?;
    Ok(validate(&session_of(&serde_json::from_slice(&answer)?)?))
}

fn figure(what: &str, unit: &'static str, value: f64) -> Row {
    Row {
        what: format!("validate_tool_use, {what}"),
        unit,
        ours: Spread::of(vec![value]),
        beside: None,
        budget: Budget::None,
    }
}

/// Tokens are made by a person at a terminal: `script` is one.
fn token(home: &Home, binary: &Path) -> Result<String> {
    let mut command = home.command(Path::new("script"));
    let line = format!(
        "'{}' token create bench --role operator --json",
        binary.display()
    );
    let said = command.args(["-qec", &line, "/dev/null"]).output()?;
    let said = String::from_utf8(said.stdout)?;
    let start = said
        .find('{')
        .with_context(|| format!("no token: {said}"))?;
    let made: Value = serde_json::from_str(said.get(start..).unwrap_or_default().trim())?;
    Ok(made["token"].as_str().context("no token")?.to_owned())
}

struct Loaded {
    rate: f64,
    cpu: f64,
}

/// Calls from so many clients for a while.
fn load(
    server: &ServeProcess,
    face: Face,
    clients: usize,
    call: &Value,
    token: Option<&str>,
) -> Result<Loaded> {
    let (over, done) = (AtomicBool::new(false), AtomicU32::new(0));
    let opened: Result<Vec<LoadClient>> = (0..clients)
        .map(|_| LoadClient::open(face, server.address(), call, token))
        .collect();
    let before = cpu_of(server.id())?;
    let begun = Instant::now();
    std::thread::scope(|scope| -> Result<()> {
        let (over, done) = (&over, &done);
        let work = |mut client: LoadClient| {
            scope.spawn(move || -> Result<()> {
                while !over.load(Ordering::Relaxed) {
                    client.call()?;
                    done.fetch_add(1, Ordering::Relaxed);
                    if begun.elapsed() >= TIME {
                        over.store(true, Ordering::Relaxed);
                    }
                }
                Ok(())
            })
        };
        let working: Vec<_> = opened?.into_iter().map(work).collect();
        for client in working {
            let ended = client.join();
            ended.map_err(|_| anyhow::anyhow!("a client panicked"))??;
        }
        Ok(())
    })?;
    let time = begun.elapsed();
    let done = done.load(Ordering::Relaxed).max(1);
    let spent = cpu_of(server.id())? - before;
    Ok(Loaded {
        rate: f64::from(done) / time.as_secs_f64(),
        cpu: microseconds(spent / done),
    })
}

/// A client with a kept connection, and for SSE the stream of its answers.
struct LoadClient {
    connection: KeptConnection,
    request: String,
    answers: Option<BufReader<TcpStream>>,
}

impl LoadClient {
    fn open(face: Face, address: &str, call: &Value, token: Option<&str>) -> Result<Self> {
        let mut connection = KeptConnection::open(address)?;
        let message = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call });
        match face {
            Face::Rest => {
                let head = token.map(|it| format!("Authorization: Bearer {it}\r\n"));
                let request = post("/tools/call", &head.unwrap_or_default(), call);
                Ok(Self {
                    connection,
                    request,
                    answers: None,
                })
            }
            Face::Mcp => {
                connection.initialize("/mcp")?;
                let request = connection.head_and("/mcp", &message);
                Ok(Self {
                    connection,
                    request,
                    answers: None,
                })
            }
            Face::Sse => {
                let mut answers = BufReader::new(TcpStream::connect(address)?);
                let hello =
                    "GET /sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n";
                answers.get_mut().write_all(hello.as_bytes())?;
                let path = data(&mut answers, "data: /")?;
                let path = format!("/{path}");
                connection.initialize(&path)?;
                data(&mut answers, "data: {")?;
                let request = post(&path, "", &message);
                Ok(Self {
                    connection,
                    request,
                    answers: Some(answers),
                })
            }
        }
    }

    fn call(&mut self) -> Result<()> {
        let answer = self.connection.exchange(&self.request)?;
        let answer = match &mut self.answers {
            None => String::from_utf8(answer)?,
            Some(answers) => data(answers, "data: {")?,
        };
        ensure!(answer.contains("allowed"), "the server said {answer}");
        Ok(())
    }
}

/// The next event's data that begins so, without that beginning.
fn data(stream: &mut BufReader<TcpStream>, beginning: &str) -> Result<String> {
    loop {
        let mut line = String::new();
        ensure!(stream.read_line(&mut line)? > 0, "the stream ended");
        if let Some(rest) = line.strip_prefix(beginning) {
            return Ok(rest.trim_end().to_owned());
        }
    }
}

fn post(path: &str, head: &str, body: &Value) -> String {
    let body = body.to_string();
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{head}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}
