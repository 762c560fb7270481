//! `/api/session`: the page's session. A one-time link makes it; the cookie is the browser's alone to read.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use mk_engine::{CredentialKind, Principal};
use serde_json::{Value, json};

use crate::gate::{COOKIE, RequestSender, cookie, unauthorized};
use crate::reply;
use crate::server::Web;

/// Who the page is; 401 without a session.
pub(crate) async fn show(
    Extension(who): Extension<RequestSender>,
    State(web): State<Web>,
) -> Response {
    match &who.principal {
        Some(principal) => Json(to_json(principal, web.version)).into_response(),
        None => unauthorized("there is no session"),
    }
}

/// Uses a link up.
pub(crate) async fn open(
    State(web): State<Web>,
    Extension(who): Extension<RequestSender>,
    body: Bytes,
) -> Response {
    let given: Value = match serde_json::from_slice(&body) {
        Ok(given) => given,
        Err(error) => return reply::malformed(&format!("the body is not JSON: {error}")),
    };
    let Some(link) = given["link"].as_str() else {
        return reply::malformed("`link` must be a string");
    };
    let (secret, principal) = match web.engine.access().redeem(link).await {
        Ok(Some(made)) => made,
        Ok(None) => return unauthorized("the link was used before, or is too old"),
        Err(error) => return reply::refuse(&error),
    };
    let who = RequestSender {
        principal: Some(principal.clone().into()),
        ..who
    };
    web.record(&who, "open the dashboard", "").await;
    let age = 12 * 3600;
    let cookie = format!("{COOKIE}={secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age={age}");
    with_cookie(
        &cookie,
        Json(to_json(&principal, web.version)).into_response(),
    )
}

/// Ends the session.
pub(crate) async fn close(State(web): State<Web>, headers: HeaderMap) -> Response {
    if let Some(secret) = cookie(&headers) {
        let access = web.engine.access();
        let ended = match access.who(CredentialKind::Session, secret) {
            Ok(Some(principal)) => access.revoke(&principal.credential.id).await.map(|_| ()),
            Ok(None) => Ok(()),
            Err(error) => Err(error),
        };
        if let Err(error) = ended {
            return reply::refuse(&error);
        }
    }
    let cookie = format!("{COOKIE}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0");
    with_cookie(&cookie, Json(json!({ "status": "ended" })).into_response())
}

fn with_cookie(cookie: &str, mut response: Response) -> Response {
    match HeaderValue::from_str(cookie) {
        Ok(value) => {
            response.headers_mut().insert(header::SET_COOKIE, value);
            response
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn to_json(principal: &Principal, version: &str) -> Value {
    let credential = &principal.credential;
    json!({
        "name": credential.name,
        "role": credential.role.as_str(),
        "expires_at": credential.expires_at.map(|at| at.to_string()),
        "csrf": principal.csrf,
        "version": version,
    })
}
