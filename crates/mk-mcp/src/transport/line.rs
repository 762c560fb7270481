//! Newline-delimited JSON over any pair of streams. What cannot be read is answered, never ignored.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ErrorData, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize as _;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::error;
use crate::transport::batch::{self, Batches, Outgoing};
use crate::transport::call_line::read_call;

/// As much as the HTTP side takes in one body.
pub const LONGEST_LINE: usize = 4 * 1024 * 1024;
/// Answers that may wait for a slow reader before senders wait too.
const WAITING_LINES: usize = 256;

/// How far apart the last answers may be once a client has closed its end: a call that takes longer is not waited for,
/// and neither is a client that does not read.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// Reads messages line by line and writes them from a task of its own.
#[derive(Debug)]
pub struct LineTransport<R> {
    reader: BufReader<R>,
    /// What has been read of the line so far: `receive` may be dropped and called again.
    line: Vec<u8>,
    /// The line is too long and its rest is skipped.
    overlong: bool,
    lines: Option<mpsc::Sender<Vec<u8>>>,
    /// An error that waits for room in the channel.
    unsent: Option<Vec<u8>>,
    /// Messages of a batch that are not handed on yet.
    unread: VecDeque<ClientJsonRpcMessage>,
    batches: Batches,
}

/// The other half: ends when everything is written, and everybody who could write more is gone.
#[derive(Debug)]
pub struct WriterEnd {
    task: JoinHandle<std::io::Result<()>>,
    n_writes: Arc<AtomicUsize>,
}

impl WriterEnd {
    /// Waits for it as long as answers come.
    pub async fn wait(mut self) {
        loop {
            let before = self.n_writes.load(Ordering::Relaxed);
            let done = tokio::time::timeout(LAST_ANSWERS, &mut self.task).await;
            if done.is_ok() || self.n_writes.load(Ordering::Relaxed) == before {
                return;
            }
        }
    }
}

/// The other side is gone.
#[derive(Debug, thiserror::Error)]
#[error("the client stopped reading")]
pub struct PeerGone;

impl<R: AsyncRead + Unpin + Send> LineTransport<R> {
    pub fn new(reader: R, writer: impl AsyncWrite + Unpin + Send + 'static) -> (Self, WriterEnd) {
        let (lines, waiting) = mpsc::channel(WAITING_LINES);
        let transport = Self {
            reader: BufReader::with_capacity(64 * 1024, reader),
            line: Vec::new(),
            overlong: false,
            lines: Some(lines),
            unsent: None,
            unread: VecDeque::new(),
            batches: Batches::default(),
        };
        let n_writes = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&n_writes);
        let writing = async move { write_lines(waiting, writer, &counted).await };
        let written = WriterEnd {
            task: tokio::spawn(writing),
            n_writes,
        };
        (transport, written)
    }

    /// The next complete line; `None` at the end of input. Safe to drop at any await.
    async fn next_line(&mut self) -> Option<Result<Vec<u8>, ErrorData>> {
        loop {
            let chunk = match self.reader.fill_buf().await {
                Ok(chunk) if !chunk.is_empty() => chunk,
                // A last line without its newline is still a line.
                _ if std::mem::take(&mut self.overlong) => return Some(Err(too_long())),
                _ if self.line.is_empty() => return None,
                _ => return Some(Ok(std::mem::take(&mut self.line))),
            };
            let (taken, complete) = match chunk.iter().position(|byte| *byte == b'\n') {
                Some(end) => (end + 1, true),
                None => (chunk.len(), false),
            };
            if !self.overlong {
                self.line.extend_from_slice(&chunk[..taken]);
            }
            self.reader.consume(taken);
            if self.line.len() > LONGEST_LINE {
                self.line = Vec::new();
                self.overlong = true;
            }
            if complete {
                if std::mem::take(&mut self.overlong) {
                    return Some(Err(too_long()));
                }
                return Some(Ok(std::mem::take(&mut self.line)));
            }
        }
    }

    /// The message of a line; `None` for a batch, whose messages are then unread.
    fn read(&mut self, line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Box<LineRefusal>> {
        if line.trim_ascii_start().first() == Some(&b'[')
            && let Ok(Value::Array(elements)) = serde_json::from_slice(line)
        {
            let Some(answer) = self.batches.take_apart(elements, &mut self.unread) else {
                return Err(batch::refusal());
            };
            self.unsent = answer;
            return Ok(None);
        }
        let message = read_message(line)?;
        if let Some(id) = cancelled(&message) {
            self.unsent = self.batches.cancel(id);
        }
        Ok(Some(message))
    }

    async fn flush_unsent(&mut self) {
        let (Some(line), Some(lines)) = (self.unsent.take(), &self.lines) else {
            return;
        };
        match lines.try_send(line) {
            Ok(()) | Err(mpsc::error::TrySendError::Closed(_)) => {}
            Err(mpsc::error::TrySendError::Full(line)) => {
                self.unsent = Some(line);
                if let Ok(room) = lines.reserve().await
                    && let Some(line) = self.unsent.take()
                {
                    room.send(line);
                }
            }
        }
    }
}

impl<R: AsyncRead + Unpin + Send> Transport<RoleServer> for LineTransport<R> {
    type Error = PeerGone;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), PeerGone>> + Send + 'static {
        let lines = self.lines.clone();
        let outgoing = self.batches.send(&message);
        async move {
            match outgoing.map_err(|_| PeerGone)? {
                Outgoing::Held => Ok(()),
                Outgoing::Line(line) => lines
                    .ok_or(PeerGone)?
                    .send(line)
                    .await
                    .map_err(|_| PeerGone),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.flush_unsent().await;
            if let Some(message) = self.unread.pop_front() {
                return Some(message);
            }
            let refusal = match self.next_line().await? {
                Ok(line) if line.trim_ascii().is_empty() => continue,
                Ok(line) => match self.read(&line) {
                    Ok(Some(message)) => return Some(message),
                    Ok(None) => continue,
                    Err(refusal) => refusal,
                },
                Err(error) => LineRefusal::without_id(error),
            };
            self.unsent = Some(refusal.to_line());
        }
    }

    async fn close(&mut self) -> Result<(), PeerGone> {
        self.flush_unsent().await;
        self.lines = None;
        Ok(())
    }
}

/// The request that a notification calls off.
fn cancelled(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    let ClientJsonRpcMessage::Notification(notification) = message else {
        return None;
    };
    let ClientNotification::CancelledNotification(cancelled) = &notification.notification else {
        return None;
    };
    cancelled.params.request_id.as_ref()
}

fn too_long() -> ErrorData {
    error::invalid_request(&format!("a line is longer than {LONGEST_LINE} bytes"))
}

/// Why a line is no message, and to which request that answers.
#[derive(Debug)]
pub(crate) struct LineRefusal {
    id: Option<RequestId>,
    error: ErrorData,
}

impl LineRefusal {
    pub(crate) fn without_id(error: ErrorData) -> Box<Self> {
        Box::new(Self { id: None, error })
    }

    /// The answer as JSON; the id is `null` where none could be read.
    pub(crate) fn to_json(&self) -> Value {
        json!({ "jsonrpc": "2.0", "id": self.id, "error": self.error })
    }

    fn to_line(&self) -> Vec<u8> {
        let mut line = self.to_json().to_string().into_bytes();
        line.push(b'\n');
        line
    }
}

pub(crate) fn read_message(line: &[u8]) -> Result<ClientJsonRpcMessage, Box<LineRefusal>> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    match read_call(line) {
        Some(call) => Ok(call),
        None => serde_json::from_slice(line).map_err(|_| refuse(line)),
    }
}

/// The same of what is JSON already.
pub(crate) fn read_value(value: &Value) -> Result<ClientJsonRpcMessage, Box<LineRefusal>> {
    ClientJsonRpcMessage::deserialize(value).map_err(|_| no_message(value))
}

fn refuse(line: &[u8]) -> Box<LineRefusal> {
    match serde_json::from_slice::<Value>(line) {
        Err(error) => LineRefusal::without_id(error::parse_error(&error.to_string())),
        Ok(Value::Array(_)) => batch::refusal(),
        Ok(value) => no_message(&value),
    }
}

fn no_message(value: &Value) -> Box<LineRefusal> {
    let id = value
        .get("id")
        .and_then(|id| serde_json::from_value(id.clone()).ok());
    let detail = "not a JSON-RPC 2.0 request, notification or response";
    let error = error::invalid_request(detail);
    Box::new(LineRefusal { id, error })
}

/// Writes what waits in one go, so that many small answers cost one system call.
async fn write_lines(
    mut waiting: mpsc::Receiver<Vec<u8>>,
    mut writer: impl AsyncWrite + Unpin,
    n_writes: &AtomicUsize,
) -> std::io::Result<()> {
    let mut batch = Vec::new();
    while let Some(line) = waiting.recv().await {
        batch.extend_from_slice(&line);
        while batch.len() < 64 * 1024
            && let Ok(line) = waiting.try_recv()
        {
            batch.extend_from_slice(&line);
        }
        writer.write_all(&batch).await?;
        writer.flush().await?;
        n_writes.fetch_add(1, Ordering::Relaxed);
        batch.clear();
        batch.shrink_to(1024 * 1024);
    }
    Ok(())
}
