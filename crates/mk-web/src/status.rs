//! `GET /api/status`: what a dashboard shows first.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use mk_engine::{Actor, EngineStatus, IndexStatus};
use mk_types::AbsPath;
use serde_json::{Value, json};

use crate::gate::RequestSender;
use crate::reply;
use crate::server::Web;

pub(crate) async fn show(
    State(web): State<Web>,
    Extension(who): Extension<RequestSender>,
) -> Response {
    // This user's own processes may ask where there is no project, too.
    let caller = match &who.principal {
        None => Ok(web.caller(Actor::Operator)),
        Some(_) => web.steward(&who, "list_memories"),
    };
    let status = match caller {
        Ok(caller) => web.engine.status(&caller).await,
        Err(refusal) => Err(refusal),
    };
    match status {
        Ok(status) => Json(to_json(&status)).into_response(),
        Err(refusal) => reply::refuse(&refusal),
    }
}

fn to_json(status: &EngineStatus) -> Value {
    let EngineStatus {
        project,
        index: made,
        language_servers,
        n_memories,
        tool_usage,
    } = status;
    let index = |index: &IndexStatus| {
        json!({
            "complete": index.is_complete(),
            "files": index.files,
            "symbols": index.symbols,
            "files_done": index.progress.files_done,
            "files_total": index.progress.files_total,
        })
    };
    json!({
        "status": if project.is_some() { "active" } else { "inactive" },
        "project": project.as_ref().map(AbsPath::as_str),
        "language_servers": language_servers,
        "index": made.as_ref().map(index),
        "memory_count": n_memories,
        "tool_usage": tool_usage,
    })
}
