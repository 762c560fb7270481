//! Batches: revision 2025-03-26 lets a client send several messages in one array, and has the answers in one too.
//!
//! Other revisions know none; whether one is in force is seen on the way, in the answer to `initialize`.

use std::collections::VecDeque;

use rmcp::model::{
    ClientJsonRpcMessage, ProtocolVersion, RequestId, ServerJsonRpcMessage, ServerResult,
};
use serde_json::Value;

use crate::error;
use crate::transport::line::{LineRefusal, read_value};

/// The batches of one connection.
#[derive(Debug, Default)]
pub(crate) struct Batches {
    are_known: bool,
    open: Vec<RequestBatch>,
}

/// One array, until the last of its requests is answered.
#[derive(Debug, Default)]
struct RequestBatch {
    waiting: Vec<RequestId>,
    answers: Vec<Value>,
}

/// What becomes of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outgoing {
    /// It goes out as this line.
    Line(Vec<u8>),
    /// It waits for the others of its batch.
    Held,
}

impl Batches {
    /// Takes an array apart. `None` where arrays mean nothing; an answer where nothing in it asks for one more.
    pub(crate) fn take_apart(
        &mut self,
        elements: Vec<Value>,
        messages: &mut VecDeque<ClientJsonRpcMessage>,
    ) -> Option<Option<Vec<u8>>> {
        if !self.are_known || elements.is_empty() {
            return None;
        }
        let mut batch = RequestBatch::default();
        for element in elements {
            match read_value(&element) {
                Ok(message) => {
                    if let ClientJsonRpcMessage::Request(request) = &message {
                        batch.waiting.push(request.id.clone());
                    }
                    messages.push_back(message);
                }
                Err(refusal) => batch.answers.push(refusal.to_json()),
            }
        }
        if !batch.waiting.is_empty() {
            self.open.push(batch);
            return Some(None);
        }
        Some((!batch.answers.is_empty()).then(|| batch.to_line()))
    }

    /// Notes the revision, and holds an answer back until its batch is complete.
    pub(crate) fn send(&mut self, message: &ServerJsonRpcMessage) -> serde_json::Result<Outgoing> {
        if let ServerJsonRpcMessage::Response(response) = message
            && let ServerResult::InitializeResult(result) = &response.result
        {
            self.are_known = result.protocol_version == ProtocolVersion::V_2025_03_26;
        }
        let answered = match message {
            ServerJsonRpcMessage::Response(response) => Some(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        let batch = answered.and_then(|id| {
            let asks =
                |batch: &RequestBatch| batch.waiting.iter().position(|waiting| waiting == id);
            let mut open = self.open.iter().enumerate();
            open.find_map(|(at, batch)| Some((at, asks(batch)?)))
        });
        let Some((at, request)) = batch else {
            let mut line = serde_json::to_vec(message)?;
            line.push(b'\n');
            return Ok(Outgoing::Line(line));
        };
        let batch = &mut self.open[at];
        batch.waiting.swap_remove(request);
        batch.answers.push(serde_json::to_value(message)?);
        if !batch.waiting.is_empty() {
            return Ok(Outgoing::Held);
        }
        Ok(Outgoing::Line(self.open.swap_remove(at).to_line()))
    }

    /// A request that was cancelled is never answered, so its batch must not wait for it.
    pub(crate) fn cancel(&mut self, id: &RequestId) -> Option<Vec<u8>> {
        let at = self
            .open
            .iter()
            .position(|batch| batch.waiting.contains(id))?;
        let batch = &mut self.open[at];
        batch.waiting.retain(|waiting| waiting != id);
        if !batch.waiting.is_empty() {
            return None;
        }
        let batch = self.open.swap_remove(at);
        (!batch.answers.is_empty()).then(|| batch.to_line())
    }
}

impl RequestBatch {
    fn to_line(&self) -> Vec<u8> {
        let mut line = Value::Array(self.answers.clone()).to_string().into_bytes();
        line.push(b'\n');
        line
    }
}

/// Why an array is refused.
pub(crate) fn refusal() -> Box<LineRefusal> {
    let detail = "batches are part of revision 2025-03-26 only; send one message at a time";
    LineRefusal::without_id(error::invalid_request(detail))
}
