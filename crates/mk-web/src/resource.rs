//! This server as OAuth sees it: a protected resource (RFC 9728) that says who its issuer is, and what to ask it for.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use mk_engine::{Engine, SignedGrant};
use mk_types::ModeSlug;
use serde_json::{Value, json};

use crate::error;
use crate::issuer::{BadToken, TokenIssuer};

/// Where metadata is; the path of what it is about follows.
pub(crate) const METADATA: &str = "/.well-known/oauth-protected-resource";
/// What a client is told to ask for that comes without a token: the least that is of use.
const FIRST_SCOPE: &str = "mode:ask";

/// What this server asks of callers, besides the tokens it has made itself. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ProtectedResource {
    /// The URL by which clients reach this server, without a slash at its end.
    pub url: String,
    pub issuer: Option<TokenIssuer>,
    /// Whether processes of this user need a credential, too: behind a proxy everyone looks like one.
    pub asks_everyone: bool,
}

impl ProtectedResource {
    /// Only tokens made here, and none for this user's own processes.
    pub fn local() -> Self {
        Self {
            url: String::new(),
            issuer: None,
            asks_everyone: false,
        }
    }

    /// What a token says that is for this path.
    pub(crate) async fn verify(&self, token: &str, path: &str) -> Result<SignedGrant, BadToken> {
        let Some(issuer) = &self.issuer else {
            return Err(BadToken::Forged);
        };
        let place = |path: &str| format!("{}{path}", self.url);
        let audiences = [place(""), place("/mcp"), place(endpoint(path))];
        issuer.verify(token, &audiences).await
    }

    /// The metadata of a path.
    pub(crate) fn metadata(&self, engine: &Engine, path: &str) -> Response {
        let about = path.strip_prefix(METADATA).unwrap_or_default();
        let is_endpoint = matches!(about, "" | "/" | "/mcp" | "/sse")
            || about.strip_prefix("/mcp/").is_some_and(|mode| {
                ModeSlug::parse(mode).is_ok() && engine.modes().ceiling(mode).is_ok()
            });
        let Some(issuer) = self.issuer.as_ref().filter(|_| is_endpoint) else {
            return (StatusCode::NOT_FOUND, "there is no such resource\n").into_response();
        };
        Json(json!({
            "resource": format!("{}{}", self.url, about.trim_end_matches('/')),
            "resource_name": "Modekeeper",
            "authorization_servers": [issuer.url()],
            "bearer_methods_supported": ["header"],
            "scopes_supported": engine.modes().scopes(),
        }))
        .into_response()
    }

    /// 401: a credential is missing or wrong.
    pub(crate) fn unauthorized(
        &self,
        engine: &Engine,
        path: &str,
        problem: Option<&str>,
    ) -> Response {
        let message = problem.unwrap_or("this needs a token or the page's session");
        let hint = "open the page with `modekeeper dashboard`, or send `Authorization: Bearer` with a token of \
                    `modekeeper token create`";
        let error = problem.map(|_| "invalid_token");
        let scope = match asked_mode(path).filter(|mode| engine.modes().ceiling(mode).is_ok()) {
            Some(mode) => format!("mode:{mode}"),
            None => FIRST_SCOPE.to_owned(),
        };
        let challenge = self.challenge(path, error, &scope);
        let body = error::access("UNAUTHORIZED", message, hint);
        refuse(StatusCode::UNAUTHORIZED, challenge, body)
    }

    /// 403: the issuer can give a token that is enough.
    pub(crate) fn insufficient(&self, path: &str, scope: &str) -> Response {
        let challenge = self.challenge(path, Some("insufficient_scope"), scope);
        let message = format!("this needs a token with the scope {scope}");
        let hint = "ask the issuer for a token with this scope";
        let body = error::access("INSUFFICIENT_SCOPE", &message, hint);
        refuse(StatusCode::FORBIDDEN, challenge, body)
    }

    /// What a token must have that has no scope of a mode.
    pub(crate) fn first_scope(path: &str) -> String {
        asked_mode(path).map_or_else(|| FIRST_SCOPE.to_owned(), |mode| format!("mode:{mode}"))
    }

    fn challenge(&self, path: &str, error: Option<&str>, scope: &str) -> String {
        let mut challenge = "Bearer realm=\"modekeeper\"".to_owned();
        if let Some(error) = error {
            challenge += &format!(", error=\"{error}\"");
        }
        if self.issuer.is_some() {
            let (url, endpoint) = (&self.url, endpoint(path));
            challenge +=
                &format!(", scope=\"{scope}\", resource_metadata=\"{url}{METADATA}{endpoint}\"");
        }
        challenge
    }
}

/// The mode that a path names.
pub(crate) fn asked_mode(path: &str) -> Option<&str> {
    path.strip_prefix("/mcp/")
        .filter(|mode| ModeSlug::parse(mode).is_ok())
}

/// The resource that a path belongs to; all of REST is the server itself.
fn endpoint(path: &str) -> &str {
    match path {
        "/mcp" | "/sse" => path,
        "/messages" => "/sse",
        _ if asked_mode(path).is_some() => path,
        _ => "",
    }
}

fn refuse(status: StatusCode, challenge: String, body: Value) -> Response {
    let mut response = (status, Json(body)).into_response();
    if let Ok(challenge) = HeaderValue::try_from(challenge) {
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}
