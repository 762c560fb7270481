//! Which mode is in force for a call, and what it says.

use std::sync::Arc;

use mk_policy::{Decision, Evaluation, Mode, Permit, Request, evaluate_bounded};
use mk_project::resolve;
use mk_store::{Session, TaskState};
use mk_types::{AbsPath, SessionId, ToolCall};

use crate::error::Error;
use crate::{Caller, Engine, mode};

/// The mode that governs a call, and the bound its endpoint sets.
#[derive(Debug, Clone)]
pub struct InForce {
    pub mode: Arc<Mode>,
    pub bound: Option<Arc<Mode>>,
    pub session: Option<SessionId>,
    pub project: AbsPath,
}

/// A call that was looked at.
#[derive(Debug)]
pub struct Checked {
    pub in_force: InForce,
    pub request: Request,
    pub evaluation: Evaluation,
}

impl Engine {
    /// The mode in force.
    ///
    /// 1. The mode of the session that the call names.
    /// 2. The mode of the task that the connection created or switched last, while it is active.
    /// 3. The mode of the endpoint.
    /// 4. The default mode.
    pub fn in_force(&self, caller: &Caller, session: Option<&SessionId>) -> Result<InForce, Error> {
        if let Some(id) = session {
            return self.in_force_for(caller, &self.live_session(id)?);
        }
        let current = caller
            .current
            .as_ref()
            .and_then(|id| self.live_session(id).ok());
        if let Some(session) = current.filter(|session| session.state == TaskState::Active) {
            return self.in_force_for(caller, &session);
        }
        let bound = self.bound(caller)?;
        let mode = match &bound {
            Some(bound) => Arc::clone(bound),
            None => mode::find(&self.catalogue(caller), &self.settings().default_mode)?,
        };
        Ok(InForce {
            mode,
            bound,
            session: None,
            project: caller.project.clone(),
        })
    }

    pub(crate) fn in_force_for(
        &self,
        caller: &Caller,
        session: &Session,
    ) -> Result<InForce, Error> {
        let project = self.session_project(caller, session);
        let mode = mode::find(&self.project(&project).catalogue(), &session.mode)?;
        Ok(InForce {
            mode,
            bound: self.bound(caller)?,
            session: Some(session.id.clone()),
            project,
        })
    }

    /// Decides about a call and remembers the answer's grounds.
    pub fn check(&self, in_force: InForce, call: ToolCall) -> Checked {
        let project = self.project(&in_force.project);
        let ignored = project.ignored();
        let targets = self.policy().tools.targets(&call);
        let targets = targets
            .into_iter()
            .map(|raw| resolve(project.root(), &ignored, raw))
            .collect();
        let request = Request { call, targets };
        let evaluation = evaluate_bounded(
            self.policy(),
            &in_force.mode,
            in_force.bound.as_deref(),
            &request,
        );
        Checked {
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
            .map(|slug| mode::find(&self.catalogue(caller), slug))
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
        } = self;
        let mode = in_force.mode.slug.clone();
        match Permit::from_evaluation(&evaluation, request, in_force.session, mode) {
            Some(permit) => Ok(permit),
            None => Err(refusal(&evaluation, &in_force.mode)),
        }
    }
}

fn refusal(evaluation: &Evaluation, mode: &Mode) -> Error {
    let hint = match evaluation.decision {
        Decision::Allow => None,
        Decision::Ask | Decision::Deny => evaluation.hint(),
    };
    Error::Denied {
        rule: Some(evaluation.rule),
        message: evaluation.sentence(mode),
        hint,
    }
}
