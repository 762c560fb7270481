//! What a language server could not give us.

/// Why there is no answer; a caller may keep it, because it is cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    #[error("no language server is known for `{name}`")]
    UnknownLanguage { name: String },
    #[error("no language server for `{language}` is installed")]
    NotInstalled {
        language: String,
        /// Those that were looked for, the preferred one first.
        servers: Vec<String>,
        /// Why one that is there does not count.
        rejected: Vec<String>,
        advice: String,
    },
    #[error("`{server}` did not start: {reason}")]
    Start {
        server: String,
        reason: String,
        /// The last lines of its standard error.
        stderr: Vec<String>,
    },
    #[error("`{server}` exited before it answered: {reason}")]
    Crashed {
        server: String,
        reason: String,
        /// The last lines of its standard error.
        stderr: Vec<String>,
    },
    /// A question before this one got no answer, and it has said nothing since.
    #[error("`{server}` is not responding")]
    Suspect { server: String },
    #[error("`{server}` timed out after {seconds} s: {doing}")]
    Timeout {
        server: String,
        doing: String,
        seconds: u64,
    },
    /// In the server's own words.
    #[error("`{server}` cannot read the project: {reason}")]
    Blind { server: String, reason: String },
    /// The server's own words.
    #[error("`{server}` refused: {message}")]
    Refused {
        server: String,
        code: i64,
        message: String,
    },
    #[error("`{server}` does not support `{method}`")]
    Unsupported {
        server: String,
        method: &'static str,
    },
    #[error("`{server}` answered `{method}` with an unusable result: {reason}")]
    Unusable {
        server: String,
        method: &'static str,
        reason: String,
    },
    #[error("the language servers of this project were stopped")]
    Stopped,
    #[error("`{program}` did not install `{server}`: {reason}")]
    Install {
        server: String,
        program: String,
        reason: String,
    },
}

impl ServerError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownLanguage { .. } => {
                Some("name a server for these files in the configuration".to_owned())
            }
            Self::NotInstalled { advice, .. } => Some(advice.clone()),
            Self::Start { stderr, .. } | Self::Crashed { stderr, .. } => {
                (!stderr.is_empty()).then(|| format!("it said: {}", stderr.join(" | ")))
            }
            Self::Timeout { .. } => {
                Some("try again: large projects take a while the first time".to_owned())
            }
            Self::Suspect { .. } => {
                Some("try again later, or restart the language server".to_owned())
            }
            Self::Blind { .. } => {
                Some("fix the problem it reports, then restart the language server".to_owned())
            }
            Self::Unsupported { .. } => Some("search for the text instead".to_owned()),
            Self::Unusable { .. } => Some("restart the language server".to_owned()),
            Self::Install { .. } => Some("run the command by hand to see more".to_owned()),
            Self::Refused { .. } | Self::Stopped => None,
        }
    }
}
