//! `/api/session`: the page's session. A one-time link or a token makes it. Half of its secret is in a cookie, which is
//! the browser's alone to read; the other half is told to the page here, once.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use mk_engine::{CredentialKind, Principal};
use serde_json::{Map, Value, json};

use crate::gate::{RequestSender, cookie_name, unauthorized};
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

/// Uses a link up, or opens a session for the token that comes with the request.
pub(crate) async fn open(
    State(web): State<Web>,
    Extension(who): Extension<RequestSender>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let given = match link_of(&body) {
        Ok(given) => given,
        Err(message) => return reply::malformed(&message),
    };
    let access = web.engine.access();
    let token = who.principal.as_ref().filter(|it| it.scoped.is_none());
    let token = token.map(|principal| &principal.credential);
    let token = token.filter(|it| it.kind == CredentialKind::Token);
    let made = match (given, token) {
        (Some(link), _) => access.redeem(&link).await,
        (None, Some(token)) => access.open_session(token).await,
        (None, None) => {
            let wanted = "a `link`, or a token of `modekeeper token create` with the request";
            return reply::malformed(&format!("a session needs {wanted}"));
        }
    };
    let (secret, principal) = match made {
        Ok(Some(made)) => made,
        Ok(None) => {
            return unauthorized("the link was used before, or is too old, or the token has ended");
        }
        Err(error) => return reply::refuse(&error),
    };
    let who = RequestSender {
        principal: Some(principal.clone().into()),
        ..who
    };
    web.record(&who, "open the dashboard", "").await;
    let age = 12 * 3600;
    let name = cookie_name(&headers);
    let cookie = format!("{name}={secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age={age}");
    let mut opened = to_json(&principal, web.version);
    opened["csrf"] = json!(principal.csrf);
    with_cookie(&cookie, Json(opened).into_response())
}

/// The link in a body, which has nothing else.
fn link_of(body: &[u8]) -> Result<Option<String>, String> {
    let given: Map<String, Value> = serde_json::from_slice(body)
        .map_err(|error| format!("the body is not a JSON object: {error}"))?;
    if let Some(unknown) = given.keys().find(|key| *key != "link") {
        return Err(format!("unknown field `{unknown}`"));
    }
    match given.get("link") {
        None => Ok(None),
        Some(Value::String(link)) => Ok(Some(link.clone())),
        Some(_) => Err("`link` must be a string".to_owned()),
    }
}

/// Ends the session.
pub(crate) async fn close(
    State(web): State<Web>,
    Extension(who): Extension<RequestSender>,
    headers: HeaderMap,
) -> Response {
    let session = who.principal.as_ref().map(|it| &it.credential);
    if let Some(session) = session.filter(|it| it.kind == CredentialKind::Session)
        && let Err(error) = web.engine.access().revoke(&session.id).await
    {
        return reply::refuse(&error);
    }
    let name = cookie_name(&headers);
    let cookie = format!("{name}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0");
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
        "version": version,
    })
}
