//! `GET /api/memories` and `DELETE /api/memories/{name}`: for the person, not for an agent.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use mk_engine::{Actor, CodeKind, Error};
use mk_tools::Toolset;
use serde_json::{Value, json};

use crate::error;
use crate::server::Web;

pub(crate) async fn list(State(web): State<Web>) -> Response {
    match web
        .engine
        .project(&web.caller(Actor::Operator))
        .memories()
        .list_for_operator()
        .await
    {
        Ok(memories) => {
            let entry = |memory: &mk_engine::MemoryInfo| json!({ "name": memory.name, "size": memory.size, "modified": memory.modified.to_string() });
            Json(json!({ "memories": memories.iter().map(entry).collect::<Vec<Value>>() }))
                .into_response()
        }
        Err(refusal) => refuse(&refusal),
    }
}

pub(crate) async fn remove(State(web): State<Web>, Path(name): Path<String>) -> Response {
    match web
        .engine
        .project(&web.caller(Actor::Operator))
        .memories()
        .delete_for_operator(&name)
        .await
    {
        Ok(()) => Json(json!({ "status": "deleted", "name": name })).into_response(),
        Err(refusal) => refuse(&refusal),
    }
}

fn refuse(refusal: &Error) -> Response {
    let status = match refusal {
        Error::Code(code) if code.kind == CodeKind::MemoryMissing => StatusCode::NOT_FOUND,
        Error::Code(code) if code.kind == CodeKind::Memory => StatusCode::FORBIDDEN,
        Error::Unavailable { .. } => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::BAD_REQUEST,
    };
    (status, Json(error::refused(refusal, Toolset::Memory))).into_response()
}
