//! The gate in front of our own tools: which mode is in force, what it says, and the permit to go on with.

use mk_policy::{Decision, Permit, Rule};
use mk_types::{SessionId, ToolCall};
use serde_json::Value;

use crate::approval::{Act, Asked, Outcome};
use crate::check::{Checked, InForce, refusal};
use crate::error::Error;
use crate::{Caller, Engine};

/// A call that may happen.
#[derive(Debug)]
pub struct Granted {
    pub permit: Permit,
    pub in_force: InForce,
}

impl Engine {
    /// Decides about a call of one of our own tools.
    pub async fn authorize(
        &self,
        caller: &Caller,
        session: Option<&SessionId>,
        tool: &str,
        arguments: &Value,
    ) -> Result<Outcome<Granted>, Error> {
        let call = self.policy().tools.call(tool, arguments);
        self.authorize_call(caller, session, call, arguments).await
    }

    /// The same for a call whose files are found by looking: each of them counts.
    pub async fn authorize_paths(
        &self,
        caller: &Caller,
        session: Option<&SessionId>,
        paths: Vec<String>,
        (tool, arguments): (&str, &Value),
    ) -> Result<Outcome<Granted>, Error> {
        let call = ToolCall {
            paths,
            ..ToolCall::new(tool)
        };
        self.authorize_call(caller, session, call, arguments).await
    }

    async fn authorize_call(
        &self,
        caller: &Caller,
        session: Option<&SessionId>,
        call: ToolCall,
        arguments: &Value,
    ) -> Result<Outcome<Granted>, Error> {
        let in_force = self.in_force(caller, session)?;
        let tool = call.tool.clone();
        let Checked {
            in_force,
            request,
            evaluation,
            decided_by,
        } = self.check(in_force, call);
        if let Some(session) = &in_force.session {
            self.tasks().touch(session);
        }
        let mode = in_force.mode.slug.clone();
        let permit = match evaluation.decision {
            Decision::Allow => {
                Permit::from_evaluation(&evaluation, request, in_force.session.clone(), mode)
            }
            Decision::Deny => None,
            // Until commands run inside the wall, a person decides about what cannot be told.
            Decision::Unproven | Decision::Ask => {
                let path = evaluation.path.clone().unwrap_or_default();
                let subject = match evaluation.rule {
                    Rule::ProtectedFile => {
                        format!("Let the agent change the protected file '{path}' with {tool}?")
                    }
                    _ => format!("Let the agent use {tool}? {}.", evaluation.reason()),
                };
                let act = Act::Call {
                    project: in_force.project.clone(),
                    session: in_force.session.clone(),
                    tool,
                    arguments: arguments.to_string(),
                };
                match self
                    .ask_once(in_force.session.as_ref(), &subject, &act)
                    .await?
                {
                    Asked::Open(question) => return Ok(Outcome::NeedsApproval(question)),
                    Asked::Granted(approval) => {
                        Permit::from_approval(&evaluation, request, approval, mode)
                    }
                }
            }
        };
        match permit {
            Some(permit) => Ok(Outcome::Done(Granted { permit, in_force })),
            None => Err(refusal(&evaluation, &decided_by)),
        }
    }
}
