//! `/api/project`, `/api/playbook`, `/api/enforcement` and `/api/logs`: what is around the agents.

use axum::extract::State;
use axum::response::Response;
use mk_engine::{Actor, Error, Outcome};
use mk_tools::Context;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::reply::{self, JsonQuery};
use crate::server::Web;

#[derive(Deserialize)]
pub(crate) struct PlaybookSearchQuery {
    #[serde(default)]
    q: String,
}

/// What a tool answers to the person at the page.
async fn ask(web: &Web, tool: &str, arguments: Value) -> Result<Value, Error> {
    let Some(tool) = mk_tools::find(tool) else {
        return Ok(Value::Null);
    };
    let arguments = match arguments {
        Value::Object(arguments) => arguments,
        _ => Map::new(),
    };
    let caller = web.caller(Actor::Operator);
    let context = Context {
        engine: &web.engine,
        caller: &caller,
    };
    Ok(match tool.parse(arguments)?.run(&context).await? {
        Outcome::Done(reply) if reply.structured.is_null() => {
            serde_json::from_str(&reply.text).unwrap_or_else(|_| json!({ "text": reply.text }))
        }
        Outcome::Done(reply) => reply.structured,
        Outcome::NeedsApproval(request) => json!({ "approval_id": request.id.as_str() }),
    })
}

pub(crate) async fn show(State(web): State<Web>) -> Response {
    reply::answer(ask(&web, "get_project_info", json!({})).await)
}

pub(crate) async fn playbook(
    State(web): State<Web>,
    JsonQuery(search): JsonQuery<PlaybookSearchQuery>,
) -> Response {
    let made = if search.q.trim().is_empty() {
        ask(&web, "list_skills", json!({})).await
    } else {
        let found = ask(&web, "search_rules", json!({ "query": search.q })).await;
        found.map(|found| json!({ "results": found }))
    };
    reply::answer(made)
}

/// What holds each client on this machine, as `modekeeper doctor` says it.
pub(crate) async fn enforcement(State(web): State<Web>) -> Response {
    reply::answer(Ok(web.machine.enforcement().await))
}

pub(crate) async fn logs(State(web): State<Web>) -> Response {
    reply::answer(Ok(json!({ "lines": web.machine.logs() })))
}
