//! Decisions as values.

use mk_types::{ConversationId, DecisionId, ModeSlug, ProjectId, Timestamp};

words! {
    /// What was decided about a call.
    Ruling {
        Allow = "allow",
        /// A person has to agree first.
        Ask = "ask",
        /// A shell line of which nothing could be shown; the wall or a person has to hold it.
        Unproven = "unproven",
        Deny = "deny",
        /// Not looked at, because a person has paused enforcement.
        Paused = "paused",
    }
}

/// A decision to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDecision {
    pub conversation: Option<ConversationId>,
    /// The product's name, or the face's.
    pub client: String,
    pub project: Option<ProjectId>,
    pub mode: ModeSlug,
    pub tool: String,
    /// One line that says what the call would touch.
    pub target: String,
    pub ruling: Ruling,
    /// The name of the rule that decided.
    pub rule: String,
    pub reason: String,
    pub hint: Option<String>,
    pub policy_hash: String,
    /// The call's arguments as JSON; longer ones are cut.
    pub input: String,
    /// What the client calls this use of the tool.
    pub tool_use: Option<String>,
}

/// A decision as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionRecord {
    pub id: DecisionId,
    pub at: Timestamp,
    pub conversation: Option<ConversationId>,
    pub client: String,
    pub project: Option<ProjectId>,
    pub mode: ModeSlug,
    pub tool: String,
    pub target: String,
    pub ruling: Ruling,
    pub rule: String,
    pub reason: String,
    pub hint: Option<String>,
    pub policy_hash: String,
    pub input: String,
    /// The input's length in bytes before it was cut.
    pub input_length: u64,
    pub tool_use: Option<String>,
}

impl DecisionRecord {
    /// Whether `input` is all of it.
    pub fn has_whole_input(&self) -> bool {
        self.input_length == self.input.len() as u64
    }
}

/// Which decisions to list; the default is all of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DecisionFilter {
    pub conversation: Option<ConversationId>,
    pub project: Option<ProjectId>,
    pub client: Option<String>,
    pub mode: Option<ModeSlug>,
    pub tool: Option<String>,
    pub ruling: Option<Ruling>,
    pub tool_use: Option<String>,
    pub since: Option<Timestamp>,
    /// Only those recorded before this one.
    pub before: Option<DecisionId>,
    pub limit: Option<usize>,
}

/// How many decisions of one kind fell into one stretch of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionCount {
    /// When the stretch began.
    pub at: Timestamp,
    pub tool: String,
    pub ruling: Ruling,
    pub count: u64,
}

/// What became of approval requests.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ApprovalFigures {
    pub asked: u64,
    pub granted: u64,
    pub denied: u64,
    /// Nobody answered in time.
    pub expired: u64,
    /// How long people took to decide, in milliseconds, the shortest first.
    pub waits: Vec<u64>,
}
