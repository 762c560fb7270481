//! Hooks: a client's event read into one neutral shape, and one neutral verdict written in that client's contract.
//!
//! Pure text in, text out. What a verdict should be is the engine's business.
//!
//! Three rules hold for every contract, because each was seen to fail open otherwise:
//! 1. To let pass, nothing is said (`{}` where the client takes silence for a failure): an `allow` switches off the
//!    user's own denials and questions.
//! 2. `ask` is never said: some clients take it for a yes, others hang.
//! 3. What cannot be expressed in a contract is a denial.

mod answer;
mod canary;
mod claude_shape;
mod event;
mod sender;

pub use answer::{HookAnswer, HookDecision, HookVerdict};
pub use canary::{canary, canary_in, is_canary, is_denial};
pub use event::{HookError, HookEvent, HookMoment, ToolUse, TouchedTargets};

pub(crate) use answer::json_answer;
pub(crate) use claude_shape::{
    answer_claude_shape, parse_claude_shape, refuse_claude_shape, tool_use,
};
pub(crate) use event::EventFields;

use crate::ClientId;

/// Reads what was written to the standard input of a client's hook, by that client or by another that runs its hooks.
pub fn parse_event(client: ClientId, bytes: &[u8]) -> Result<HookEvent, HookError> {
    contract(client)?;
    let mut fields = EventFields::read(client, bytes)?;
    fields.client = sender::sender(&fields);
    (contract(fields.client)?.parse)(&fields)
}

/// Writes the verdict on an event as its client expects it.
pub fn answer(event: &HookEvent, verdict: &HookVerdict) -> HookAnswer {
    match contract(event.client) {
        Ok(contract) => (contract.answer)(event, verdict),
        Err(error) => HookAnswer::blocked(&error.to_string()),
    }
}

/// The denial for an event that could not be read or decided: valid for the call of any tool.
pub fn refuse_unread(client: ClientId, reason: &str) -> HookAnswer {
    match contract(client) {
        Ok(contract) => (contract.refuse_unread)(reason),
        Err(_) => HookAnswer::blocked(reason),
    }
}

/// The denial of an event that was read, and about which nothing could be decided: the call is refused in the words
/// that fit it, and by the exit code where the client knows one.
pub fn refuse_event(event: &HookEvent, reason: &str) -> HookAnswer {
    let unread = refuse_unread(event.client, reason);
    match event.moment {
        HookMoment::BeforeTool(_) => HookAnswer {
            stdout: answer(event, &HookVerdict::deny(reason)).stdout,
            ..unread
        },
        _ => unread,
    }
}

/// How a client speaks to its hook.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HookContract {
    pub(crate) parse: fn(&EventFields) -> Result<HookEvent, HookError>,
    pub(crate) answer: fn(&HookEvent, &HookVerdict) -> HookAnswer,
    pub(crate) refuse_unread: fn(&str) -> HookAnswer,
}

fn contract(client: ClientId) -> Result<&'static HookContract, HookError> {
    client
        .atlas()
        .hook_contract
        .ok_or(HookError::NoHooks { client })
}
