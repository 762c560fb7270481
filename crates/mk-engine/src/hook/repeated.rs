//! One use of a tool that is asked about twice: Copilot also runs the hooks of a project's Claude settings, with another
//! name for the same tool.
//!
//! An approval is for one use, and a model chooses its ids itself: under each name a use is answered once, so what comes
//! under the same name again is a new call, whatever its id. Only what is the same to the letter counts.

use std::time::Duration;

use mk_clients::{ClientId, HookVerdict, ToolUse};
use mk_store::{DecisionFilter, DecisionRecord, Ruling};

use super::{Hooks, JudgedCall};
use crate::conversation::HeldConversation;
use crate::error::Error;

/// More decisions about one use than a tool has names.
const MOST_NAMES: usize = 16;
/// Longest between two questions about one use, where it has no id: its hooks run one after the other.
const BETWEEN: Duration = Duration::from_secs(5);

impl Hooks<'_> {
    /// The answer to a use of a tool that has passed under its other name.
    pub(super) fn repeated(
        &self,
        tool: &ToolUse,
        held: &HeldConversation,
    ) -> Result<Option<(JudgedCall, HookVerdict)>, Error> {
        if !has_two_names(tool) {
            return Ok(None);
        }
        let before = match &tool.id {
            Some(id) => self.same_use(tool, held, id)?,
            None => self.latest_use(tool, held)?,
        };
        let Some(before) = before else {
            return Ok(None);
        };
        let verdict = match before.ruling {
            Ruling::Allow | Ruling::Paused => HookVerdict::pass(),
            // A person may have answered since, and what is denied is denied again.
            Ruling::Deny | Ruling::Ask | Ruling::Unproven => return Ok(None),
        };
        let judged = JudgedCall::of(before.ruling, "repeated", before.reason);
        Ok(Some((judged, verdict)))
    }

    fn same_use(
        &self,
        tool: &ToolUse,
        held: &HeldConversation,
        id: &str,
    ) -> Result<Option<DecisionRecord>, Error> {
        let filter = DecisionFilter {
            conversation: Some(held.conversation.id.clone()),
            tool_use: Some(id.to_owned()),
            limit: Some(MOST_NAMES),
            ..Default::default()
        };
        let mut found = self.engine.inner.store.decisions(&filter)?;
        found.retain(|it| is_same_call(it, tool, held));
        if found.iter().any(|it| it.tool == tool.name) {
            return Ok(None);
        }
        let mut found = found.into_iter();
        Ok(found.find(|it| is_own_name(&it.tool) != is_own_name(&tool.name)))
    }

    /// The decision about the same call a moment ago, where calls have no ids: Copilot's own hook is asked first, so the
    /// other name only follows it. If it came last under that name, this is another use.
    fn latest_use(
        &self,
        tool: &ToolUse,
        held: &HeldConversation,
    ) -> Result<Option<DecisionRecord>, Error> {
        if is_own_name(&tool.name) {
            return Ok(None);
        }
        let filter = DecisionFilter {
            conversation: Some(held.conversation.id.clone()),
            since: Some(self.engine.inner.clock.now().before(BETWEEN)),
            limit: Some(MOST_NAMES),
            ..Default::default()
        };
        let found = self.engine.inner.store.decisions(&filter)?;
        let latest = found.into_iter().find(|it| is_same_call(it, tool, held));
        Ok(latest.filter(|it| is_own_name(&it.tool)))
    }
}

fn is_same_call(before: &DecisionRecord, tool: &ToolUse, held: &HeldConversation) -> bool {
    let input = tool.input.to_string();
    before.mode == held.mode.slug && before.has_whole_input() && before.input == input
}

fn has_two_names(tool: &ToolUse) -> bool {
    tool.client == ClientId::Copilot
}

/// Copilot's own tools begin with a small letter, and those of a project's Claude settings do not.
fn is_own_name(name: &str) -> bool {
    name.starts_with(char::is_lowercase)
}
