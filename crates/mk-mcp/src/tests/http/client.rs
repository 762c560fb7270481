//! As much of HTTP/1.1 as these tests need: one request a connection, bodies whole or event by event.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use crate::tests::wire::PATIENCE;

#[derive(Debug)]
pub(super) struct Request {
    address: SocketAddr,
    line: String,
    headers: Vec<(String, String)>,
    body: String,
}

#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

/// A reply whose body is still coming.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) head: Reply,
    reader: BufReader<TcpStream>,
    buffered: String,
}

impl Request {
    pub(super) fn new(address: SocketAddr, method: &str, path: &str) -> Self {
        Self {
            address,
            line: format!("{method} {path} HTTP/1.1"),
            headers: vec![("Host".to_owned(), address.to_string())],
            body: String::new(),
        }
    }

    /// Sets a header; an empty value removes it.
    pub(super) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers
            .retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        if !value.is_empty() {
            self.headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    pub(super) fn body(mut self, body: impl Into<String>) -> Self {
        self.body = body.into();
        self
    }

    /// Sends it and reads the whole reply.
    pub(super) async fn send(self) -> Reply {
        let mut stream = self.header("Connection", "close").open().await;
        while stream.chunk().await {}
        let mut reply = stream.head;
        reply.body = stream.buffered;
        reply
    }

    /// Sends it and reads the head of the reply.
    pub(super) async fn open(self) -> Stream {
        let mut socket = TcpStream::connect(self.address).await.expect("a listener");
        let mut head = format!("{}\r\n", self.line);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\n\r\n", self.body.len()));
        socket.write_all(head.as_bytes()).await.expect("a reader");
        // A server that has heard enough may answer before it has read everything.
        drop(socket.write_all(self.body.as_bytes()).await);
        let mut reader = BufReader::new(socket);
        let status = line(&mut reader).await;
        let status = status.split(' ').nth(1).and_then(|code| code.parse().ok());
        let mut headers = Vec::new();
        loop {
            let header = line(&mut reader).await;
            let Some((name, value)) = header.split_once(':') else {
                break;
            };
            headers.push((name.to_lowercase(), value.trim().to_owned()));
        }
        let head = Reply {
            status: status.expect("a status"),
            headers,
            body: String::new(),
        };
        Stream {
            head,
            reader,
            buffered: String::new(),
        }
    }
}

async fn line(reader: &mut BufReader<TcpStream>) -> String {
    let mut line = String::new();
    let read = tokio::time::timeout(PATIENCE, reader.read_line(&mut line)).await;
    read.expect("a line in time").expect("a line");
    line.trim_end().to_owned()
}

impl Stream {
    /// Reads more of the body; false at its end.
    async fn chunk(&mut self) -> bool {
        if self.head.header("transfer-encoding") == Some("chunked") {
            let size = line(&mut self.reader).await;
            let size = usize::from_str_radix(&size, 16).expect("a size");
            self.take(size).await;
            line(&mut self.reader).await;
            return size > 0;
        }
        let length = self.head.header("content-length");
        let length = length.and_then(|length| length.parse().ok()).unwrap_or(0);
        self.take(length).await;
        false
    }

    async fn take(&mut self, length: usize) {
        let mut bytes = vec![0; length];
        let read = tokio::time::timeout(PATIENCE, self.reader.read_exact(&mut bytes)).await;
        read.expect("bytes in time").expect("bytes");
        self.buffered
            .push_str(std::str::from_utf8(&bytes).expect("text"));
    }

    /// The next event that has data: its name and the data. Comments and bare retries are passed over.
    pub(super) async fn event(&mut self) -> (String, String) {
        loop {
            while let Some((event, rest)) = self.buffered.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.buffered = rest;
                let found = read_event(&event);
                if !found.1.is_empty() {
                    return found;
                }
            }
            assert!(
                self.chunk().await,
                "the stream ended; left: {:?}",
                self.buffered
            );
        }
    }

    /// The next message on the stream.
    pub(super) async fn message(&mut self) -> Value {
        let (_, data) = self.event().await;
        serde_json::from_str(&data).expect("every message is JSON")
    }

    /// Reads to the end of the stream.
    pub(super) async fn end(&mut self) {
        while self.chunk().await {}
    }
}

fn read_event(event: &str) -> (String, String) {
    let (mut name, mut data) = (String::new(), String::new());
    for line in event.lines() {
        if let Some(value) = line.strip_prefix("event:") {
            value.trim().clone_into(&mut name);
        } else if let Some(value) = line.strip_prefix("data:") {
            data.push_str(value.trim());
        }
    }
    (name, data)
}

impl Reply {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON in {self:?}"))
    }

    /// Every message of the body, which is JSON or a stream of events.
    pub(super) fn messages(&self) -> Vec<Value> {
        if self.header("content-type") == Some("application/json") {
            return vec![self.json()];
        }
        let events = self.body.split("\n\n").map(read_event);
        let data = events.map(|(_, data)| data).filter(|data| !data.is_empty());
        data.map(|data| serde_json::from_str(&data).expect("JSON"))
            .collect()
    }
}
