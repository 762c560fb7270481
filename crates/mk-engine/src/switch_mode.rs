//! `switch_mode`: another mode for a session; and the rules that every change of mode keeps.

use std::sync::Arc;

use mk_policy::{Catalogue, Mode, Switching, widens};
use mk_store::{ModeGrounds, ModeSwitch, Session};
use mk_types::{ModeSlug, SessionId};

use crate::approval::{ApprovedAct, Outcome, RequestState};
use crate::error::Error;
use crate::missing::ConflictingChange;
use crate::next_step::NextStep;
use crate::task::Tasks;
use crate::{Actor, Caller, Engine, EngineChange};

/// How often a change of mode is tried again when others change what it was decided by.
pub(crate) const MOST_TRIES: usize = 8;

/// A change of mode that has happened.
#[derive(Debug, Clone)]
pub struct SwitchedMode {
    pub session: Session,
    pub mode: Arc<Mode>,
    pub old_mode: ModeSlug,
    pub reason: Option<String>,
    /// Whether the session is part of the caller's conversation from now on. One that may do more than the
    /// conversation is not, unless modes are changed freely: naming it must not be a way to widen.
    pub enters: bool,
}

impl Tasks<'_> {
    /// Puts a session into another mode, or asks first where the configuration wants it.
    pub async fn switch_mode(
        self,
        caller: &Caller,
        session: &str,
        to: &str,
        reason: Option<String>,
    ) -> Result<Outcome<SwitchedMode>, Error> {
        let id = self.session_id("session_id", session)?;
        // One line: it is shown among lines of ours, which it must not forge.
        let reason = reason.map(|reason| reason.split_whitespace().collect::<Vec<_>>().join(" "));
        for _ in 0..MOST_TRIES {
            let reason = reason.clone();
            if let Some(outcome) = self.engine.try_switch(caller, &id, to, reason).await? {
                return Ok(outcome);
            }
        }
        Err(Error::Conflict(ConflictingChange::Switching(id)))
    }
}

impl Engine {
    /// One try; `None` if somebody else has switched the session meanwhile, so that everything is decided again.
    async fn try_switch(
        &self,
        caller: &Caller,
        id: &SessionId,
        to: &str,
        reason: Option<String>,
    ) -> Result<Option<Outcome<SwitchedMode>>, Error> {
        // Before anything is decided by it: what a person does meanwhile shows in the end.
        let set = self.nearest_set(&caller.project)?;
        let session = self.active_session(id)?;
        caller.may_change(&session)?;
        let within = Caller {
            project: self.session_project(caller, &session),
            ..caller.clone()
        };
        let to = self.modes().get(&within, "new_mode_slug", to)?;
        let from = session.mode;
        let act = ApprovedAct::Switch {
            session: id.clone(),
            from: from.clone(),
            to: to.slug.clone(),
        };
        let held = self.held_caller(caller)?;
        // Where it gives the agent more than holds it now, that is the step, wherever the session was.
        let widened = held.as_ref().filter(|held| widens(&held.mode, &to));
        let step = ModeStep {
            from: match widened {
                Some(held) => LeftMode::of(&held.mode),
                None => LeftMode::named(&from, &self.modes().catalogue(&within)),
            },
            to: &to,
            session: Some(id),
            tool: "switch_mode",
            reason: reason.as_deref(),
        };
        if let Some(outcome) = self.govern(caller, &step, &act).await? {
            return Ok(Some(outcome));
        }
        let enters = self.may_enter(caller, id, &to)?;
        let change = ModeSwitch {
            session: id.clone(),
            from: from.clone(),
            to: to.slug.clone(),
            reason: reason.clone(),
            grounds: ModeGrounds {
                project: Some(set),
                conversation: held.map(|held| held.grounds(enters.then_some(&to.slug))),
                tasks: Vec::new(),
            },
        };
        let session = match self.inner.store.switch(change).await {
            Ok(session) => session,
            Err(mk_store::Error::Conflict { .. } | mk_store::Error::Overtaken) => return Ok(None),
            Err(error) => return Err(self.about(Some(id), error)),
        };
        self.announce(EngineChange::Switched {
            session: session.id.clone(),
        });
        Ok(Some(Outcome::Done(SwitchedMode {
            session,
            mode: to,
            old_mode: from,
            reason,
            enters,
        })))
    }

    fn may_enter(&self, caller: &Caller, id: &SessionId, mode: &Mode) -> Result<bool, Error> {
        let is_free = self.switching_for(caller)? == Switching::Free;
        if is_free || caller.conversation.tasks.contains(id) {
            return Ok(true);
        }
        Ok(!widens(&self.in_force(caller, None)?.mode, mode))
    }

    /// Applies `switchTo` and `switching`: `None` lets the change happen now.
    pub(crate) async fn govern<T>(
        &self,
        caller: &Caller,
        step: &ModeStep<'_>,
        act: &ApprovedAct,
    ) -> Result<Option<Outcome<T>>, Error> {
        step.allow_hand_over(caller)?;
        let (from, to) = (&step.from.slug, &step.to.slug);
        if caller.actor == Actor::Operator {
            return Ok(None);
        }
        match self.switching_for(caller)? {
            Switching::Free => Ok(None),
            Switching::Locked if from == to => Ok(None),
            Switching::Locked => Err(Error::Denied {
                rule: None,
                message: format!(
                    "Tool '{}' cannot be used in '{from}' mode. Switching is locked by configuration.",
                    step.tool
                ),
                hint: Some(NextStep::ChangeMode),
            }),
            Switching::AskToWiden if !step.widens() => Ok(None),
            Switching::AskToWiden => {
                let subject = format!("Let the agent change from '{from}' to '{to}' mode?");
                Ok(
                    match self
                        .ask_once(
                            caller.conversation.id.as_ref(),
                            step.session,
                            &subject,
                            &act.plan_shown_as(step.shown()),
                        )
                        .await?
                    {
                        RequestState::Granted(_) => None,
                        RequestState::Open(question) => Some(Outcome::NeedsApproval(question)),
                    },
                )
            }
        }
    }
}

/// A change of mode that is to be decided.
pub(crate) struct ModeStep<'a> {
    pub(crate) from: LeftMode,
    pub(crate) to: &'a Mode,
    pub(crate) session: Option<&'a SessionId>,
    pub(crate) tool: &'static str,
    /// The agent's own words.
    pub(crate) reason: Option<&'a str>,
}

impl ModeStep<'_> {
    /// What the person who decides reads besides the modes.
    fn shown(&self) -> String {
        self.reason
            .map(|reason| format!("The agent's reason: {reason}"))
            .unwrap_or_default()
    }
}

/// The mode that a change leaves.
pub(crate) struct LeftMode {
    pub(crate) slug: ModeSlug,
    /// Missing when the mode's file no longer defines it.
    pub(crate) mode: Option<Arc<Mode>>,
}

impl LeftMode {
    pub(crate) fn of(mode: &Arc<Mode>) -> Self {
        Self {
            slug: mode.slug.clone(),
            mode: Some(Arc::clone(mode)),
        }
    }

    pub(crate) fn named(slug: &ModeSlug, catalogue: &Catalogue) -> Self {
        Self {
            slug: slug.clone(),
            mode: catalogue.get(slug.as_str()).cloned(),
        }
    }
}

impl ModeStep<'_> {
    /// Whether it gives rights; from a mode that is gone, nobody can tell, so it does.
    pub(crate) fn widens(&self) -> bool {
        self.from
            .mode
            .as_ref()
            .is_none_or(|from| widens(from, self.to))
    }

    /// Applies the mode's own `switchTo`. One that is gone says nothing: its task allows no call, and to leave it
    /// is the way out.
    pub(crate) fn allow_hand_over(&self, caller: &Caller) -> Result<(), Error> {
        let to = &self.to.slug;
        let Some(from) = &self.from.mode else {
            return Ok(());
        };
        let stays = from.slug == *to;
        if stays || caller.actor == Actor::Operator || from.may_switch_to(to) {
            return Ok(());
        }
        let allowed = from.switch_to.as_deref().unwrap_or_default().join(", ");
        Err(Error::Denied {
            rule: None,
            message: format!(
                "Tool '{}' cannot be used in '{}' mode for '{to}'. It may hand over to: {allowed}.",
                self.tool, from.slug
            ),
            hint: None,
        })
    }
}
