//! What goes wrong, and the one table of codes that the wire knows.

use std::io;

use mk_engine::Error as EngineError;

/// Why the proxy could not go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot start the agent `{program}`")]
    Start {
        program: String,
        #[source]
        source: io::Error,
    },
    #[error("cannot use standard input and output")]
    Streams(#[source] io::Error),
    #[error("the connection to the editor was lost")]
    Editor(#[source] io::Error),
    #[error("the connection to the agent was lost")]
    Agent(#[source] io::Error),
    #[error("cannot write the trace `{file}`")]
    Trace {
        file: String,
        #[source]
        source: io::Error,
    },
    #[error("the agent ended with {status}")]
    AgentEnded { status: String },
}

/// What a request is answered that we do not let through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestRefusal {
    /// The parameters name something that there is not.
    InvalidParams,
    /// The mode, or a person, said no.
    Denied,
    Internal,
}

impl RequestRefusal {
    pub(crate) const fn code(self) -> i64 {
        match self {
            Self::InvalidParams => -32602,
            Self::Denied => -32000,
            Self::Internal => -32603,
        }
    }
}

/// An engine's error in the words of the wire.
pub(crate) fn refusal(error: &EngineError) -> (RequestRefusal, String) {
    let refusal = match error {
        EngineError::InvalidInput { .. } | EngineError::NotFound(_) => {
            RequestRefusal::InvalidParams
        }
        EngineError::Denied { .. } | EngineError::Expired { .. } => RequestRefusal::Denied,
        EngineError::Conflict(_)
        | EngineError::Unavailable { .. }
        | EngineError::Playbook { .. }
        | EngineError::Code(_) => RequestRefusal::Internal,
    };
    let text = match error.next_step() {
        Some(step) => format!("{error}. Hint: {}", step.for_model()),
        None => error.to_string(),
    };
    (refusal, text)
}
