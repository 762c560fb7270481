//! Conversations and projects as values.

use mk_types::{AbsPath, ConversationId, ModeSlug, ProjectId, SessionId, Timestamp};

/// Who speaks: a product, and what it calls its own session (or our name of its connection).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AgentSession {
    pub name: String,
    pub session: String,
}

/// A process that cannot be mistaken for a later one with the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProcessIdentity {
    pub id: u32,
    /// When it started, in the kernel's ticks since boot.
    pub started: u64,
}

/// A directory that cannot be mistaken for a later one with the same name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RootDirectory {
    /// Resolved: without links.
    pub path: AbsPath,
    pub device: u64,
    pub inode: u64,
}

/// A conversation to open, or to find if its client has opened it before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewConversation {
    pub client: AgentSession,
    pub project: ProjectId,
    /// Fixed at the first use.
    pub root: RootDirectory,
    /// `None`: the project's mode holds.
    pub mode: Option<ModeSlug>,
    pub parent: Option<ConversationId>,
    pub process: Option<ProcessIdentity>,
}

/// An agent's own session, or a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    pub id: ConversationId,
    pub client: AgentSession,
    pub project: ProjectId,
    pub root: RootDirectory,
    /// Where relative paths begin; `None`: at the root.
    pub directory: Option<AbsPath>,
    /// The mode in force; `None`: the project's.
    pub mode: Option<ModeSlug>,
    /// The mode whose instructions the model was given last.
    pub told: Option<ModeSlug>,
    pub parent: Option<ConversationId>,
    pub process: Option<ProcessIdentity>,
    pub created_at: Timestamp,
    pub last_active: Timestamp,
    pub ended_at: Option<Timestamp>,
}

/// What a person has set for a project. Everything here only tightens the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub id: ProjectId,
    pub root: AbsPath,
    /// The mode that a person has set.
    pub mode: Option<ModeSlug>,
    /// The word of the configuration's `switching`; opaque here.
    pub switching: Option<String>,
    /// Until when a person has suspended enforcement.
    pub paused_until: Option<Timestamp>,
    pub created_at: Timestamp,
    /// When the mode was last set for every conversation and task.
    pub mode_since: Option<Timestamp>,
}

/// Whom a project's new mode reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModeReach {
    /// Conversations that begin later.
    NewConversations,
    /// Those, and every live one that was active since then.
    AllActiveSince(Timestamp),
}

/// A mode that a person sets for a project, which is made if it is not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewProjectMode {
    pub root: AbsPath,
    /// Where else its tasks work: linked worktrees, which may be anywhere.
    pub worktrees: Vec<AbsPath>,
    pub mode: ModeSlug,
    pub reach: ModeReach,
    /// What `switching` becomes where a person has not set it.
    pub switching: Option<String>,
    /// What the history of the tasks that it reaches says.
    pub reason: String,
}

/// A mode that was set for a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetProjectMode {
    pub project: Project,
    /// The tasks that were in another mode.
    pub switched: Vec<SessionId>,
}

/// What a person has set, as it was when an agent's change of mode was decided. The change does not happen if that is
/// no longer so: the person's act is the later one. The default compares nothing, as a person's own acts do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModeGrounds {
    pub project: Option<ProjectGrounds>,
    pub conversation: Option<ConversationGrounds>,
    /// The tasks whose modes decided.
    pub tasks: Vec<(SessionId, ModeSlug)>,
}

/// The nearest project with a mode that a person has set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectGrounds {
    /// The directories that were looked at.
    pub among: Vec<AbsPath>,
    pub found: Option<Box<Project>>,
}

/// The agent's conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationGrounds {
    pub id: ConversationId,
    pub mode: Option<ModeSlug>,
    /// The mode that it is put into by the same change.
    pub to: Option<ModeSlug>,
}
