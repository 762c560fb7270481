//! The project that a call is about, as its caller may use it: which mode is in force there, and what it says.

use mk_policy::{Evaluation, Mode};
use mk_store::in_one_moment;
use mk_types::{AbsPath, ProjectPath, SessionId, ToolCall};

use crate::check::{CheckedCall, InForce};
use crate::error::Error;
use crate::{Caller, Engine};

/// A caller's project. Cheap: nothing is looked up before a use case needs it.
#[derive(Debug, Clone)]
pub struct ProjectHandle<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) caller: &'a Caller,
    pub(crate) session: Option<SessionId>,
}

impl Engine {
    /// The project of a caller, under the mode of its conversation.
    pub fn project<'a>(&'a self, caller: &'a Caller) -> ProjectHandle<'a> {
        ProjectHandle {
            engine: self,
            caller,
            session: None,
        }
    }
}

impl ProjectHandle<'_> {
    /// The same under the mode of the session that the call names.
    #[must_use]
    pub fn on(self, session: Option<SessionId>) -> Self {
        Self { session, ..self }
    }

    /// The mode in force.
    pub fn in_force(&self) -> Result<InForce, Error> {
        self.engine.in_force(self.caller, self.session.as_ref())
    }

    /// Decides about a call that another program would make. No person is asked.
    pub fn check(&self, call: ToolCall) -> Result<CheckedCall, Error> {
        in_one_moment(|| self.engine.check(self.in_force()?, call))
    }

    /// The same as if a mode were in force that is not.
    pub fn check_in(&self, mode: std::sync::Arc<Mode>, call: ToolCall) -> Evaluation {
        let in_force = InForce {
            mode,
            ceilings: Vec::new(),
            caps: Vec::new(),
            session: None,
            project: self.engine.project_of(&self.caller.project),
            directory: ProjectPath::root(),
            standing: self.caller.standing,
            knowledge: self.engine.knowledge(self.engine.inner.store.reach()),
            decided_by: None,
        };
        let ignored = self.engine.ignored(&self.engine.open(&in_force.project));
        self.engine.look(in_force, call, &ignored).evaluation
    }

    /// Where it is.
    pub fn root(&self) -> Result<AbsPath, Error> {
        Ok(self.in_force()?.project)
    }
}
