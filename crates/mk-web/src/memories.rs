//! `/api/memories`: listed, read, written and deleted by a person, not by an agent.

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use mk_engine::Actor;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::gate::RequestSender;
use crate::reply;
use crate::server::Web;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MemoryBody {
    content: String,
}

pub(crate) async fn list(
    State(web): State<Web>,
    Extension(who): Extension<RequestSender>,
) -> Response {
    let caller = match web.steward(&who, "list_memories") {
        Ok(caller) => caller,
        Err(refusal) => return reply::refuse(&refusal),
    };
    let memories = web.engine.project(&caller).memories();
    match memories.list_for_operator().await {
        Ok(memories) => {
            let entry = |memory: &mk_engine::MemoryInfo| json!({ "name": memory.name, "size": memory.size, "modified": memory.modified.to_string() });
            Json(json!({ "memories": memories.iter().map(entry).collect::<Vec<Value>>() }))
                .into_response()
        }
        Err(refusal) => reply::refuse(&refusal),
    }
}

pub(crate) async fn remove(
    State(web): State<Web>,
    Extension(who): Extension<RequestSender>,
    Path(name): Path<String>,
) -> Response {
    let caller = match web.steward(&who, "delete_memory") {
        Ok(caller) => caller,
        Err(refusal) => return reply::refuse(&refusal),
    };
    let memories = web.engine.project(&caller).memories();
    match memories.delete_for_operator(&name).await {
        Ok(()) => {
            web.record(&who, "delete memory", &name).await;
            Json(json!({ "status": "deleted", "name": name })).into_response()
        }
        Err(refusal) => reply::refuse(&refusal),
    }
}

/// A memory's text.
pub(crate) async fn show(
    State(web): State<Web>,
    Extension(who): Extension<RequestSender>,
    Path(name): Path<String>,
) -> Response {
    let caller = match web.steward(&who, "read_memory") {
        Ok(caller) => caller,
        Err(refusal) => return reply::refuse(&refusal),
    };
    let memories = web.engine.project(&caller).memories();
    match memories.read_for_operator(&name).await {
        Ok(text) => Json(json!({ "name": name, "content": text })).into_response(),
        Err(refusal) => reply::refuse(&refusal),
    }
}

/// Writes a memory, new or not.
pub(crate) async fn write(
    State(web): State<Web>,
    Extension(who): Extension<RequestSender>,
    Path(name): Path<String>,
    body: Bytes,
) -> Response {
    let MemoryBody { content } = match reply::read(&body) {
        Ok(text) => text,
        Err(refusal) => return *refusal,
    };
    let caller = web.caller(Actor::Operator);
    let memories = web.engine.project(&caller).memories();
    match memories.write_for_operator(&name, content).await {
        Ok(()) => {
            web.record(&who, "write memory", &name).await;
            Json(json!({ "status": "written", "name": name })).into_response()
        }
        Err(refusal) => reply::refuse(&refusal),
    }
}
