//! `GET /tools/list` and `POST /tools/call`.

use std::convert::Infallible;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use mk_engine::{
    ApprovalRequest, Caller, DrivenByApproval, DrivenOutcome, Engine, Error, FaceAnswer,
};
use mk_tools::{CallAllowance, Context, ParsedCall, Tool, ToolReply};
use serde_json::{Map, Value, json};

use crate::error;
use crate::gate::RequestSender;
use crate::peer::Peer;
use crate::server::Web;

pub(crate) async fn list(State(web): State<Web>) -> Json<Value> {
    let describe = |tool: &Tool| json!({ "name": tool.name, "description": tool.description, "inputSchema": tool.input_schema() });
    Json(
        json!({ "tools": mk_tools::listed(|family| web.offers(family)).into_iter().map(describe).collect::<Vec<_>>() }),
    )
}

pub(crate) async fn call(
    State(web): State<Web>,
    peer: Option<Extension<Peer>>,
    Extension(who): Extension<RequestSender>,
    body: Bytes,
) -> Response {
    let (name, arguments) = match read(&body) {
        Ok(call) => call,
        Err(message) => {
            return (StatusCode::BAD_REQUEST, Json(error::malformed(&message))).into_response();
        }
    };
    let Some(tool) = mk_tools::offered(&name, |family| web.offers(family)) else {
        return Json(error::unknown_tool(&name)).into_response();
    };
    let allowance = match take(&web, tool.target(), peer.as_deref(), &who) {
        Some(Err(allowance)) => return too_many(tool, &allowance),
        Some(Ok(allowance)) => Some(allowance),
        None => None,
    };
    let mut response = match run(&web, &who, tool, arguments).await {
        Ok(reply) => Json(show(reply)).into_response(),
        Err(refusal) => Json(error::refused(&refusal, tool.toolset)).into_response(),
    };
    if let Some(allowance) = allowance {
        write_allowance(&allowance, response.headers_mut());
    }
    response
}

/// Takes one call from the bucket of the client's credential or address. What a client says of itself would give it as many buckets
/// as it likes.
fn take(
    web: &Web,
    tool: &Tool,
    peer: Option<&Peer>,
    who: &RequestSender,
) -> Option<Result<CallAllowance, CallAllowance>> {
    let client = match &who.principal {
        Some(principal) => Some(principal.credential.id.to_string()),
        None => peer.map(|peer| peer.address.to_string()),
    };
    let limiter = web.limiter.as_ref()?;
    limiter.take(tool, client.as_deref().unwrap_or_default())
}

fn too_many(tool: &Tool, allowance: &CallAllowance) -> Response {
    let seconds = allowance.retry_after();
    let body = Json(error::rate_limited(tool.name, seconds));
    let mut response = (StatusCode::TOO_MANY_REQUESTS, body).into_response();
    let headers = response.headers_mut();
    headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    write_allowance(allowance, headers);
    response
}

fn write_allowance(allowance: &CallAllowance, headers: &mut HeaderMap) {
    #[expect(
        clippy::disallowed_methods,
        reason = "a header tells the wall clock's time, whatever tests think it is"
    )]
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let reset = (now + allowance.wait).as_secs();
    headers.insert("x-ratelimit-limit", HeaderValue::from(allowance.limit));
    headers.insert(
        "x-ratelimit-remaining",
        HeaderValue::from(allowance.remaining),
    );
    headers.insert("x-ratelimit-reset", HeaderValue::from(reset));
}

/// The call in a body, or what is wrong with it.
fn read(body: &[u8]) -> Result<(String, Map<String, Value>), String> {
    let value: Value =
        serde_json::from_slice(body).map_err(|error| format!("the body is not JSON: {error}"))?;
    let Value::Object(mut fields) = value else {
        return Err("the body must be an object".to_owned());
    };
    let Some(Value::String(name)) = fields.remove("name") else {
        return Err("`name` must be a string: the tool to call".to_owned());
    };
    match fields.remove("arguments") {
        None => Ok((name, Map::new())),
        Some(Value::Object(arguments)) => Ok((name, arguments)),
        Some(_) => Err("`arguments` must be an object".to_owned()),
    }
}

/// Runs a tool and remembers which directory it activated.
async fn run(
    web: &Web,
    who: &RequestSender,
    tool: &'static Tool,
    arguments: Map<String, Value>,
) -> Result<ToolReply, Error> {
    let reply = ask_and_run(web, who, tool, arguments).await?;
    if let Some(directory) = &reply.project {
        web.active.set(directory.clone());
    }
    Ok(reply)
}

/// Runs a tool; a person's answer is waited for, because a script has nobody else to ask.
async fn ask_and_run(
    web: &Web,
    who: &RequestSender,
    tool: &'static Tool,
    arguments: Map<String, Value>,
) -> Result<ToolReply, Error> {
    let attempt = RestAttempt {
        engine: &web.engine,
        caller: web.agent(who)?,
        parsed: tool.parse(arguments)?,
    };
    match web.engine.approvals().drive(&attempt).await? {
        DrivenOutcome::Done(reply) => Ok(reply),
        DrivenOutcome::HandedOn(never) => match never {},
    }
}

struct RestAttempt<'a> {
    engine: &'a Engine,
    caller: Caller,
    parsed: ParsedCall,
}

impl DrivenByApproval for RestAttempt<'_> {
    type Done = ToolReply;
    type HandedOn = Infallible;

    async fn attempt(&self) -> Result<mk_tools::ToolAnswer, Error> {
        let context = Context {
            engine: self.engine,
            caller: &self.caller,
        };
        self.parsed.run(&context).await
    }

    async fn ask(&self, request: &ApprovalRequest) -> Result<FaceAnswer<Infallible>, Error> {
        let verdict = self.engine.approvals().wait(&request.id).await?;
        Ok(FaceAnswer::Decided(verdict))
    }
}

fn show(reply: ToolReply) -> Value {
    let mut result = json!({
        "content": [{ "type": "text", "text": reply.text }],
        "isError": false,
    });
    if !reply.structured.is_null() {
        result["structuredContent"] = reply.structured;
    }
    if !reply.metadata.is_null() {
        result["metadata"] = reply.metadata;
    }
    result
}
