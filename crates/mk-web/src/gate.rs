//! Who a request comes from, and whether that is enough for the route. In front of every route, behind [`crate::guard`].
//!
//! A process of this user on this machine may do what an agent may, without a credential. Everything else needs a
//! token or the page's session: operators' acts on loopback too, because agents run as the same user.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Json;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use mk_engine::{AccessRole, CredentialKind, Engine, Principal};

use crate::error;
use crate::peer::{Peer, PeerUser};

/// The cookie of the page's session.
pub(crate) const COOKIE: &str = "modekeeper_session";
/// What the page sends along with every change.
const CSRF: &str = "x-csrf-token";
/// Wrong credentials from one address before it has to wait.
const MOST_FAILURES: u32 = 20;
/// How long it then waits.
const PENALTY: Duration = Duration::from_secs(60);
/// Addresses that are remembered at most.
const MOST_ADDRESSES: usize = 10_000;

/// Scripts and styles of this server only, nothing inline, nothing from elsewhere, in nobody's frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What a route asks of its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Nothing: it tells nothing.
    Nothing,
    /// A process of this user on this machine, or any token.
    Agent,
    Role(AccessRole),
}

/// What a route asks of its caller. What is not listed is for operators.
pub fn need(method: &Method, path: &str) -> Need {
    let reads = matches!(*method, Method::GET | Method::HEAD);
    let below = |prefix: &str| path.starts_with(prefix);
    match path {
        "/" | "/favicon.ico" | "/healthz" | "/readyz" | "/api/session" => Need::Nothing,
        "/server/info" | "/openapi.json" | "/tools/list" | "/tools/call" | "/metrics" => {
            Need::Agent
        }
        "/mcp" | "/sse" | "/messages" | "/api/status" => Need::Agent,
        // They ask a question with a body.
        "/api/check" | "/api/modes/draft" => Need::Role(AccessRole::Viewer),
        _ if below("/page/") => Need::Nothing,
        _ if below("/mcp/") || below("/api/language-servers/") => Need::Agent,
        "/api/memories" => Need::Agent,
        _ if below("/api/memories/") && (reads || *method == Method::DELETE) => Need::Agent,
        _ if below("/api/tokens") || path == "/api/acts" => Need::Role(AccessRole::Admin),
        _ if reads => Need::Role(AccessRole::Viewer),
        _ => Need::Role(AccessRole::Operator),
    }
}

/// Who a request comes from.
#[derive(Debug, Clone)]
pub struct Who {
    pub principal: Option<Arc<Principal>>,
    /// For records.
    pub origin: String,
}

impl Who {
    /// For records.
    pub fn name(&self) -> String {
        match &self.principal {
            Some(principal) => principal.who(),
            None => "a process of this user".to_owned(),
        }
    }
}

#[derive(Debug, Clone)]
struct Gate {
    engine: Engine,
    failures: Arc<Mutex<HashMap<IpAddr, (u32, Instant)>>>,
}

/// Puts the gate in front of routes.
pub fn gated(routes: Router, engine: Engine) -> Router {
    let gate = Gate {
        engine,
        failures: Arc::default(),
    };
    routes.layer(middleware::from_fn_with_state(gate, pass))
}

async fn pass(State(gate): State<Gate>, mut request: Request, next: Next) -> Response {
    let is_html = !request.uri().path().starts_with("/page/");
    let mut response = match gate.admit(&request) {
        Ok(who) => {
            // For the faces behind, which know nothing of this one.
            if let Some(principal) = &who.principal {
                request.extensions_mut().insert(principal.limits());
            }
            request.extensions_mut().insert(who);
            next.run(request).await
        }
        Err(refusal) => *refusal,
    };
    harden(response.headers_mut(), is_html);
    response
}

/// Headers that keep a browser from doing with an answer what it is not meant for.
fn harden(headers: &mut HeaderMap, is_html: bool) {
    let mut set = |name: &'static str, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    set("x-content-type-options", "nosniff");
    set("referrer-policy", "no-referrer");
    set("cross-origin-opener-policy", "same-origin");
    set("cross-origin-resource-policy", "same-origin");
    if is_html {
        set("content-security-policy", POLICY);
        set("x-frame-options", "DENY");
    }
}

impl Gate {
    fn admit(&self, request: &Request) -> Result<Who, Box<Response>> {
        let peer = request.extensions().get::<Peer>().copied();
        let is_same_user = peer.is_none_or(|peer| peer.user == PeerUser::Same);
        let address = peer.map(|peer| peer.address);
        let headers = request.headers();
        let given = credential(headers);
        // Only who tries tokens waits: an agent must not lock the person at the same machine out of the page.
        if let (Some((CredentialKind::Token, _)), Some(address)) = (given, address)
            && let Some(seconds) = self.locked_out(address)
        {
            return Err(refuse_for(seconds).into());
        }
        let found = match given {
            None => None,
            Some((kind, secret)) => match self.engine.access().who(kind, secret) {
                Ok(Some(principal)) => Some((kind, principal)),
                // An old cookie is no attempt to get in.
                Ok(None) if kind == CredentialKind::Session => None,
                Ok(None) => {
                    self.note_failure(address);
                    return Err(unauthorized("the token is unknown, expired or revoked").into());
                }
                Err(error) => {
                    let body = Json(error::refused(&error, mk_tools::Toolset::Modes));
                    return Err((StatusCode::SERVICE_UNAVAILABLE, body)
                        .into_response()
                        .into());
                }
            },
        };
        let need = need(request.method(), request.uri().path());
        let is_change = !matches!(*request.method(), Method::GET | Method::HEAD);
        if let (Some((CredentialKind::Session, principal)), Need::Role(_), true) =
            (&found, need, is_change)
        {
            let sent = headers.get(CSRF).map(HeaderValue::as_bytes);
            if !sent.is_some_and(|sent| same(sent, principal.csrf.as_bytes())) {
                return Err(forbidden("the request does not come from the page").into());
            }
        }
        let principal = found.map(|(_, principal)| Arc::new(principal));
        match need {
            Need::Nothing => {}
            Need::Agent if is_same_user || principal.is_some() => {}
            Need::Agent => return Err(unauthorized("this server wants a token").into()),
            Need::Role(role) => match &principal {
                None => {
                    let wanted = "this needs a token or the page's session, also on this machine";
                    return Err(unauthorized(wanted).into());
                }
                Some(principal) if principal.may(role) => {}
                Some(principal) => {
                    let has = principal.credential.role;
                    let refusal = format!("this needs the role {role}; this is a {has}");
                    return Err(forbidden(&refusal).into());
                }
            },
        }
        Ok(Who {
            principal,
            origin: address.map_or_else(|| "this process".to_owned(), |it| it.to_string()),
        })
    }

    fn note_failure(&self, address: Option<IpAddr>) {
        let Some(address) = address else { return };
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= MOST_ADDRESSES {
            failures.retain(|_, (_, last)| last.elapsed() < PENALTY);
        }
        let (count, last) = failures.entry(address).or_insert((0, Instant::now()));
        if last.elapsed() > PENALTY {
            *count = 0;
        }
        *count += 1;
        *last = Instant::now();
        tracing::warn!(%address, "a wrong token was refused");
    }

    /// The seconds an address still has to wait.
    fn locked_out(&self, address: IpAddr) -> Option<u64> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, last) = failures.get(&address)?;
        let left = PENALTY.checked_sub(last.elapsed())?;
        (*count >= MOST_FAILURES).then_some(left.as_secs() + 1)
    }
}

/// The secret that a request brings, and what it is. A token counts before a cookie.
fn credential(headers: &HeaderMap) -> Option<(CredentialKind, &str)> {
    if let Some(value) = headers.get(header::AUTHORIZATION) {
        let value = value.to_str().unwrap_or_default();
        let (scheme, secret) = value.split_once(' ').unwrap_or((value, ""));
        let secret = if scheme.eq_ignore_ascii_case("bearer") {
            secret.trim()
        } else {
            ""
        };
        return Some((CredentialKind::Token, secret));
    }
    cookie(headers).map(|secret| (CredentialKind::Session, secret))
}

/// The secret in the page's cookie.
pub(crate) fn cookie(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter();
    let cookies = cookies.filter_map(|value| value.to_str().ok());
    cookies
        .flat_map(|value| value.split(';'))
        .find_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('='))
}

/// Compares in a time that does not tell where two texts differ.
fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .fold(0, |difference, (one, other)| difference | (one ^ other))
            == 0
}

pub(crate) fn unauthorized(message: &str) -> Response {
    let hint = "open the page with `modekeeper dashboard`, or send `Authorization: Bearer` with a token of \
                `modekeeper token create`";
    let body = Json(error::access("UNAUTHORIZED", message, hint));
    let challenge = [(header::WWW_AUTHENTICATE, "Bearer realm=\"modekeeper\"")];
    (StatusCode::UNAUTHORIZED, challenge, body).into_response()
}

fn forbidden(message: &str) -> Response {
    let hint = "use a credential with a higher role";
    let body = Json(error::access("FORBIDDEN", message, hint));
    (StatusCode::FORBIDDEN, body).into_response()
}

fn refuse_for(seconds: u64) -> Response {
    let body = Json(error::access(
        "RATE_LIMITED",
        "too many wrong tokens came from this address",
        "wait, then try again",
    ));
    let wait = [(header::RETRY_AFTER, HeaderValue::from(seconds))];
    (StatusCode::TOO_MANY_REQUESTS, wait, body).into_response()
}
