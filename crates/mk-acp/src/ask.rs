//! Asking the person at the editor, by a `session/request_permission` of our own. No answer is a no.

use std::sync::Arc;
use std::time::Duration;

use mk_engine::{ApprovalRequest, ApprovalVerdict};
use serde_json::{Value, json};

use crate::proxy::{Core, ProxySide};

/// As long as an approval request lives.
const PATIENCE: Duration = Duration::from_secs(600);
const ALLOW: &str = "allow";
const REJECT: &str = "reject";

impl Core {
    /// Asks, and records the answer. Tells whether the person agreed.
    pub(crate) async fn ask_person(
        self: &Arc<Self>,
        session: &str,
        request: &ApprovalRequest,
        call: Option<&Value>,
    ) -> bool {
        let is_plan = self.is_plan(request);
        let agreed = match is_plan {
            Some(plan) => {
                let chosen = self.ask_plan(session, &plan, None).await;
                if chosen.is_some() {
                    self.end_planning(session);
                }
                chosen.is_some()
            }
            None => self.ask_once(session, request, call).await,
        };
        let verdict = match agreed {
            true => ApprovalVerdict::Granted,
            false => ApprovalVerdict::Denied,
        };
        let decided = self
            .engine
            .approvals()
            .decide(&request.id, verdict, "editor")
            .await;
        self.with_session(session, |it| it.asking.retain(|id| *id != request.id));
        match decided {
            Ok(_) => agreed,
            Err(error) => {
                // Answered elsewhere, or too late.
                tracing::debug!(%error, "the answer came too late");
                let state = self.engine.approvals().get(&request.id).map(|it| it.state);
                matches!(state, Ok(mk_engine::ApprovalState::Granted))
            }
        }
    }

    async fn ask_once(
        self: &Arc<Self>,
        session: &str,
        request: &ApprovalRequest,
        call: Option<&Value>,
    ) -> bool {
        let mut tool_call = call.cloned().unwrap_or_else(|| json!({}));
        let id = tool_call
            .get("toolCallId")
            .and_then(Value::as_str)
            .map(str::to_owned);
        tool_call["toolCallId"] = json!(id.unwrap_or_else(|| format!("modekeeper-{}", request.id)));
        tool_call["title"] = json!(request.subject);
        tool_call["status"] = json!("pending");
        if tool_call.get("kind").is_none() {
            tool_call["kind"] = json!("other");
        }
        if !request.plan.trim().is_empty() {
            let text =
                json!({ "type": "content", "content": { "type": "text", "text": request.plan } });
            match tool_call.get_mut("content").and_then(Value::as_array_mut) {
                Some(content) => content.push(text),
                None => tool_call["content"] = json!([text]),
            }
        }
        let params = json!({
            "sessionId": session,
            "toolCall": tool_call,
            "options": [
                { "optionId": ALLOW, "name": "Allow once", "kind": "allow_once" },
                { "optionId": REJECT, "name": "Reject", "kind": "reject_once" },
            ],
        });
        self.choice(&params).await.as_deref() == Some(ALLOW)
    }

    /// The id of the option that a person has chosen.
    pub(crate) async fn choice(self: &Arc<Self>, params: &Value) -> Option<String> {
        let asked = self.request(ProxySide::Editor, "session/request_permission", params);
        let answer = tokio::time::timeout(PATIENCE, asked).await.ok()?.ok()?;
        chosen(&answer).map(str::to_owned)
    }
}

/// The option that an answer names.
pub(crate) fn chosen(answer: &Value) -> Option<&str> {
    let outcome = answer.get("outcome")?;
    (outcome.get("outcome")? == "selected").then_some(())?;
    outcome.get("optionId")?.as_str()
}
