//! What the store keeps and takes: plain values, no SQL.

macro_rules! words {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$note:meta])* $variant:ident = $word:literal),+ $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$note])* $variant),+
        }

        impl $name {
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }

            pub fn parse(text: &str) -> Option<Self> {
                match text {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

mod access;
mod command;
mod conversation;
mod decision;

use std::time::Duration;

use mk_types::{ApprovalId, ConversationId, ModeSlug, SessionId, TaskId, Timestamp};

pub use access::{AccessRole, AuditedChange, Credential, CredentialKind, NewAct, NewCredential};
pub use command::{
    CommandFilter, CommandPermit, CommandRecord, NewCommandPermit, NewCommandRecord,
};
pub use conversation::{
    AgentSession, Conversation, ConversationGrounds, ModeGrounds, ModeReach, NewConversation,
    NewProjectMode, ProcessIdentity, Project, ProjectGrounds, RootDirectory, SetProjectMode,
};
pub use decision::{
    ApprovalFigures, DecisionCount, DecisionFilter, DecisionRecord, NewDecision, Ruling,
};

/// A session and the task it carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub id: SessionId,
    pub task: TaskId,
    pub mode: ModeSlug,
    pub state: TaskState,
    pub parent: Option<TaskId>,
    /// Absolute root of the project.
    pub project: String,
    /// The conversation that created it.
    pub conversation: Option<ConversationId>,
    pub created_at: Timestamp,
    /// The last use of this session or of one below it.
    pub last_activity: Timestamp,
    pub finished_at: Option<Timestamp>,
    /// Since when it can no longer be used, because it was idle for too long.
    pub expired_at: Option<Timestamp>,
    pub result: Option<String>,
}

/// One line of a task's conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMessage {
    pub role: Role,
    pub content: String,
    pub at: Timestamp,
}

/// One step of a session's mode history; the first has no `from`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredModeChange {
    pub from: Option<ModeSlug>,
    pub to: ModeSlug,
    pub reason: Option<String>,
    pub at: Timestamp,
}

/// A question to a person, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    pub id: ApprovalId,
    pub session: Option<SessionId>,
    pub kind: String,
    /// The line a person reads.
    pub subject: String,
    /// What the asker needs to act on the answer; opaque here.
    pub payload: String,
    /// Who asked: the answer is good for this conversation only.
    pub conversation: Option<ConversationId>,
    pub plan: Option<Box<StoredPlan>>,
    pub state: ApprovalState,
    pub created_at: Timestamp,
    /// An unanswered question, or an unused answer, is good for nothing from then on.
    pub expires_at: Timestamp,
    pub decided_at: Option<Timestamp>,
    pub decided_by: Option<String>,
}

/// A session to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    pub mode: ModeSlug,
    pub parent: Option<TaskId>,
    /// Absolute root of the project.
    pub project: String,
    pub conversation: Option<ConversationId>,
    /// The user's first message, if there is one.
    pub message: Option<String>,
    pub grounds: ModeGrounds,
}

/// A change of mode that holds only if the session is still in `from`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeSwitch {
    pub session: SessionId,
    pub from: ModeSlug,
    pub to: ModeSlug,
    pub reason: Option<String>,
    pub grounds: ModeGrounds,
}

/// A question to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewApproval {
    pub session: Option<SessionId>,
    pub kind: String,
    pub subject: String,
    pub payload: String,
    pub conversation: Option<ConversationId>,
    pub plan: Option<Box<StoredPlan>>,
}

/// What exactly a person is asked to agree to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPlan {
    /// Over everything that must not change between the answer and the act.
    pub hash: String,
    /// What the person sees: all files with their revisions before and after, and the diff, as JSON.
    pub text: String,
}

/// Which sessions to list; the default is all of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionFilter {
    pub state: Option<TaskState>,
    pub project: Option<String>,
    pub conversation: Option<ConversationId>,
    pub limit: Option<usize>,
}

/// How long things are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// An active task that is idle for longer expires.
    pub timeout: Duration,
    /// Tasks, decisions and records are removed when they are older.
    pub retention: Duration,
    /// For how long after that an id still answers "expired" and not "unknown".
    pub tombstones: Duration,
}

/// What a sweep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SweptSessions {
    /// Tasks that can no longer be used; they can still be read.
    pub expired: usize,
    /// Sessions that were removed.
    pub sessions: usize,
    pub tombstones: usize,
    pub approvals: usize,
    /// Decisions, permits, records of commands and conversations.
    pub records: usize,
}

/// The answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ApprovalVerdict {
    Granted,
    Denied,
}

impl ApprovalVerdict {
    pub const fn state(self) -> ApprovalState {
        match self {
            Self::Granted => ApprovalState::Granted,
            Self::Denied => ApprovalState::Denied,
        }
    }
}

words! {
    /// Where a task stands.
    TaskState { Active = "active", Completed = "completed", Failed = "failed", Cancelled = "cancelled" }
}
words! {
    /// Who spoke.
    Role { User = "user", Assistant = "assistant" }
}
words! {
    /// Where a question stands: granted is good for one act, then it is used.
    ApprovalState { Pending = "pending", Granted = "granted", Denied = "denied", Used = "used" }
}
