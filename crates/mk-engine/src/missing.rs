//! What is not there, and what others changed meanwhile: typed subjects, worded here and nowhere else.

use std::fmt;

use mk_store::MissingSubject;
use mk_types::{ApprovalId, ConversationId, DecisionId, ModeSlug, SessionId, TaskId};

use crate::error::sentence;

/// What is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingThing {
    Mode {
        slug: ModeSlug,
        available: Vec<ModeSlug>,
        /// Why a mode of this name is not loaded.
        broken: Option<String>,
    },
    /// A mode that holds, and that no file defines any more: what is missing is not what was asked for.
    ModeInForce(Box<Self>),
    Task(TaskId),
    /// A task, by the session in which it is worked on.
    Session(SessionId),
    /// The same, for a task that is to be made below it.
    ParentSession(SessionId),
    Approval(ApprovalId),
    Decision(DecisionId),
    Conversation(ConversationId),
    /// A session or a task whose time is over.
    Expired(MissingSubject),
}

impl fmt::Display for MissingThing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mode {
                slug,
                available,
                broken,
            } => {
                let available: Vec<&str> = available.iter().map(ModeSlug::as_str).collect();
                let available = available.join(", ");
                write!(f, "Mode not found: {slug}. Available: {available}")?;
                match broken {
                    Some(why) => write!(f, ". It is defined but broken: {why}"),
                    None => Ok(()),
                }
            }
            Self::ModeInForce(mode) => {
                write!(
                    f,
                    "{mode}. The missing mode holds here, so every call is denied"
                )
            }
            Self::Task(id) => write!(f, "Task not found: {id}"),
            Self::Session(id) => write!(f, "Session not found: {id}"),
            Self::ParentSession(id) => write!(f, "Parent session not found: {id}"),
            Self::Approval(id) => write!(f, "Approval not found: {id}"),
            Self::Decision(id) => write!(f, "Decision not found: {id}"),
            Self::Conversation(id) => write!(f, "Conversation not found: {id}"),
            Self::Expired(subject) => {
                f.write_str(&sentence(&mk_store::Error::Expired(subject.clone())))
            }
        }
    }
}

/// What others changed, or have made already.
#[derive(Debug)]
pub enum ConflictingChange {
    /// The session is in another mode each time it is looked at.
    Switching(SessionId),
    /// So is what holds the caller.
    Mode,
    /// The text that a person agreed to is no longer the mode's.
    ModeText(ModeSlug),
    /// The project's configuration is there.
    Configuration(String),
    Stored(mk_store::Error),
}

impl fmt::Display for ConflictingChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switching(id) => write!(f, "Session {id} is being switched by others"),
            Self::Mode => f.write_str("The mode is being changed by others"),
            Self::ModeText(slug) => {
                write!(f, "The text of '{slug}' has changed: look at it again")
            }
            Self::Configuration(file) => {
                write!(f, "The project has a configuration already: `{file}`")
            }
            Self::Stored(error) => f.write_str(&sentence(error)),
        }
    }
}
