//! The gate in front of our own tools: which mode is in force, what it says, and the permit to go on with.

use mk_policy::{Decision, Permit};
use mk_types::{ApprovalId, ProjectPath, ToolCall};
use serde_json::Value;

use crate::check::{CheckedCall, InForce, refusal};
use crate::error::Error;
use crate::project::ProjectHandle;

/// A call of one of our tools: what the policy sees of it, and its arguments, which tell it from every other call.
#[derive(Debug, Clone)]
pub struct ToolRequest<'a> {
    pub call: ToolCall,
    pub arguments: &'a Value,
}

/// A call that may happen, and where.
#[derive(Debug)]
pub(crate) struct AllowedCall {
    pub(crate) permit: Permit,
    pub(crate) in_force: InForce,
}

impl ProjectHandle<'_> {
    /// Decides about a call. A denial is an error; whether a person is asked is up to the use case.
    pub(crate) fn judge(&self, request: &ToolRequest<'_>) -> Result<CheckedCall, Error> {
        let checked = self.check(request.call.clone())?;
        self.engine.note(self.caller, request, &checked);
        if let Some(session) = &checked.in_force.session {
            self.engine.tasks().touch(session);
        }
        match checked.evaluation.decision {
            Decision::Allow | Decision::Unproven | Decision::Ask => Ok(checked),
            Decision::Deny => Err(refusal(&checked.evaluation, &checked.in_force)),
        }
    }

    /// The permit for a call that needs no plan: one that a person would be asked about is refused.
    pub(crate) fn allow(&self, request: &ToolRequest<'_>) -> Result<AllowedCall, Error> {
        let checked = self.judge(request)?;
        let in_force = checked.in_force.clone();
        let permit = checked.permit()?;
        Ok(AllowedCall { permit, in_force })
    }
}

impl CheckedCall {
    /// The files and directories that the call names, as they really are.
    pub(crate) fn targets(&self) -> Result<Vec<ProjectPath>, Error> {
        let targets = self.request.targets.iter();
        let resolved = targets.map(|target| target.path.clone().ok());
        let resolved: Option<Vec<ProjectPath>> = resolved.collect();
        resolved.ok_or_else(|| refusal(&self.evaluation, &self.in_force))
    }

    /// The permit of a call that a person has approved.
    pub(crate) fn approved_permit(self, approval: ApprovalId) -> Result<Permit, Error> {
        let slug = self.in_force.mode.slug.clone();
        let permit = Permit::from_approval(&self.evaluation, self.request, approval, slug);
        permit.ok_or_else(|| refusal(&self.evaluation, &self.in_force))
    }
}
