//! Why a use case refused. One closed set, so that each face can word it in one exhaustive match.

use std::time::Duration;

use mk_policy::DecidingRule;
use mk_store::MissingSubject;
use mk_types::SessionId;

use crate::code_error::{CodeError, CodeKind};
use crate::missing::{ConflictingChange, MissingThing};
use crate::next_step::NextStep;

/// What the caller could not get.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Something about the input is wrong; `parameter` names it where that is known.
    #[error("{message}")]
    InvalidInput {
        parameter: Option<&'static str>,
        message: String,
    },
    #[error("{0}")]
    NotFound(MissingThing),
    #[error("Session {session} has expired (timeout: {}s)", timeout.as_secs())]
    Expired {
        session: SessionId,
        timeout: Duration,
    },
    /// The mode, or a person, said no.
    #[error("{message}")]
    Denied {
        rule: Option<DecidingRule>,
        message: String,
        hint: Option<NextStep>,
    },
    /// Others changed it meanwhile.
    #[error("{0}")]
    Conflict(ConflictingChange),
    /// The store cannot be used right now.
    #[error("{source}")]
    Unavailable {
        #[source]
        source: mk_store::Error,
        hint: Option<NextStep>,
    },
    /// What the playbook could not give, in the words of its contract.
    #[error("{message}")]
    Playbook {
        message: String,
        hint: Option<NextStep>,
    },
    /// What the code tools could not do.
    #[error("{0}")]
    Code(Box<CodeError>),
}

impl Error {
    pub fn invalid(parameter: &'static str, message: impl Into<String>) -> Self {
        Self::InvalidInput {
            parameter: Some(parameter),
            message: message.into(),
        }
    }

    /// Whether a mode, a ceiling or a person said no.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Denied { .. } => true,
            Self::Code(code) => code.kind == CodeKind::PermissionDenied,
            _ => false,
        }
    }

    /// The caller no longer waits.
    pub fn cancelled() -> Self {
        CodeError::new(CodeKind::Timeout, "Request cancelled").into()
    }

    /// Whether the refusal is about a file rather than about the tool.
    pub fn concerns_file(&self) -> bool {
        matches!(self, Self::Denied { rule: Some(rule), .. } if rule.concerns_file())
    }

    /// What to do now, where something can be done.
    pub fn next_step(&self) -> Option<&NextStep> {
        match self {
            Self::Denied { hint, .. }
            | Self::Playbook { hint, .. }
            | Self::Unavailable { hint, .. } => hint.as_ref(),
            Self::Code(error) => error.hint.as_ref(),
            Self::Expired { .. } => Some(&NextStep::CreateTask),
            Self::NotFound(MissingThing::ModeInForce(_)) => Some(&NextStep::SetMode),
            Self::InvalidInput { .. } | Self::NotFound(_) | Self::Conflict(_) => None,
        }
    }
}

impl From<mk_playbook::Error> for Error {
    fn from(error: mk_playbook::Error) -> Self {
        use mk_playbook::Error as Playbook;
        let hint = error.hint().map(NextStep::from);
        let message = match &error {
            Playbook::NoAgent { name } => format!("Agent '{name}' not found."),
            Playbook::InvalidConfig { .. } => {
                format!("Failed to load project configuration: {error}")
            }
        };
        Self::Playbook { message, hint }
    }
}

impl From<mk_store::Error> for Error {
    /// What the store says about ids and states is about the input; all else is the store's own trouble.
    fn from(error: mk_store::Error) -> Self {
        use mk_store::Error as Store;
        match error {
            Store::ParentFinished { .. } | Store::Finished { .. } | Store::NotAnEnd { .. } => {
                Self::InvalidInput {
                    parameter: None,
                    message: sentence(&error),
                }
            }
            Store::AlreadyDecided { .. }
            | Store::NotGranted { .. }
            | Store::Conflict { .. }
            | Store::Overtaken => Self::Conflict(ConflictingChange::Stored(error)),
            Store::NotFound(MissingSubject::Session(id)) => {
                Self::NotFound(MissingThing::Session(id))
            }
            Store::NotFound(MissingSubject::Task(id)) => Self::NotFound(MissingThing::Task(id)),
            Store::NotFound(MissingSubject::Approval(id)) => {
                Self::NotFound(MissingThing::Approval(id))
            }
            // The caller that knows the session says it better, see `Engine::about`.
            Store::Expired(subject) => Self::NotFound(MissingThing::Expired(subject)),
            source => Self::Unavailable {
                hint: match source {
                    Store::Corrupt { .. } => Some(NextStep::RecoverStore),
                    _ => source.hint().map(NextStep::from),
                },
                source,
            },
        }
    }
}

/// Upper case at the start, as the contract's messages have it.
pub(crate) fn sentence(error: &mk_store::Error) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}
