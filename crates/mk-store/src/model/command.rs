//! Permits of single commands, and the records of what commands did, as values.

use mk_types::{AbsPath, CommandId, ConversationId, ModeSlug, PermitId, ProjectId, Timestamp};

/// A permit to store. It is found by conversation, directory and line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCommandPermit {
    pub conversation: ConversationId,
    pub directory: AbsPath,
    pub line_hash: String,
    pub mode: ModeSlug,
    /// Rights and patterns as JSON; opaque here.
    pub rights: String,
    pub expires_at: Timestamp,
}

/// A permit for one command, good for one use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPermit {
    pub id: PermitId,
    pub conversation: ConversationId,
    pub directory: AbsPath,
    pub line_hash: String,
    pub mode: ModeSlug,
    pub rights: String,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub taken_at: Option<Timestamp>,
}

/// What a command did, to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCommandRecord {
    pub permit: Option<PermitId>,
    pub conversation: Option<ConversationId>,
    pub project: Option<ProjectId>,
    pub mode: ModeSlug,
    pub argv_hash: String,
    pub first_word: String,
    /// `None`: ended by a signal or by us.
    pub exit_code: Option<i32>,
    /// Refused calls as JSON; opaque here.
    pub refusals: String,
    /// Files written as JSON; opaque here.
    pub written: String,
    /// Guests as JSON; opaque here.
    pub guests: String,
    pub started_at: Timestamp,
}

/// What a command did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRecord {
    pub id: CommandId,
    pub permit: Option<PermitId>,
    pub conversation: Option<ConversationId>,
    pub project: Option<ProjectId>,
    pub mode: ModeSlug,
    pub argv_hash: String,
    pub first_word: String,
    pub exit_code: Option<i32>,
    pub refusals: String,
    pub written: String,
    pub guests: String,
    pub started_at: Timestamp,
    pub ended_at: Timestamp,
}

/// Which command records to list; the default is all of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandFilter {
    pub conversation: Option<ConversationId>,
    pub project: Option<ProjectId>,
    pub limit: Option<usize>,
}
