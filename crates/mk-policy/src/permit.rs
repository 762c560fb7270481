//! Proof that an effect may happen. Whatever changes something takes a [`Permit`] by value, and only this module makes one.

use mk_types::{ApprovalId, ModeSlug, ProjectPath, SessionId};

use crate::evaluate::{Decision, Evaluation, Request};

/// The right to one effect on resolved targets. Used up by using it, hence neither `Clone` nor `Copy`.
#[derive(Debug)]
pub struct Permit {
    tool: String,
    targets: Vec<ProjectPath>,
    authority: Authority,
}

/// On whose behalf.
#[derive(Debug, PartialEq, Eq)]
pub enum Authority {
    Agent {
        session: Option<SessionId>,
        mode: ModeSlug,
        approval: Option<ApprovalId>,
    },
    /// The person at the command line or the dashboard.
    Operator,
}

impl Permit {
    /// From an evaluation that allows; anything else gives nothing.
    pub fn from_evaluation(
        evaluation: &Evaluation,
        request: Request,
        session: Option<SessionId>,
        mode: ModeSlug,
    ) -> Option<Self> {
        let authority = Authority::Agent {
            session,
            mode,
            approval: None,
        };
        Self::when(evaluation.decision == Decision::Allow, request, authority)
    }

    /// From an evaluation that asks, and the recorded approval that answered.
    pub fn from_approval(
        evaluation: &Evaluation,
        request: Request,
        approval: ApprovalId,
        mode: ModeSlug,
    ) -> Option<Self> {
        let authority = Authority::Agent {
            session: None,
            mode,
            approval: Some(approval),
        };
        Self::when(evaluation.decision <= Decision::Ask, request, authority)
    }

    /// For what a person does themselves.
    pub fn operator(tool: &str, targets: Vec<ProjectPath>) -> Self {
        Self {
            tool: tool.to_owned(),
            targets,
            authority: Authority::Operator,
        }
    }

    pub fn tool(&self) -> &str {
        &self.tool
    }

    pub fn targets(&self) -> &[ProjectPath] {
        &self.targets
    }

    pub fn authority(&self) -> &Authority {
        &self.authority
    }

    fn when(granted: bool, request: Request, authority: Authority) -> Option<Self> {
        // A target that did not resolve never reaches an effect, whatever was decided.
        let targets: Option<Vec<ProjectPath>> = request
            .targets
            .into_iter()
            .filter(|target| !target.raw.in_command)
            .map(|target| target.path.ok())
            .collect();
        let targets = targets.filter(|_| granted)?;
        Some(Self {
            tool: request.call.tool,
            targets,
            authority,
        })
    }
}
