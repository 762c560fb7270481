//! The call with which `doctor` and the proxy try a hook out: decided by the mode as any other, and kept nowhere, so that
//! lists of decisions and conversations show what agents did and nothing else.

use mk_clients::{HookVerdict, ToolUse};
use mk_policy::evaluate;
use mk_types::ToolCall;

use super::{HookOutcome, HookSettings, Hooks};
use crate::conversation::Seat;
use crate::error::Error;

impl Hooks<'_> {
    /// Decides in the conversation that was made for it, else as in a new one.
    pub(super) fn try_out(
        &self,
        tool: &ToolUse,
        seat: &Seat,
        settings: &HookSettings,
    ) -> Result<HookOutcome, Error> {
        let store = &self.engine.inner.store;
        let configured = settings.mode.as_ref();
        let passes = Ok(HookOutcome::Decided(HookVerdict::pass()));
        let (mode, project) = match store.conversation_of_client(&seat.client)? {
            Some(found) => match self.engine.conversations().held(&found, configured)? {
                Some(held) => (held.mode, Some(held.project)),
                None => return passes,
            },
            None => {
                let root = self.engine.policy_root(&seat.directory);
                let project = self.engine.project_with(&root)?;
                let own = project.as_ref().and_then(|project| project.mode.as_ref());
                let Some(slug) = own.or(configured) else {
                    return passes;
                };
                (self.engine.mode_in(&root, slug)?, project)
            }
        };
        let now = self.engine.inner.clock.now();
        let paused_until = project.and_then(|project| project.paused_until);
        if paused_until.is_some_and(|until| until > now) {
            return passes;
        }
        let policy = self.engine.policy();
        let request = policy.request(ToolCall::new(&tool.name), |_| None);
        let evaluation = evaluate(policy, &mode, &request);
        if evaluation.is_allowed() {
            return passes;
        }
        let reason = format!("{} (Modekeeper)", evaluation.sentence(&mode));
        Ok(HookOutcome::Decided(HookVerdict::deny(reason)))
    }
}
