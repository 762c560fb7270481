//! `exit_plan`: a model has a plan and wants to carry it out; a person says whether, and in which mode.

use mk_types::{ConversationId, ModeSlug};
use serde_json::json;

use crate::Caller;
use crate::approval::{ApprovalPlan, Outcome, RequestState};
use crate::conversation::Conversations;
use crate::error::Error;

/// The line that a person reads above the plan. Faces know a plan by it.
pub(crate) const SUBJECT: &str = "Ready for implementation";

/// What became of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanAccepted {
    /// The mode that the conversation is in now.
    pub mode: ModeSlug,
}

impl Conversations<'_> {
    /// Shows a plan to a person. Where an editor is connected, they choose the mode that carries it out.
    pub async fn exit_plan(
        &self,
        caller: &Caller,
        plan: &str,
    ) -> Result<Outcome<PlanAccepted>, Error> {
        if plan.trim().is_empty() {
            return Err(Error::invalid("plan", "Missing required parameter: plan"));
        }
        let conversation = self.engine.spoken_in(caller)?;
        let id = conversation.as_ref().map(ConversationId::as_str);
        let act = json!({ "exit_plan": { "conversation": id, "plan": plan } });
        let plan = ApprovalPlan::new(&act, plan.to_owned());
        let asked = self
            .engine
            .ask_once(conversation.as_ref(), None, SUBJECT, &plan);
        match asked.await? {
            RequestState::Open(request) => Ok(Outcome::NeedsApproval(request)),
            RequestState::Granted(_) => {
                let mode = self.engine.project(caller).in_force()?.mode.slug.clone();
                Ok(Outcome::Done(PlanAccepted { mode }))
            }
        }
    }
}
