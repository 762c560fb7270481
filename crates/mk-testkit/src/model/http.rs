//! Just enough of HTTP/1.1 for a model: one request a connection, and an answer whole or as events.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

#[derive(Debug)]
pub(super) struct Reply {
    content_type: &'static str,
    body: String,
}

impl Request {
    pub(super) fn read(stream: &TcpStream) -> Option<Self> {
        let mut input = BufReader::new(stream);
        let first = read_line(&mut input)?;
        let mut words = first.split(' ');
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        let (mut length, mut chunked) = (0, false);
        loop {
            let line = read_line(&mut input)?;
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().ok()?,
                "transfer-encoding" => chunked = value.eq_ignore_ascii_case("chunked"),
                "expect" => (&*stream)
                    .write_all(b"HTTP/1.1 100 Continue\r\n\r\n")
                    .ok()?,
                _ => {}
            }
        }
        let body = if chunked {
            read_chunks(&mut input)?
        } else {
            read_bytes(&mut input, length)?
        };
        Some(Self { method, path, body })
    }
}

impl Reply {
    pub(super) fn json(value: &Value) -> Self {
        Self {
            content_type: "application/json",
            body: value.to_string(),
        }
    }

    /// Server-sent events without a name.
    pub(super) fn data(events: &[Value]) -> Self {
        let body = events.iter().map(|event| format!("data: {event}\n\n"));
        Self::stream(body.collect())
    }

    /// Server-sent events that are named after their `type`.
    pub(super) fn events(events: &[Value]) -> Self {
        let body = events.iter().map(|event| {
            let name = event["type"].as_str().unwrap_or_default();
            format!("event: {name}\ndata: {event}\n\n")
        });
        Self::stream(body.collect())
    }

    fn stream(body: String) -> Self {
        Self {
            content_type: "text/event-stream",
            body,
        }
    }

    /// The same, with a last line that says so.
    pub(super) fn done(mut self) -> Self {
        self.body.push_str("data: [DONE]\n\n");
        self
    }

    pub(super) fn write(&self, stream: &mut TcpStream) -> std::io::Result<()> {
        let Self { content_type, body } = self;
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )?;
        stream.flush()
    }
}

/// What every product finds when it asks for the models there are.
pub(super) fn models() -> Reply {
    let model =
        json!({ "id": "scripted", "object": "model", "type": "model", "display_name": "Scripted" });
    Reply::json(&json!({
        "object": "list",
        "data": [model],
        "models": [{ "name": "models/gemini-2.5-pro" }],
    }))
}

fn read_line(input: &mut BufReader<&TcpStream>) -> Option<String> {
    let mut line = String::new();
    let length = input.read_line(&mut line).ok()?;
    (length > 0).then(|| line.trim_end().to_owned())
}

fn read_bytes(input: &mut BufReader<&TcpStream>, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

fn read_chunks(input: &mut BufReader<&TcpStream>) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let length = usize::from_str_radix(&read_line(input)?, 16).ok()?;
        body.extend(read_bytes(input, length)?);
        read_line(input);
        if length == 0 {
            return Some(body);
        }
    }
}
