//! What a hook says, before it is put into a client's words.

use serde_json::Value;

use super::{HookEvent, HookMoment};

const CANNOT_REWRITE: &str =
    "Modekeeper cannot change this call without switching off your own rules";

/// What the engine decided about an event.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookVerdict {
    pub decision: HookDecision,
    /// Text for the model: the mode's instructions, or that the mode has changed.
    pub context: Option<String>,
}

/// Whether a call goes on.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum HookDecision {
    /// Nothing is said about it: the client's own rules and questions decide.
    #[default]
    Pass,
    Deny {
        reason: String,
    },
    /// The call goes on with another input, and the client's own rules decide. Only where a shell cannot be wrapped.
    Rewrite {
        input: Value,
    },
}

impl HookVerdict {
    pub fn pass() -> Self {
        Self::default()
    }

    pub fn deny(reason: impl Into<String>) -> Self {
        Self {
            decision: HookDecision::Deny {
                reason: reason.into(),
            },
            context: None,
        }
    }

    /// Why the call must not be made, for a client that takes no other input: it would want an `allow` with it, which
    /// switches off the user's own rules.
    pub(crate) fn refusal(&self, event: &HookEvent) -> Option<&str> {
        match (&event.moment, &self.decision) {
            (HookMoment::BeforeTool(_), HookDecision::Deny { reason }) => Some(reason),
            (HookMoment::BeforeTool(_), HookDecision::Rewrite { .. }) => Some(CANNOT_REWRITE),
            _ => None,
        }
    }

    #[must_use]
    pub fn with_context(mut self, context: impl Into<String>) -> Self {
        self.context = Some(context.into());
        self
    }
}

/// What the hook's process prints and how it ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookAnswer {
    pub stdout: String,
    pub stderr: String,
    pub exit_code: u8,
}

impl HookAnswer {
    /// The exit code that most clients take for «blocked, the reason is on stderr».
    const BLOCKED: u8 = 2;

    pub(crate) fn silence() -> Self {
        Self::default()
    }

    pub(crate) fn blocked(reason: &str) -> Self {
        Self {
            stdout: String::new(),
            stderr: format!("{reason}\n"),
            exit_code: Self::BLOCKED,
        }
    }

    /// The same answer twice: in JSON, and by exit code for a client that does not read it.
    #[must_use]
    pub(crate) fn and_blocked(mut self, reason: &str) -> Self {
        self.stderr = format!("{reason}\n");
        self.exit_code = Self::BLOCKED;
        self
    }
}

/// One JSON object on standard output.
pub(crate) fn json_answer(value: &Value) -> HookAnswer {
    HookAnswer {
        stdout: format!("{value}\n"),
        ..HookAnswer::default()
    }
}
