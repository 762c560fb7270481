//! Which mode is in force for a call, and what it says.

use std::sync::Arc;

use mk_policy::{Decision, Evaluation, Mode, Permit, Request, evaluate, evaluate_bounded};
use mk_project::resolve;
use mk_store::{Session, TaskState};
use mk_types::{AbsPath, ModeSlug, SessionId, ToolCall};

use crate::error::Error;
use crate::{Caller, Engine, Standing, mode};

/// The mode that governs a call, and the bound its endpoint sets.
#[derive(Debug, Clone)]
pub struct InForce {
    pub mode: Arc<Mode>,
    pub bound: Option<Arc<Mode>>,
    pub session: Option<SessionId>,
    pub project: AbsPath,
    pub standing: Standing,
}

/// A call that was looked at.
#[derive(Debug)]
pub struct Checked {
    pub in_force: InForce,
    pub request: Request,
    pub evaluation: Evaluation,
    /// The mode whose answer it is: the one in force, or its bound.
    pub decided_by: Arc<Mode>,
}

impl Engine {
    /// The mode in force.
    ///
    /// 1. The mode of the session that the call names.
    /// 2. The mode of the task that the connection created or switched last, while it is active.
    /// 3. The mode of the endpoint.
    /// 4. The default mode.
    pub(crate) fn in_force(
        &self,
        caller: &Caller,
        session: Option<&SessionId>,
    ) -> Result<InForce, Error> {
        let session = match session {
            Some(id) => Some(self.live_session(id)?),
            None => self.current_session(caller)?,
        };
        let (slug, project) = match &session {
            Some(session) => (&session.mode, self.session_project(caller, session)),
            None => (self.mode_without_task(caller), caller.project.clone()),
        };
        let mode = mode::find(&self.open(&project).catalogue(), slug)?;
        let standing = if project == caller.project {
            caller.standing
        } else {
            Standing::InProject
        };
        Ok(InForce {
            mode,
            standing,
            bound: self.bound(caller)?,
            session: session.map(|session| session.id),
            project,
        })
    }

    /// The task that the connection created or switched last, while it is active.
    pub(crate) fn current_session(&self, caller: &Caller) -> Result<Option<Session>, Error> {
        let Some(id) = &caller.current else {
            return Ok(None);
        };
        match self.live_session(id) {
            Ok(session) => Ok(Some(session).filter(|session| session.state == TaskState::Active)),
            Err(Error::NotFound { .. } | Error::Expired { .. }) => Ok(None),
            // What cannot be read may be a narrower mode than the one without a task.
            Err(error) => Err(error),
        }
    }

    /// The mode of calls that no task governs: the endpoint's, else the default.
    pub(crate) fn mode_without_task<'a>(&'a self, caller: &'a Caller) -> &'a ModeSlug {
        caller
            .bound
            .as_ref()
            .unwrap_or(&self.settings().default_mode)
    }

    /// Decides about a call and remembers the answer's grounds.
    pub(crate) fn check(&self, in_force: InForce, call: ToolCall) -> Checked {
        let project = self.open(&in_force.project);
        let ignored = project.ignored();
        let request = self
            .policy()
            .request(call, |raw| resolve(project.root(), &ignored, raw));
        let evaluation = evaluate_bounded(
            self.policy(),
            &in_force.mode,
            in_force.bound.as_deref(),
            &request,
        );
        let decided_by = match &in_force.bound {
            Some(bound) if evaluation != evaluate(self.policy(), &in_force.mode, &request) => bound,
            _ => &in_force.mode,
        };
        Checked {
            decided_by: Arc::clone(decided_by),
            in_force,
            request,
            evaluation,
        }
    }

    /// Tools that the mode in force can never allow, for lists that leave them out.
    pub fn could_allow(&self, in_force: &InForce, tool: &str) -> bool {
        let modes = [Some(&in_force.mode), in_force.bound.as_ref()];
        modes
            .into_iter()
            .flatten()
            .all(|mode| mk_policy::could_allow(self.policy(), mode, tool))
    }

    fn bound(&self, caller: &Caller) -> Result<Option<Arc<Mode>>, Error> {
        let bound = caller.bound.as_ref();
        bound
            .map(|slug| mode::find(&self.modes().catalogue(caller), slug))
            .transpose()
    }

    pub(crate) fn session_project(&self, caller: &Caller, session: &Session) -> AbsPath {
        AbsPath::new(std::path::Path::new(&session.project))
            .unwrap_or_else(|| caller.project.clone())
    }
}

impl Checked {
    /// The permit, or the refusal in the contract's words.
    pub fn permit(self) -> Result<Permit, Error> {
        let Self {
            in_force,
            request,
            evaluation,
            decided_by,
        } = self;
        let mode = in_force.mode.slug.clone();
        match Permit::from_evaluation(&evaluation, request, in_force.session, mode) {
            Some(permit) => Ok(permit),
            None => Err(refusal(&evaluation, &decided_by)),
        }
    }
}

pub(crate) fn refusal(evaluation: &Evaluation, mode: &Mode) -> Error {
    let hint = match evaluation.decision {
        Decision::Allow => None,
        Decision::Unproven | Decision::Ask | Decision::Deny => evaluation.hint(),
    };
    Error::Denied {
        rule: Some(evaluation.rule),
        message: evaluation.sentence(mode),
        hint,
    }
}
