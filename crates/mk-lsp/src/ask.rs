//! A question to a server, on its way between the caller and the server's own thread.

use std::fmt;
use std::time::Instant;

use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use crate::document::ShownDocument;
use crate::error::ServerError;
use crate::position::Encoding;

/// A question and where its answer goes.
#[derive(Debug)]
pub(crate) struct PendingQuestion {
    /// Tells questions of one project apart.
    pub(crate) ticket: u64,
    pub(crate) question: ServerQuestion,
    /// The document it is about; the server is shown its text first.
    pub(crate) document: Option<ShownDocument>,
    /// The generation of the server that was shown the document.
    pub(crate) shown_to: Option<u64>,
    pub(crate) when: AnswerReadiness,
    pub(crate) asked: Instant,
    /// It was turned away for the moment; not again before this.
    pub(crate) not_before: Option<Instant>,
    pub(crate) answer: oneshot::Sender<ServerAnswer>,
}

/// What is asked.
pub(crate) enum ServerQuestion {
    /// Nothing but that the server is there.
    Presence,
    Diagnostics,
    /// Parameters without the document; they depend on how the server counts columns.
    Request(&'static str, Box<dyn Fn(Encoding) -> Value + Send>),
}

/// How far a server must be for an answer that is worth having.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerReadiness {
    Initialized,
    /// It has seen the whole project.
    Warm,
}

/// What a server said, not yet looked into.
#[derive(Debug)]
pub(crate) struct ServerReply {
    pub(crate) server: String,
    pub(crate) pid: u32,
    pub(crate) encoding: Encoding,
    pub(crate) result: Box<RawValue>,
}

pub(crate) type ServerAnswer = Result<ServerReply, ServerError>;

impl ServerQuestion {
    pub(crate) fn method(&self) -> &'static str {
        match self {
            Self::Presence => "initialize",
            Self::Diagnostics => "textDocument/diagnostic",
            Self::Request(method, _) => method,
        }
    }
}

impl fmt::Debug for ServerQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.method())
    }
}

impl PendingQuestion {
    pub(crate) fn finish(self, answer: ServerAnswer) {
        // Who does not wait any more does not want it.
        drop(self.answer.send(answer));
    }
}
