//! `/api/backups`: what was done to files, and undoing it.

use axum::Extension;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use mk_engine::{Actor, BackupInfo, Caller, Engine, Error};
use mk_types::AbsPath;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error;
use crate::gate::RequestSender;
use crate::reply::{self, JsonQuery};
use crate::server::Web;

#[derive(Deserialize)]
pub(crate) struct OfProject {
    /// Its directory; the server's own without one.
    project: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Restore {
    /// Whether files are put back that have changed again since.
    #[serde(default)]
    force: bool,
}

impl OfProject {
    fn caller(&self, web: &Web) -> Caller {
        let named = self.project.as_deref().map(std::path::Path::new);
        match named.and_then(AbsPath::new) {
            Some(project) => Caller::in_project(project, Actor::Operator),
            None => web.caller(Actor::Operator),
        }
    }
}

pub(crate) async fn list(State(web): State<Web>, JsonQuery(of): JsonQuery<OfProject>) -> Response {
    let caller = of.caller(&web);
    let listed = web.engine.project(&caller).backups().list();
    let shown = |backups: Vec<BackupInfo>| -> Value {
        json!({ "backups": backups.iter().map(to_json).collect::<Vec<_>>() })
    };
    reply::answer(listed.map(shown))
}

pub(crate) async fn restore(
    State(web): State<Web>,
    Extension(who): Extension<RequestSender>,
    Path(id): Path<String>,
    JsonQuery(of): JsonQuery<OfProject>,
    body: Bytes,
) -> Response {
    let Restore { force } = match reply::read(&body) {
        Ok(restore) => restore,
        Err(refusal) => return *refusal,
    };
    let listed = web.engine.project(&of.caller(&web)).backups().list();
    match listed {
        Ok(listed) if listed.iter().all(|it| it.id != id) => {
            return reply::missing(&format!("backup not found: {id}"));
        }
        Ok(_) => {}
        Err(error) => return reply::refuse(&error),
    }
    let (caller, engine, backup) = (of.caller(&web), web.engine.clone(), id.clone());
    let undone = tokio::task::spawn_blocking(move || undo(&engine, &caller, &backup, force)).await;
    let undone = undone.unwrap_or_else(|error| {
        tracing::error!(%error, "undoing failed");
        Err(Error::invalid("id", "The change could not be undone"))
    });
    match undone {
        Ok(Ok(value)) => {
            web.record(&who, "undo", &id).await;
            Json(value).into_response()
        }
        Ok(Err(conflicts)) => {
            let message = format!("changed since then: {}", conflicts.join(", "));
            let body = error::access(
                "CONFLICT",
                &message,
                "send `force: true` to put them back anyway",
            );
            (StatusCode::CONFLICT, Json(body)).into_response()
        }
        Err(error) => reply::refuse(&error),
    }
}

/// Puts files back, or tells which ones have changed again since.
fn undo(
    engine: &Engine,
    caller: &Caller,
    id: &str,
    force: bool,
) -> Result<Result<Value, Vec<String>>, Error> {
    let backups = engine.project(caller).backups();
    let conflicts = backups.conflicts(id)?;
    if !conflicts.is_empty() && !force {
        return Ok(Err(conflicts));
    }
    let changes = backups.restore(id)?;
    let file = |it: &mk_engine::FileChange| json!({ "path": it.path.as_str(), "what": it.what });
    Ok(Ok(
        json!({ "files": changes.files.iter().map(file).collect::<Vec<_>>() }),
    ))
}

pub(crate) fn to_json(backup: &BackupInfo) -> Value {
    let file = |file: &mk_engine::BackedUpFile| json!({ "path": file.path.as_str(), "existed": file.existed, "size": file.size });
    json!({
        "id": backup.id,
        "at": backup.at.to_string(),
        "tool": backup.tool,
        "files": backup.files.iter().map(file).collect::<Vec<_>>(),
    })
}
