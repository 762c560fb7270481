//! Asking a person through the client: by elicitation where there is a connection, by `input_required` where there is none.
//!
//! While the client is asked, the same question can be answered on the command line; whoever is first decides.

use std::collections::BTreeMap;
use std::time::Duration;

use mk_engine::{Approval, Engine, Error, Verdict};
use mk_types::ApprovalId;
use rmcp::model::{
    ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, InputRequiredResult, InputResponses,
    ProgressNotificationParam, SealOptions, ServerRequest,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};

use crate::connection::Server;
use crate::era::Era;
use crate::error;

const ANSWER: &str = "approve";
/// How often a waiting call says that it is still waiting, to clients that want to know.
const STILL_WAITING: Duration = Duration::from_secs(5);

pub(crate) enum Asked {
    /// The same call succeeds now.
    Granted,
    /// The client asks, and calls again.
    InputRequired(Box<InputRequiredResult>),
}

/// Asks for an approval and waits for the answer.
pub(crate) async fn ask(
    server: &Server,
    question: &Approval,
    context: &RequestContext<RoleServer>,
) -> Result<Asked, Error> {
    let can_ask = context
        .client_capabilities()
        .is_some_and(|client| client.elicitation.is_some());
    if can_ask && Era::of(context) == Era::Stateless {
        let ttl = server.engine().settings().approval_timeout;
        let state = question.id.as_str().as_bytes();
        let sealed = server.request_state().seal_with(
            state,
            &SealOptions::new().ttl(ttl.max(Duration::from_secs(600))),
        );
        let request = InputRequest::Elicitation(ElicitRequest::new(form(question)));
        let requests = BTreeMap::from([(ANSWER.to_owned(), request)]);
        return Ok(Asked::InputRequired(Box::new(InputRequiredResult::new(
            Some(requests),
            Some(sealed),
        ))));
    }
    let engine = server.engine();
    let through_client = async {
        if !can_ask {
            return std::future::pending().await;
        }
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(form(question)));
        match context.peer.send_request(request).await {
            Ok(ClientResult::ElicitResult(answer)) => verdict(&answer),
            // A client that cannot ask after all leaves the command line.
            _ => std::future::pending().await,
        }
    };
    let decided = tokio::select! {
        verdict = through_client => {
            // Somebody may have answered elsewhere in the same moment; the first answer counts.
            drop(engine.decide(&question.id, verdict, "mcp client").await);
            engine.await_decision(&question.id).await?
        }
        decided = engine.await_decision(&question.id) => decided?,
        () = report_waiting(question, context) => None,
        () = context.ct.cancelled() => None,
        () = server.closing().cancelled() => None,
    };
    match decided {
        Some(Verdict::Granted) => Ok(Asked::Granted),
        refusal => Err(Engine::not_approved(question, refusal)),
    }
}

/// Records what the client brought back for an earlier question.
pub(crate) async fn take_answer(
    server: &Server,
    sealed: &str,
    answers: Option<&InputResponses>,
) -> Result<(), ErrorData> {
    let opened = server
        .request_state()
        .open(sealed)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok());
    let id = opened.and_then(|text| ApprovalId::parse(&text).ok());
    let id = id.ok_or_else(|| {
        error::invalid_params("requestState is not ours, was changed, or is too old")
    })?;
    let answer = answers.and_then(|answers| answers.get(ANSWER));
    let answer =
        answer.and_then(|answer| serde_json::from_value::<ElicitResult>(answer.clone()).ok());
    // Without an answer the call asks again.
    if let Some(answer) = answer {
        drop(
            server
                .engine()
                .decide(&id, verdict(&answer), "mcp client")
                .await,
        );
    }
    Ok(())
}

fn verdict(answer: &ElicitResult) -> Verdict {
    let field = answer
        .content
        .as_ref()
        .and_then(|content| content.get(ANSWER))
        .and_then(serde_json::Value::as_bool);
    match (&answer.action, field) {
        (ElicitationAction::Accept, Some(true)) => Verdict::Granted,
        _ => Verdict::Denied,
    }
}

fn form(question: &Approval) -> ElicitRequestParams {
    let schema = ElicitationSchema::builder()
        .required_bool(ANSWER)
        .build_unchecked();
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: format!("{} ({})", question.subject, question.id),
        requested_schema: schema,
    }
}

/// Progress for clients that gave a token; never ends by itself.
async fn report_waiting(question: &Approval, context: &RequestContext<RoleServer>) {
    let Some(token) = context.meta.get_progress_token() else {
        return std::future::pending().await;
    };
    let mut waited = 0.0;
    loop {
        let message = format!("waiting for approval {}: {}", question.id, question.subject);
        let progress = ProgressNotificationParam::new(token.clone(), waited).with_message(message);
        drop(context.peer.notify_progress(progress).await);
        tokio::time::sleep(STILL_WAITING).await;
        waited += STILL_WAITING.as_secs_f64();
    }
}
