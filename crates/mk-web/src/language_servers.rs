//! `POST /api/language-servers/{language}/restart`: for the person, not for an agent.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use mk_engine::{CodeKind, Error};
use mk_tools::Toolset;
use serde_json::json;

use crate::error;
use crate::gate::RequestSender;
use crate::reply;
use crate::server::Web;

pub(crate) async fn restart(
    State(web): State<Web>,
    Extension(who): Extension<RequestSender>,
    Path(language): Path<String>,
) -> Response {
    let caller = match web.steward(&who, "find_symbols") {
        Ok(caller) => caller,
        Err(refusal) => return refuse(&refusal),
    };
    match web
        .engine
        .language_servers()
        .restart(&caller, &language)
        .await
    {
        Ok(restarted) => {
            web.record(&who, "restart language server", &language).await;
            let (server, pid) = (restarted.server, restarted.value);
            let value = json!({
                "status": "restarted",
                "language": language,
                "server": server,
                "pid": pid,
            });
            Json(value).into_response()
        }
        Err(refusal) => refuse(&refusal),
    }
}

fn refuse(refusal: &Error) -> Response {
    let status = match refusal {
        // The route names the language.
        Error::Code(code) if code.kind == CodeKind::InvalidArguments => StatusCode::NOT_FOUND,
        refusal => reply::status_of(refusal),
    };
    (status, Json(error::refused(refusal, Toolset::Symbols))).into_response()
}
