//! Leaving a planning mode: the plan is shown with the modes that one may go to, and the person's choice is the switch.

use std::sync::Arc;

use mk_engine::ApprovalRequest;
use mk_policy::{AutoApprove, Group, Mode};
use mk_types::{AbsPath, ModeSlug};
use serde_json::{Value, json};

use crate::proxy::Core;

const STAY: &str = "reject";

/// A plan that a model wants to carry out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProposedPlan {
    pub(crate) text: String,
    pub(crate) call: String,
    pub(crate) title: String,
}

/// What the model is told where it can only plan.
const WAY_OUT: &str = "When a plan is ready, call the tool `exit_plan` of the MCP server `modekeeper` with it: \
     the user picks the mode that carries it out.";

/// Whether a mode cannot carry out what it plans.
fn plans(mode: &Mode) -> bool {
    !mode.enables(Group::Edit) || mode.file_restriction(Group::Edit).is_some()
}

impl Core {
    /// How a model gets out of a mode that only plans, where it has our tools.
    pub(crate) fn way_out(&self, directory: &AbsPath, mode: &ModeSlug) -> Option<&'static str> {
        self.options.server.as_ref()?;
        let catalogue = self.engine.modes().catalogue_at(directory);
        let mode = catalogue.get(mode.as_str())?;
        plans(mode).then_some(WAY_OUT)
    }

    /// The plan that an approval request is about, if it is about one.
    pub(crate) fn is_plan(&self, request: &ApprovalRequest) -> Option<ProposedPlan> {
        request.is_plan().then(|| ProposedPlan {
            text: request.plan.clone(),
            call: format!("modekeeper-{}", request.id),
            title: request.subject.clone(),
        })
    }

    /// Shows a plan. The mode that the person has chosen is in force when this returns; `None` if they stay.
    pub(crate) async fn ask_plan(
        self: &Arc<Self>,
        session: &str,
        plan: &ProposedPlan,
        content: Option<&Value>,
    ) -> Option<String> {
        let (directory, current) =
            self.with_session(session, |it| (it.seat.directory.clone(), it.mode.clone()))?;
        let catalogue = self.engine.modes().catalogue_at(&directory);
        let from = catalogue.get(current.as_str()).cloned();
        // One that may change everything carries a plan out itself.
        let may = |mode: &Mode| match mode.slug == current {
            true => !plans(mode),
            false => from
                .as_ref()
                .is_none_or(|from| from.may_switch_to(&mode.slug)),
        };
        let mut options: Vec<Value> = Vec::new();
        for mode in catalogue.visible().filter(|mode| may(mode)) {
            let (kind, how) = match mode.auto_approve {
                Some(AutoApprove::All) => ("allow_always", "auto-accept all actions"),
                Some(AutoApprove::Read) => ("allow_once", "auto-accept reading"),
                Some(AutoApprove::None) | None => ("allow_once", "manually accept actions"),
            };
            let name = format!("Yes, in {} mode: {how}", mode.name);
            options.push(json!({ "optionId": mode.slug.as_str(), "name": name, "kind": kind }));
        }
        options.push(json!({
            "optionId": STAY, "name": format!("No, stay in {current} mode"), "kind": "reject_once",
        }));
        let text = json!([{ "type": "content", "content": { "type": "text", "text": plan.text } }]);
        let params = json!({
            "sessionId": session,
            "toolCall": {
                "toolCallId": plan.call, "title": plan.title, "kind": "switch_mode", "status": "pending",
                "content": content.unwrap_or(&text),
            },
            "options": options,
        });
        let chosen = self.choice(&params).await?;
        let offered = options
            .iter()
            .any(|option| option["optionId"] == chosen.as_str());
        if !offered || chosen == STAY {
            return None;
        }
        match self.switch(session, &chosen).await {
            Ok(()) => Some(chosen),
            Err((_, text)) => {
                tracing::warn!(text, "the mode of the plan cannot be set");
                None
            }
        }
    }
}
