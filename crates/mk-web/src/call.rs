//! `GET /tools/list` and `POST /tools/call`.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use mk_engine::{Actor, Approvals, Error, Verdict};
use mk_tools::{Answer, Context, Reply, TOOLS, Tool};
use serde_json::{Map, Value, json};

use crate::error;
use crate::server::Web;

pub(crate) async fn list(State(web): State<Web>) -> Json<Value> {
    let describe = |tool: &Tool| json!({ "name": tool.name, "description": tool.description, "inputSchema": tool.input_schema() });
    Json(
        json!({ "tools": TOOLS.into_iter().filter(|tool| web.offers(tool)).map(describe).collect::<Vec<_>>() }),
    )
}

pub(crate) async fn call(State(web): State<Web>, body: Bytes) -> Response {
    let (name, arguments) = match read(&body) {
        Ok(call) => call,
        Err(message) => {
            return (StatusCode::BAD_REQUEST, Json(error::malformed(&message))).into_response();
        }
    };
    let Some(tool) = mk_tools::find(&name).filter(|tool| web.offers(tool)) else {
        return Json(error::unknown_tool(&name)).into_response();
    };
    match run(&web, tool, arguments).await {
        Ok(reply) => Json(show(reply)).into_response(),
        Err(refusal) => Json(error::refused(&refusal, tool.family)).into_response(),
    }
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

/// Runs a tool; a question to a person is waited for, because a script has nobody else to ask.
async fn run(web: &Web, tool: &Tool, arguments: Map<String, Value>) -> Result<Reply, Error> {
    let caller = web.caller(Actor::Agent);
    let context = Context {
        engine: &web.engine,
        caller: &caller,
    };
    let question = match tool.call(&context, arguments.clone()).await? {
        Answer::Done(reply) => return Ok(reply),
        Answer::NeedsApproval(question) => question,
    };
    match web.engine.approvals().wait(&question.id).await? {
        Some(Verdict::Granted) => {}
        refusal => return Err(Approvals::not_approved(&question, refusal)),
    }
    match tool.call(&context, arguments).await? {
        Answer::Done(reply) => Ok(reply),
        Answer::NeedsApproval(question) => Err(Approvals::not_approved(&question, None)),
    }
}

fn show(reply: Reply) -> Value {
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
