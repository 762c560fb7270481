//! Questions to a person: stored, then asked by a face, answered by id from anywhere, good for one act.

use std::time::Duration;

use mk_store::{Approval, ApprovalState, NewApproval, Verdict};
use mk_types::{AbsPath, ApprovalId, ConversationId, ModeSlug, SessionId};
use serde_json::json;

use crate::Engine;
use crate::error::{Error, Missing};

/// How often a waiting call looks for an answer that came from another process.
const LOOK: Duration = Duration::from_millis(100);
const KIND: &str = "act";

/// A use case either happened or waits for a person.
#[derive(Debug)]
pub enum Outcome<T> {
    Done(T),
    NeedsApproval(Approval),
}

/// Where a question stands when somebody wants to act.
pub(crate) enum Asked {
    Granted(ApprovalId),
    Open(Approval),
}

/// What an approval would let happen.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Act {
    Create {
        project: AbsPath,
        from: ModeSlug,
        mode: ModeSlug,
        parent: Option<SessionId>,
    },
    Switch {
        session: SessionId,
        from: ModeSlug,
        to: ModeSlug,
    },
    /// Work in a folder that nobody has offered.
    Activate { project: AbsPath },
    /// A call of an agent's own tool, which its hook has asked about.
    Hook {
        conversation: ConversationId,
        tool: String,
        input: String,
    },
    /// A call of one of our own tools.
    Call {
        project: AbsPath,
        session: Option<SessionId>,
        tool: String,
        arguments: String,
    },
}

/// What is asked of people, and what they answered.
#[derive(Debug, Clone, Copy)]
pub struct Approvals<'a> {
    engine: &'a Engine,
}

impl Engine {
    pub fn approvals(&self) -> Approvals<'_> {
        Approvals { engine: self }
    }
}

impl Approvals<'_> {
    pub fn pending(self) -> Result<Vec<Approval>, Error> {
        Ok(self.engine.inner.store.pending_approvals()?)
    }

    pub fn get(self, id: &ApprovalId) -> Result<Approval, Error> {
        let found = self.engine.inner.store.approval(id)?;
        found.ok_or_else(|| Error::not_found(Missing::Approval, "Approval", id))
    }

    /// Records a person's answer. The act itself is done by whoever asked, or by the agent's next try.
    pub async fn decide(
        self,
        id: &ApprovalId,
        verdict: Verdict,
        by: &str,
    ) -> Result<Approval, Error> {
        self.get(id)?;
        Ok(self.engine.inner.store.decide(id, verdict, by).await?)
    }

    /// Waits until somebody has answered, wherever they did; `None` if nobody does within the configured time.
    pub async fn wait(self, id: &ApprovalId) -> Result<Option<Verdict>, Error> {
        let deadline = tokio::time::Instant::now() + self.engine.settings().approval_timeout;
        loop {
            match self.get(id)?.state {
                ApprovalState::Granted => return Ok(Some(Verdict::Granted)),
                ApprovalState::Denied => return Ok(Some(Verdict::Denied)),
                ApprovalState::Used => return Ok(None),
                ApprovalState::Pending => {}
            }
            if tokio::time::Instant::now() >= deadline {
                return Ok(None);
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// The refusal of a change that a person did not approve.
    pub fn not_approved(approval: &Approval, verdict: Option<Verdict>) -> Error {
        let id = &approval.id;
        let message = match verdict {
            Some(_) => format!("The user declined: {} ({id})", approval.subject),
            None => format!(
                "Nobody has approved it in time: {} ({id})",
                approval.subject
            ),
        };
        let hint = verdict
            .is_none()
            .then(|| format!("ask the user to run `modekeeper approve {id}`, then try again"));
        Error::Denied {
            rule: None,
            message,
            hint,
        }
    }
}

impl Engine {
    /// Stores the question unless the same one is open. A yes that has come since is used up by this:
    /// whoever has got one simply makes the call again.
    pub(crate) async fn ask_once(
        &self,
        session: Option<&SessionId>,
        subject: &str,
        act: &Act,
    ) -> Result<Asked, Error> {
        let question = NewApproval {
            session: session.cloned(),
            kind: KIND.to_owned(),
            subject: subject.to_owned(),
            payload: act.to_json(),
            conversation: None,
            plan: None,
        };
        let store = &self.inner.store;
        match store.open_approval(&question)? {
            Some(found) if found.state == ApprovalState::Granted => {
                match store.consume(&found.id).await {
                    Ok(_) => return Ok(Asked::Granted(found.id)),
                    // Somebody else was faster: what was granted once is asked again.
                    Err(mk_store::Error::NotGranted { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            Some(found) => return Ok(Asked::Open(found)),
            None => {}
        }
        let asked = store.ask(question).await;
        let approval = asked.map_err(|error| self.about(session, error))?;
        Ok(Asked::Open(approval))
    }
}

impl Act {
    /// Tells one act from another: an approval is good for exactly what was asked.
    fn to_json(&self) -> String {
        let value = match self {
            Self::Create {
                project,
                from,
                mode,
                parent,
            } => json!({
                "create": {
                    "project": project.as_str(),
                    "from": from.as_str(),
                    "mode": mode.as_str(),
                    "parent": parent.as_ref().map(SessionId::as_str),
                }
            }),
            Self::Switch { session, from, to } => json!({
                "switch": { "session": session.as_str(), "from": from.as_str(), "to": to.as_str() }
            }),
            Self::Activate { project } => json!({ "activate": project.as_str() }),
            Self::Hook {
                conversation,
                tool,
                input,
            } => json!({
                "hook": { "conversation": conversation.as_str(), "tool": tool, "input": input }
            }),
            Self::Call {
                project,
                session,
                tool,
                arguments,
            } => json!({
                "call": {
                    "project": project.as_str(),
                    "session": session.as_ref().map(SessionId::as_str),
                    "tool": tool,
                    "arguments": arguments,
                }
            }),
        };
        value.to_string()
    }
}
