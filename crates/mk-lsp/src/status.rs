//! How a language's server is doing, as it is shown.

use crate::error::ServerError;

/// One language's server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerStatus {
    pub language: String,
    /// Which server runs.
    pub server: Option<String>,
    pub pid: Option<u32>,
    pub health: Health,
    /// How often a server was started for this language.
    pub n_starts: u64,
}

/// What a server is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    Stopped,
    Starting,
    /// It reads the project; answers that need all of it wait.
    Indexing {
        percent: Option<u8>,
        title: String,
    },
    Ready,
    Failed {
        error: ServerError,
    },
}

impl Health {
    /// In one word.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::Starting => "starting",
            Self::Indexing { .. } => "indexing",
            Self::Ready => "running",
            Self::Failed { .. } => "failed",
        }
    }
}
