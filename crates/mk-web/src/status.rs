//! `GET /api/status`: what a dashboard shows first.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use mk_engine::{Actor, IndexStatus, Status};
use mk_tools::Toolset;
use mk_types::AbsPath;
use serde_json::{Value, json};

use crate::error;
use crate::server::Web;

pub(crate) async fn show(State(web): State<Web>) -> Response {
    match web.engine.status(&web.caller(Actor::Operator)).await {
        Ok(status) => Json(to_json(&status)).into_response(),
        Err(refusal) => {
            let answer = error::refused(&refusal, Toolset::Project);
            (StatusCode::BAD_REQUEST, Json(answer)).into_response()
        }
    }
}

fn to_json(status: &Status) -> Value {
    let Status {
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
