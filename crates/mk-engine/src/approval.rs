//! Approval requests: stored, asked by a face, answered by id from anywhere, good for one plan and one use.

use std::fmt::Write as _;
use std::time::Duration;

use mk_store::{Approval, ApprovalState, ApprovalVerdict, NewApproval, StoredPlan};
use mk_types::{AbsPath, ApprovalId, ConversationId, ModeSlug, SessionId, Timestamp};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::Engine;
use crate::error::Error;
use crate::missing::MissingThing;
use crate::next_step::NextStep;
use crate::visible::{visible_line, visible_text};

/// How often a waiting call looks for an answer of another process; those of this one ring.
const LOOK: Duration = Duration::from_millis(100);
/// A plan that has changed since it was approved is asked about again, but not for ever.
const MOST_REQUESTS: usize = 3;
const KIND: &str = "act";
/// Bytes of a plan in a question that a client shows as a dialog.
const LONGEST_IN_DIALOG: usize = 16 * 1024;

/// A use case either happened or waits for a person.
#[derive(Debug)]
pub enum Outcome<T> {
    Done(T),
    NeedsApproval(ApprovalRequest),
}

impl<T> Outcome<T> {
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Outcome<U> {
        match self {
            Self::Done(value) => Outcome::Done(change(value)),
            Self::NeedsApproval(request) => Outcome::NeedsApproval(request),
        }
    }
}

/// Something that a person is asked to agree to, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalRequest {
    pub id: ApprovalId,
    pub session: Option<SessionId>,
    /// Who asked, where that is known.
    pub conversation: Option<ConversationId>,
    /// The root of the project it is about, where what was asked names one.
    pub project: Option<String>,
    /// One line, with control characters made visible.
    pub subject: String,
    /// Every file and what would change in it, with control characters made visible; empty where the subject says all.
    pub plan: String,
    pub state: ApprovalState,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub decided_by: Option<String>,
}

impl ApprovalRequest {
    /// Whether it is a plan that a model wants to carry out in another mode.
    pub fn is_plan(&self) -> bool {
        self.subject == crate::plan::SUBJECT
    }

    /// What the person who decides must see, as long as a dialog of their client shows it.
    pub fn describe(&self) -> String {
        let Self {
            id, subject, plan, ..
        } = self;
        let plan = plan.trim_end();
        let shown = plan
            .get(..plan.floor_char_boundary(LONGEST_IN_DIALOG))
            .unwrap_or(plan);
        match shown {
            "" => format!("{subject} ({id})"),
            _ if shown.len() < plan.len() => format!(
                "{subject} ({id})\n\n{shown}\n… (not the whole plan: see `modekeeper approve` or the dashboard)"
            ),
            _ => format!("{subject} ({id})\n\n{plan}"),
        }
    }
}

impl From<Approval> for ApprovalRequest {
    fn from(stored: Approval) -> Self {
        Self {
            id: stored.id,
            session: stored.session,
            conversation: stored.conversation,
            project: project_in(&stored.payload),
            subject: visible_line(&stored.subject),
            plan: stored
                .plan
                .map(|plan| visible_text(&plan.text))
                .unwrap_or_default(),
            state: stored.state,
            created_at: stored.created_at,
            expires_at: stored.expires_at,
            decided_by: stored.decided_by,
        }
    }
}

/// The project that the act in a payload names.
fn project_in(payload: &str) -> Option<String> {
    let payload: Value = serde_json::from_str(payload).ok()?;
    let (name, act) = payload.as_object()?.iter().next()?;
    let project = match name.as_str() {
        "activate" => Some(act),
        _ => act.get("project"),
    };
    project?.as_str().map(visible_line)
}

/// Where a request stands when somebody wants to act.
pub(crate) enum RequestState {
    Granted(ApprovalId),
    Open(ApprovalRequest),
}

/// What exactly a person agrees to: what must not change, and what they are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApprovalPlan {
    payload: String,
    shown: String,
}

impl ApprovalPlan {
    pub(crate) fn new(act: &Value, shown: String) -> Self {
        let payload = act.to_string();
        Self { payload, shown }
    }

    fn hash(&self) -> String {
        let mut text = String::new();
        for byte in Sha256::digest(&self.payload) {
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

/// A change of modes or of the project that an approval would let happen.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ApprovedAct {
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
}

/// What a face did with a request.
#[derive(Debug)]
pub enum FaceAnswer<L> {
    /// A person has decided, or nobody has in time.
    Decided(Option<ApprovalVerdict>),
    /// The face hands the request on, and the call comes back.
    HandedOn(L),
}

/// How a use case ended that may have needed approval.
#[derive(Debug)]
pub enum DrivenOutcome<T, L> {
    Done(T),
    HandedOn(L),
}

/// A use case that may need approval, and the face that asks for it.
pub trait DrivenByApproval: Sync {
    type Done: Send;
    type HandedOn: Send;

    /// Tries the use case.
    fn attempt(&self) -> impl Future<Output = Result<Outcome<Self::Done>, Error>> + Send;

    /// Asks a person, and waits for the answer or hands the request on.
    fn ask(
        &self,
        request: &ApprovalRequest,
    ) -> impl Future<Output = Result<FaceAnswer<Self::HandedOn>, Error>> + Send;
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
    pub fn pending(self) -> Result<Vec<ApprovalRequest>, Error> {
        let pending = self.engine.inner.store.pending_approvals()?;
        Ok(pending.into_iter().map(ApprovalRequest::from).collect())
    }

    /// What one conversation has asked for and nobody has answered.
    pub fn pending_in(self, id: &ConversationId) -> Result<Vec<ApprovalRequest>, Error> {
        let mut pending = self.pending()?;
        pending.retain(|request| request.conversation.as_ref() == Some(id));
        Ok(pending)
    }

    pub fn get(self, id: &ApprovalId) -> Result<ApprovalRequest, Error> {
        let found = self.engine.inner.store.approval(id)?;
        let found = found.ok_or_else(|| Error::NotFound(MissingThing::Approval(id.clone())))?;
        Ok(found.into())
    }

    /// Records a person's answer. The act itself is done by the call that asked, or by the agent's next try.
    pub async fn decide(
        self,
        id: &ApprovalId,
        verdict: ApprovalVerdict,
        by: &str,
    ) -> Result<ApprovalRequest, Error> {
        self.get(id)?;
        let decided = self.engine.inner.store.decide(id, verdict, by).await?;
        self.engine.inner.decided.notify_waiters();
        Ok(decided.into())
    }

    /// Waits until a person has answered, wherever they did; `None` if nobody does within the configured time.
    pub async fn wait(self, id: &ApprovalId) -> Result<Option<ApprovalVerdict>, Error> {
        let deadline = tokio::time::Instant::now() + self.engine.settings().approval_timeout;
        loop {
            let rings = self.engine.inner.decided.notified();
            match self.get(id)?.state {
                ApprovalState::Granted => return Ok(Some(ApprovalVerdict::Granted)),
                ApprovalState::Denied => return Ok(Some(ApprovalVerdict::Denied)),
                ApprovalState::Used => return Ok(None),
                ApprovalState::Pending => {}
            }
            let now = tokio::time::Instant::now();
            if now >= deadline {
                return Ok(None);
            }
            // Not an error: time to look for what another process has written.
            drop(tokio::time::timeout_at(deadline.min(now + LOOK), rings).await);
        }
    }

    /// Runs a use case until it is done or refused: whatever it needs is asked for, and then it is tried again.
    pub async fn drive<D: DrivenByApproval>(
        self,
        face: &D,
    ) -> Result<DrivenOutcome<D::Done, D::HandedOn>, Error> {
        let mut n_requests = 0;
        loop {
            let request = match face.attempt().await? {
                Outcome::Done(value) => return Ok(DrivenOutcome::Done(value)),
                Outcome::NeedsApproval(request) => request,
            };
            if n_requests == MOST_REQUESTS {
                return Err(Self::not_approved(&request, None));
            }
            n_requests += 1;
            match face.ask(&request).await? {
                FaceAnswer::Decided(Some(ApprovalVerdict::Granted)) => {}
                FaceAnswer::Decided(refusal) => return Err(Self::not_approved(&request, refusal)),
                FaceAnswer::HandedOn(left) => return Ok(DrivenOutcome::HandedOn(left)),
            }
        }
    }

    /// The refusal of a change that a person did not approve.
    pub fn not_approved(request: &ApprovalRequest, verdict: Option<ApprovalVerdict>) -> Error {
        let ApprovalRequest { id, subject, .. } = request;
        let (message, hint) = match verdict {
            Some(_) => (format!("The user declined: {subject} ({id})"), None),
            None => (
                format!("Approval timed out: {subject} ({id})"),
                Some(NextStep::Approve(id.clone())),
            ),
        };
        Error::Denied {
            rule: None,
            message,
            hint,
        }
    }
}

impl Engine {
    /// Stores the request unless the same one is open. An approval that has come since is used up by this: the call
    /// is simply made again.
    pub(crate) async fn ask_once(
        &self,
        conversation: Option<&ConversationId>,
        session: Option<&SessionId>,
        subject: &str,
        plan: &ApprovalPlan,
    ) -> Result<RequestState, Error> {
        let question = NewApproval {
            session: session.cloned(),
            kind: KIND.to_owned(),
            subject: subject.to_owned(),
            payload: plan.payload.clone(),
            conversation: conversation.cloned(),
            plan: Some(Box::new(StoredPlan {
                hash: plan.hash(),
                text: plan.shown.clone(),
            })),
        };
        let store = &self.inner.store;
        match store.open_approval(&question)? {
            Some(found) if found.state == ApprovalState::Granted => {
                match store.consume(&found.id).await {
                    Ok(_) => return Ok(RequestState::Granted(found.id)),
                    // Somebody else was faster, or it has just expired: what was granted once is asked again.
                    Err(mk_store::Error::NotGranted { .. } | mk_store::Error::Expired(_)) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            Some(found) => return Ok(RequestState::Open(found.into())),
            None => {}
        }
        let asked = store.ask(question).await;
        let approval = asked.map_err(|error| self.about(session, error))?;
        Ok(RequestState::Open(approval.into()))
    }
}

impl ApprovedAct {
    /// Tells one act from another: an approval is good for exactly what was asked.
    pub(crate) fn plan(&self) -> ApprovalPlan {
        self.plan_shown_as(String::new())
    }

    /// The same for an act whose subject does not say everything.
    pub(crate) fn plan_shown_as(&self, shown: String) -> ApprovalPlan {
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
        };
        ApprovalPlan::new(&value, shown)
    }
}
