//! The mode of a conversation: its stack of tasks decides, and nothing widens by ending or by waiting.

use std::path::Path;

use mk_policy::{Switching, widens};
use mk_store::{Session, TaskState};
use mk_types::{AbsPath, ModeSlug};

use crate::ceiling::{Ceiling, CeilingOrigin};
use crate::conversation::HeldConversation;
use crate::error::Error;
use crate::{Caller, Engine};

/// What decides the mode of a conversation.
#[derive(Debug)]
pub(crate) enum GoverningTask {
    /// Its innermost task that has not ended. It may have expired: waiting changes no mode.
    Live(Session),
    /// The task that ended last, whose mode stays in force until a person agrees to more.
    Ended(Session),
    /// Nothing: the endpoint's mode or the default one applies.
    Nothing,
}

impl Engine {
    /// What decides the mode of the caller's conversation.
    ///
    /// 1. The innermost task that has not ended, expired or not.
    /// 2. Where it has ended, its parent, and so on upwards; then the next task of the stack.
    /// 3. Where all have ended: nothing under `switching: free` of the configuration and the project, and nothing if a
    ///    person has set the project's mode since; else the one that ended last.
    pub(crate) fn governing(&self, caller: &Caller) -> Result<GoverningTask, Error> {
        let is_free = self.switching_for(caller)? == Switching::Free;
        let store = &self.inner.store;
        let mut last: Option<Session> = None;
        for id in caller.conversation.tasks.iter().rev() {
            let mut next = store.session(id)?;
            if next.is_none() && !is_free {
                // What cannot be read may be a narrower mode than the one without a task.
                return Err(self.expired(id));
            }
            while let Some(session) = next {
                if session.state == TaskState::Active {
                    return Ok(GoverningTask::Live(session));
                }
                next = match &session.parent {
                    Some(parent) => store.session_of_task(parent)?,
                    None => None,
                };
                let is_later = |last: &Session| session.finished_at > last.finished_at;
                if last.as_ref().is_none_or(is_later) {
                    last = Some(session);
                }
            }
        }
        Ok(match last {
            Some(session) if !is_free && !self.is_superseded(&session)? => {
                GoverningTask::Ended(session)
            }
            _ => GoverningTask::Nothing,
        })
    }

    /// Whether a person has set the mode of a task's project since the task ended: then it decides nothing any more.
    fn is_superseded(&self, session: &Session) -> Result<bool, Error> {
        let Some(ended) = session.finished_at else {
            return Ok(false);
        };
        let Some(project) = AbsPath::new(Path::new(&session.project)) else {
            return Ok(false);
        };
        let set = self.nearest_set(&project)?.found;
        let since = set.and_then(|project| project.mode_since);
        Ok(since.is_some_and(|since| ended <= since))
    }

    /// The slug of the mode that is in force where a call names no session, and the project it comes from.
    ///
    /// 1. The mode of what governs.
    /// 2. The caller's own, as a command's permit says it.
    /// 3. That of the agent's conversation.
    /// 4. That of the project, set by a person.
    /// 5. That of the endpoint.
    /// 6. The highest mode of the token, if it allows no more than the configured mode.
    /// 7. The configured mode.
    pub(crate) fn mode_without_session(
        &self,
        caller: &Caller,
        governing: &GoverningTask,
        held: Option<&HeldConversation>,
    ) -> Result<(ModeSlug, AbsPath), Error> {
        if let GoverningTask::Live(session) | GoverningTask::Ended(session) = governing {
            return Ok((session.mode.clone(), self.session_project(caller, session)));
        }
        let set = caller.mode.as_ref().or(held.map(|held| &held.mode.slug));
        if let Some(slug) = set {
            return Ok((slug.clone(), caller.project.clone()));
        }
        let set = self.nearest_set(&caller.project)?.found;
        let set = set.and_then(|project| project.mode);
        let slug = match set {
            Some(slug) => slug,
            None => self.mode_of_endpoint(caller),
        };
        Ok((slug, caller.project.clone()))
    }

    fn mode_of_endpoint(&self, caller: &Caller) -> ModeSlug {
        let from = |origin| move |ceiling: &&Ceiling| ceiling.origin() == origin;
        let ceilings = || caller.ceilings.iter().rev();
        if let Some(endpoint) = ceilings().find(from(CeilingOrigin::Endpoint)) {
            return endpoint.slug().clone();
        }
        let default = &self.settings().default_mode;
        let catalogue = self.open(&self.project_of(&caller.project)).catalogue();
        let configured = catalogue.get(default.as_str());
        let is_within = |token: &&Ceiling| {
            configured.is_some_and(|configured| !widens(configured, token.mode()))
        };
        let token = ceilings()
            .filter(from(CeilingOrigin::Token))
            .find(is_within);
        token.map_or(default, Ceiling::slug).clone()
    }
}
