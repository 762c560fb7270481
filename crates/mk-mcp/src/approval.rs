//! Asking a person through the client: by elicitation where there is a connection, by `input_required` where there is none.
//!
//! While the client is asked, the same question can be answered on the command line; the first answer decides.

use std::collections::BTreeMap;
use std::time::Duration;

use mk_engine::{
    ApprovalRequest, ApprovalState, ApprovalVerdict, Approvals, Engine, Error, FaceAnswer,
};
use mk_types::ApprovalId;
use rmcp::model::{
    ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, InputRequiredResult, InputResponses,
    ProgressNotificationParam, SealOptions, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext, RequestHandle};
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use crate::connection::McpServer;
use crate::era::Era;
use crate::error;

const ANSWER: &str = "approve";
/// How often a waiting call says that it is still waiting, to clients that want to know.
const STILL_WAITING: Duration = Duration::from_secs(5);
/// How long at least a client may take to bring an answer back.
const SHORTEST_STATE: Duration = Duration::from_secs(600);

/// The call that an approval request is about: an answer for one is not an answer for another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ApprovalSubject<'a> {
    pub tool: &'a str,
    pub arguments: &'a Value,
    /// Whether the client's answer counts; else a person answers elsewhere.
    pub answers: bool,
}

/// Asks for an approval and waits for the answer.
pub(crate) async fn ask(
    server: &McpServer,
    subject: ApprovalSubject<'_>,
    question: &ApprovalRequest,
    context: &RequestContext<RoleServer>,
) -> Result<FaceAnswer<Box<InputRequiredResult>>, Error> {
    // An agent behind an editor's proxy would answer a form itself; the person sees the question in the editor.
    let is_shown = question.conversation.as_ref();
    let is_shown = is_shown.is_some_and(|conversation| server.is_attended(conversation));
    let can_ask = subject.answers && !is_shown && shows_forms(context);
    if can_ask && Era::of(context) == Era::Stateless {
        let required = input_required(server, subject, question);
        return Ok(FaceAnswer::HandedOn(Box::new(required)));
    }
    let Some(_room) = server.patience() else {
        return Ok(FaceAnswer::Decided(None));
    };
    let mut elicitation = None;
    if can_ask {
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(form(question)));
        let options = PeerRequestOptions::no_options();
        let sent = context.peer.send_cancellable_request(request, options);
        elicitation = sent.await.ok();
    }
    let engine = server.engine();
    let approvals = engine.approvals();
    let decided = tokio::select! {
        verdict = answer(&mut elicitation) => {
            elicitation = None;
            decide(engine, &question.id, verdict).await?
        }
        decided = approvals.wait(&question.id) => decided?,
        () = report_waiting(question, context) => None,
        () = context.ct.cancelled() => None,
        () = server.closing().cancelled() => None,
    };
    if let Some(elicitation) = elicitation {
        // The dialogue on the client's screen has lost its purpose.
        let reason = "the question is no longer open".to_owned();
        drop(elicitation.cancel(Some(reason)).await);
    }
    Ok(FaceAnswer::Decided(decided))
}

/// Records what the client brought back for an earlier question, and says so if it was a no.
pub(crate) async fn take_answer(
    server: &McpServer,
    subject: ApprovalSubject<'_>,
    sealed: &str,
    answers: Option<&InputResponses>,
) -> Result<Option<Error>, ErrorData> {
    let opened = server
        .request_state()
        .open_with(sealed, &subject.to_bytes())
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok());
    let id = opened.and_then(|text| ApprovalId::parse(&text).ok());
    let id = id.ok_or_else(error::foreign_state)?;
    let answer = answers.filter(|_| subject.answers);
    let answer = answer.and_then(|answers| answers.get(ANSWER));
    let answer =
        answer.and_then(|answer| serde_json::from_value::<ElicitResult>(answer.clone()).ok());
    // Without an answer the call asks again.
    let Some(answer) = answer else {
        return Ok(None);
    };
    let engine = server.engine();
    let refusal = match decide(engine, &id, verdict(&answer)).await {
        Ok(Some(ApprovalVerdict::Denied)) => match engine.approvals().get(&id) {
            Ok(question) => Some(Approvals::not_approved(
                &question,
                Some(ApprovalVerdict::Denied),
            )),
            Err(error) => Some(error),
        },
        // Granted; or used up meanwhile, and then the call asks again.
        Ok(_) => None,
        Err(error) => Some(error),
    };
    Ok(refusal)
}

/// Records a verdict unless somebody was faster, and tells the one that counts.
async fn decide(
    engine: &Engine,
    id: &ApprovalId,
    verdict: ApprovalVerdict,
) -> Result<Option<ApprovalVerdict>, Error> {
    match engine.approvals().decide(id, verdict, "mcp client").await {
        Ok(_) => Ok(Some(verdict)),
        Err(Error::Conflict(_)) => Ok(match engine.approvals().get(id)?.state {
            ApprovalState::Granted => Some(ApprovalVerdict::Granted),
            ApprovalState::Denied => Some(ApprovalVerdict::Denied),
            ApprovalState::Used | ApprovalState::Pending => None,
        }),
        Err(error) => Err(error),
    }
}

/// Whether the client shows forms; one that names no kind means forms.
fn shows_forms(context: &RequestContext<RoleServer>) -> bool {
    context
        .client_capabilities()
        .and_then(|client| client.elicitation)
        .is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}

fn input_required(
    server: &McpServer,
    subject: ApprovalSubject<'_>,
    question: &ApprovalRequest,
) -> InputRequiredResult {
    let ttl = server.engine().settings().approval_timeout;
    let bound = subject.to_bytes();
    let options = SealOptions::new()
        .associated_data(&bound)
        .ttl(ttl.max(SHORTEST_STATE));
    let state = server
        .request_state()
        .seal_with(question.id.as_str().as_bytes(), &options);
    let request = InputRequest::Elicitation(ElicitRequest::new(form(question)));
    let requests = BTreeMap::from([(ANSWER.to_owned(), request)]);
    InputRequiredResult::new(Some(requests), Some(state))
}

impl ApprovalSubject<'_> {
    /// The same bytes for the same call, in whatever order a client writes its arguments.
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        let mut arguments = self.arguments.clone();
        arguments.sort_all_objects();
        json!([self.tool, arguments]).to_string().into_bytes()
    }
}

/// The client's verdict; a client that cannot ask after all leaves the command line.
async fn answer(elicitation: &mut Option<RequestHandle<RoleServer>>) -> ApprovalVerdict {
    if let Some(handle) = elicitation
        && let Ok(Ok(ClientResult::ElicitResult(answer))) = (&mut handle.rx).await
    {
        return verdict(&answer);
    }
    std::future::pending().await
}

fn verdict(answer: &ElicitResult) -> ApprovalVerdict {
    let field = answer
        .content
        .as_ref()
        .and_then(|content| content.get(ANSWER))
        .and_then(Value::as_bool);
    match (&answer.action, field) {
        (ElicitationAction::Accept, Some(true)) => ApprovalVerdict::Granted,
        _ => ApprovalVerdict::Denied,
    }
}

fn form(question: &ApprovalRequest) -> ElicitRequestParams {
    let schema = ElicitationSchema::builder()
        .required_bool(ANSWER)
        .build_unchecked();
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.describe(),
        requested_schema: schema,
    }
}

/// Progress for clients that gave a token; never ends by itself.
async fn report_waiting(question: &ApprovalRequest, context: &RequestContext<RoleServer>) {
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
