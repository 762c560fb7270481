//! `/api/approvals`: what waits for a person, and their answer.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::Response;
use mk_engine::{ApprovalRequest, ApprovalVerdict, Error};
use mk_types::{ApprovalId, ConversationId, SessionId};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::gate::RequestSender;
use crate::reply;
use crate::server::Web;

#[derive(Deserialize)]
struct ApprovalBody {
    verdict: VerdictWord,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum VerdictWord {
    Approve,
    Deny,
}

pub(crate) async fn list(State(web): State<Web>) -> Response {
    reply::answer(pending(&web))
}

pub(crate) async fn decide(
    State(web): State<Web>,
    Extension(who): Extension<RequestSender>,
    Path(id): Path<String>,
    body: Bytes,
) -> Response {
    let answer: ApprovalBody = match reply::read(&body) {
        Ok(answer) => answer,
        Err(refusal) => return *refusal,
    };
    let Ok(id) = ApprovalId::parse(&id) else {
        return reply::missing(&format!("approval request not found: {id}"));
    };
    let (verdict, action) = match answer.verdict {
        VerdictWord::Approve => (ApprovalVerdict::Granted, "approve"),
        VerdictWord::Deny => (ApprovalVerdict::Denied, "deny"),
    };
    let by = format!("{}, {}", who.name(), who.origin);
    match web.engine.approvals().decide(&id, verdict, &by).await {
        Ok(request) => {
            web.record(&who, action, &format!("{id}: {}", request.subject))
                .await;
            reply::answer(Ok(to_json(&web, &request)))
        }
        Err(error) => reply::refuse(&error),
    }
}

/// What waits, oldest first.
pub(crate) fn pending(web: &Web) -> Result<Value, Error> {
    let pending = web.engine.approvals().pending()?;
    let shown: Vec<Value> = pending.iter().map(|it| to_json(web, it)).collect();
    Ok(json!({ "approvals": shown }))
}

fn to_json(web: &Web, request: &ApprovalRequest) -> Value {
    let now = web.engine.clock().now();
    let conversations = web.engine.conversations();
    let id = request.conversation.as_ref();
    let client = id.and_then(|id| conversations.client_of(id).ok().flatten());
    let known = id.and_then(|id| conversations.get(id).ok().flatten());
    json!({
        "id": request.id.as_str(),
        "subject": request.subject,
        "plan": request.plan,
        "state": request.state.as_str(),
        "session_id": request.session.as_ref().map(SessionId::as_str),
        "conversation": request.conversation.as_ref().map(ConversationId::as_str),
        "client": client,
        "project": request.project.as_deref().or_else(|| known.as_ref().map(|it| it.root.path.as_str())),
        "created_at": request.created_at.to_string(),
        "expires_at": request.expires_at.to_string(),
        "waiting_seconds": now.since(request.created_at).as_secs(),
        "decided_by": request.decided_by,
    })
}

impl Web {
    /// Records who changed what, from where. A change that cannot be recorded has happened all the same.
    pub(crate) async fn record(&self, who: &RequestSender, action: &str, subject: &str) {
        let act = mk_engine::NewAct {
            who: who.name(),
            origin: who.origin.clone(),
            action: action.to_owned(),
            subject: subject.to_owned(),
        };
        if let Err(error) = self.engine.access().record(act).await {
            tracing::warn!(%error, action, "a change is not in the record of changes");
        }
    }
}

pub(crate) async fn acts(State(web): State<Web>) -> Response {
    reply::answer(web.engine.access().acts(500).map(|acts| {
        let act = |act: &mk_engine::AuditedChange| {
            json!({
                "at": act.at.to_string(),
                "who": act.who,
                "origin": act.origin,
                "action": act.action,
                "subject": act.subject,
            })
        };
        json!({ "acts": acts.iter().map(act).collect::<Vec<_>>() })
    }))
}
