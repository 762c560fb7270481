//! Who a request comes from, and whether that is enough for the route. In front of every route, behind [`crate::guard`].
//!
//! A session of the page has two halves: its cookie, which a browser also sends to other servers on this machine, and
//! what only the page has, sent along with every request. One without the other is no credential.
//!
//! A process of this user on this machine may do what an agent may, without a credential. Everything else needs a
//! token or the page's session: operators' acts on loopback too, because agents run as the same user.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Json;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use mk_engine::{
    AccessRole, AgentLimits, AgentLink, CredentialKind, Engine, Principal, mode_scope, role_scope,
    session_secret, whole_scope,
};
use mk_types::{ModeSlug, lock};
use serde_json::Value;

use crate::ending::while_it_holds;
use crate::error;
use crate::guard::LARGEST_BODY;
use crate::issuer::{BadToken, is_signed};
use crate::owner::SocketOwners;
use crate::peer::{Peer, PeerUser};
use crate::resource::{METADATA, ProtectedResource, asked_mode};

/// The cookie of the page's session.
pub(crate) const COOKIE: &str = "modekeeper_session";
/// The page's half of its session's secret.
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
pub enum RouteNeed {
    /// Nothing: it tells nothing.
    Nothing,
    /// A process of this user on this machine, or any token.
    Agent,
    Role(AccessRole),
}

/// What a route asks of its caller. What is not listed is for operators.
pub fn need(method: &Method, path: &str) -> RouteNeed {
    let reads = matches!(*method, Method::GET | Method::HEAD);
    let below = |prefix: &str| path.starts_with(prefix);
    match path {
        "/" | "/favicon.ico" | "/healthz" | "/readyz" | "/api/session" => RouteNeed::Nothing,
        "/server/info" | "/openapi.json" | "/tools/list" | "/tools/call" | "/metrics" => {
            RouteNeed::Agent
        }
        "/mcp" | "/sse" | "/messages" | "/api/status" => RouteNeed::Agent,
        METADATA => RouteNeed::Nothing,
        _ if below(METADATA) => RouteNeed::Nothing,
        // They ask a question with a body.
        "/api/check" | "/api/modes/draft" => RouteNeed::Role(AccessRole::Viewer),
        _ if below("/page/") => RouteNeed::Nothing,
        _ if below("/mcp/") || below("/api/language-servers/") => RouteNeed::Agent,
        "/api/memories" => RouteNeed::Agent,
        _ if below("/api/memories/") && (reads || *method == Method::DELETE) => RouteNeed::Agent,
        "/api/acts" => RouteNeed::Role(AccessRole::Admin),
        _ if reads => RouteNeed::Role(AccessRole::Viewer),
        _ => RouteNeed::Role(AccessRole::Operator),
    }
}

/// Who a request comes from.
#[derive(Debug, Clone)]
pub struct RequestSender {
    pub principal: Option<Arc<Principal>>,
    /// The agent that it may come from.
    pub agent: Option<AgentLink>,
    /// For records.
    pub origin: String,
}

impl RequestSender {
    /// What its credential and its process let it do at most.
    pub(crate) fn limits(&self) -> AgentLimits {
        let limits = match &self.principal {
            Some(principal) => principal.limits(),
            None => AgentLimits::default(),
        };
        AgentLimits {
            agent: self.agent.clone(),
            ..limits
        }
    }

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
    resource: Arc<ProtectedResource>,
    owners: SocketOwners,
    failures: Arc<Mutex<HashMap<IpAddr, (u32, Instant)>>>,
}

/// Puts the gate in front of routes.
pub fn gated(
    routes: Router,
    engine: Engine,
    resource: ProtectedResource,
    owners: SocketOwners,
) -> Router {
    let gate = Gate {
        engine,
        resource: Arc::new(resource),
        owners,
        failures: Arc::default(),
    };
    routes.layer(middleware::from_fn_with_state(gate, pass))
}

async fn pass(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    let is_html = !request.uri().path().starts_with("/page/");
    let is_encrypted = gate.resource.url.starts_with("https://");
    let mut response = match gate.open(request).await {
        Ok(request) => {
            let sender = request.extensions().get::<RequestSender>();
            let principal = sender.and_then(|sender| sender.principal.clone());
            let response = next.run(request).await;
            match principal {
                Some(principal) => while_it_holds(response, &gate.engine, principal),
                None => response,
            }
        }
        Err(refusal) => *refusal,
    };
    harden(response.headers_mut(), is_html);
    if is_encrypted {
        keep_encrypted(response.headers_mut());
    }
    response
}

/// Behind a proxy with TLS, the session's cookie never travels in clear text.
fn keep_encrypted(headers: &mut HeaderMap) {
    if let Some(cookie) = headers
        .get(header::SET_COOKIE)
        .and_then(|it| it.to_str().ok())
        && let Ok(secure) = HeaderValue::from_str(&format!("{cookie}; Secure"))
    {
        headers.insert(header::SET_COOKIE, secure);
    }
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
    /// The request with who it comes from, or what is answered in its place.
    async fn open(&self, request: Request) -> Result<Request, Box<Response>> {
        let path = request.uri().path().to_owned();
        if path.starts_with(METADATA) {
            return Err(self.resource.metadata(&self.engine, &path).into());
        }
        let address = request.extensions().get::<Peer>().map(|peer| peer.address);
        let given = credential(request.headers());
        // Only who tries tokens waits: an agent must not lock the person at the same machine out of the page.
        if let (Some((CredentialKind::Token, _)), Some(address)) = (&given, address)
            && let Some(seconds) = self.locked_out(address)
        {
            return Err(refuse_for(seconds).into());
        }
        let found = match given {
            None => None,
            Some((CredentialKind::Token, token))
                if self.resource.issuer.is_some() && is_signed(&token) =>
            {
                let principal = self.signed(&token, &path, address).await?;
                Some((CredentialKind::Token, principal))
            }
            Some((kind, secret)) => self.known(kind, &secret, &path, address)?,
        };
        let is_page = matches!(found, Some((CredentialKind::Session, _)));
        let mut who = self.admit(&request, found)?;
        if !is_page && need(request.method(), &path) == RouteNeed::Agent {
            let peer = request.extensions().get::<Peer>().copied();
            who.agent = self.agent(peer).await?;
        }
        let mut request = self.within_scope(request, &who).await?;
        // For the faces behind, which know nothing of this one.
        request.extensions_mut().insert(who.limits());
        request.extensions_mut().insert(who);
        Ok(request)
    }

    /// The agent that a request may come from.
    async fn agent(&self, peer: Option<Peer>) -> Result<Option<AgentLink>, Box<Response>> {
        let found = self.owners.of(&self.engine, peer).await;
        found.map_err(|error| {
            let body = Json(error::refused(&error, mk_tools::Toolset::Modes));
            Box::new((StatusCode::FORBIDDEN, body).into_response())
        })
    }

    /// Who has a credential that was made here.
    fn known(
        &self,
        kind: CredentialKind,
        secret: &str,
        path: &str,
        address: Option<IpAddr>,
    ) -> Result<Option<(CredentialKind, Principal)>, Box<Response>> {
        match self.engine.access().who(kind, secret) {
            Ok(Some(principal)) => Ok(Some((kind, principal))),
            // An old cookie is no attempt to get in.
            Ok(None) if kind == CredentialKind::Session => Ok(None),
            Ok(None) => {
                self.note_failure(address);
                let problem = "the token is unknown, expired or revoked";
                Err(self.unauthorized(path, Some(problem)).into())
            }
            Err(error) => {
                let body = Json(error::refused(&error, mk_tools::Toolset::Modes));
                let refusal = (StatusCode::SERVICE_UNAVAILABLE, body).into_response();
                Err(refusal.into())
            }
        }
    }

    /// Who has a token that the issuer signed.
    async fn signed(
        &self,
        token: &str,
        path: &str,
        address: Option<IpAddr>,
    ) -> Result<Principal, Box<Response>> {
        let grant = match self.resource.verify(token, path).await {
            Ok(grant) => grant,
            Err(BadToken::NoKeys) => {
                let body =
                    error::access("UNAVAILABLE", BadToken::NoKeys.message(), "try again later");
                let refusal = (StatusCode::SERVICE_UNAVAILABLE, Json(body)).into_response();
                return Err(refusal.into());
            }
            Err(bad) => {
                // A token that was good once is no attempt to guess one.
                if bad == BadToken::Forged {
                    self.note_failure(address);
                }
                return Err(self.unauthorized(path, Some(bad.message())).into());
            }
        };
        self.engine.access().granted(&grant).ok_or_else(|| {
            let scope = ProtectedResource::first_scope(path);
            self.resource.insufficient(path, &scope).into()
        })
    }

    fn unauthorized(&self, path: &str, problem: Option<&str>) -> Response {
        self.resource.unauthorized(&self.engine, path, problem)
    }

    /// Who a request comes from, if that is enough for its route.
    fn admit(
        &self,
        request: &Request,
        found: Option<(CredentialKind, Principal)>,
    ) -> Result<RequestSender, Box<Response>> {
        let peer = request.extensions().get::<Peer>().copied();
        let is_same_user =
            !self.resource.asks_everyone && peer.is_none_or(|peer| peer.user == PeerUser::Same);
        let path = request.uri().path();
        let need = need(request.method(), path);
        let is_change = !matches!(*request.method(), Method::GET | Method::HEAD);
        // A cookie without the page's half of the secret: another page, or another program, asks.
        let is_half = found.is_none() && cookie(request.headers()).is_some();
        if let (true, RouteNeed::Role(_), true) = (is_half, need, is_change) {
            return Err(forbidden(
                "the request does not come from the page",
                "open the page with `modekeeper dashboard`, or send a token",
            )
            .into());
        }
        let principal = found.map(|(_, principal)| Arc::new(principal));
        match (need, &principal) {
            (RouteNeed::Nothing, _) => {}
            (RouteNeed::Agent, None) if is_same_user => {}
            (RouteNeed::Agent, Some(_)) => {}
            (RouteNeed::Agent | RouteNeed::Role(_), None) => {
                return Err(self.unauthorized(path, None).into());
            }
            // What these routes tell and change is of all projects.
            (RouteNeed::Role(_), Some(principal)) if !principal.credential.projects.is_empty() => {
                return Err(forbidden(
                    "this token is for some projects: it opens MCP and the tools, not the dashboard",
                    "use a token without `--project`, or open the page with `modekeeper dashboard`",
                )
                .into());
            }
            // No mode bounds what a person does there.
            (
                RouteNeed::Role(role @ (AccessRole::Operator | AccessRole::Admin)),
                Some(principal),
            ) if is_change
                && principal.is_bounded()
                && principal.scoped.is_some()
                && principal.may(role) =>
            {
                return Err(self.resource.insufficient(path, &whole_scope()).into());
            }
            (RouteNeed::Role(AccessRole::Operator | AccessRole::Admin), Some(principal))
                if is_change && principal.is_bounded() && principal.scoped.is_none() =>
            {
                return Err(forbidden(
                    "this token has a highest mode, and this change is bound by none",
                    "use a token without `--mode`, or open the page with `modekeeper dashboard`",
                )
                .into());
            }
            (RouteNeed::Role(role), Some(principal)) if principal.may(role) => {}
            (RouteNeed::Role(role), Some(principal)) if principal.scoped.is_some() => {
                return Err(self.resource.insufficient(path, &role_scope(role)).into());
            }
            (RouteNeed::Role(role), Some(principal)) => {
                let has = principal.credential.role;
                let refusal = format!("this needs the role {role}, and the token has {has}");
                let hint = format!(
                    "use a token of `modekeeper token create --role {role}`, or open the page with `modekeeper dashboard`"
                );
                return Err(forbidden(&refusal, &hint).into());
            }
        }
        let origin = peer.map_or_else(|| "this process".to_owned(), |it| it.address.to_string());
        Ok(RequestSender {
            principal,
            agent: None,
            origin,
        })
    }

    /// Refuses what a token of the issuer can never do, so that its holder can ask for a wider one. Everything else is
    /// for the call itself to decide.
    async fn within_scope(
        &self,
        request: Request,
        who: &RequestSender,
    ) -> Result<Request, Box<Response>> {
        let Some(principal) = who.principal.as_ref().filter(|it| it.scoped.is_some()) else {
            return Ok(request);
        };
        let path = request.uri().path().to_owned();
        if let Some(mode) = asked_mode(&path).and_then(|mode| ModeSlug::parse(mode).ok())
            && !principal.scope_covers(&self.engine, &mode)
        {
            return Err(self.resource.insufficient(&path, &mode_scope(&mode)).into());
        }
        if *request.method() != Method::POST {
            return Ok(request);
        }
        let (parts, body) = request.into_parts();
        let Ok(body) = to_bytes(body, LARGEST_BODY).await else {
            return Err(StatusCode::PAYLOAD_TOO_LARGE.into_response().into());
        };
        let tool = called_tool(&path, &body).and_then(|name| mk_tools::find(&name));
        let lacking =
            tool.and_then(|tool| principal.scope_lacking(&self.engine, tool.target().name));
        if let Some(scope) = lacking {
            return Err(self.resource.insufficient(&path, &scope).into());
        }
        Ok(Request::from_parts(parts, Body::from(body)))
    }

    fn note_failure(&self, address: Option<IpAddr>) {
        let Some(address) = address else { return };
        tracing::warn!(%address, "a wrong token was refused");
        let address = network_of(address);
        let mut failures = lock(&self.failures);
        if failures.len() >= MOST_ADDRESSES {
            failures.retain(|_, (_, last)| last.elapsed() < PENALTY);
        }
        if failures.len() >= MOST_ADDRESSES {
            // Those that have to wait already are worth more than those that may have to.
            failures.retain(|_, (count, _)| *count >= MOST_FAILURES);
        }
        if failures.len() >= MOST_ADDRESSES && !failures.contains_key(&address) {
            return;
        }
        let (count, last) = failures.entry(address).or_insert((0, Instant::now()));
        if last.elapsed() > PENALTY {
            *count = 0;
        }
        *count += 1;
        *last = Instant::now();
    }

    /// The seconds an address still has to wait.
    fn locked_out(&self, address: IpAddr) -> Option<u64> {
        let failures = lock(&self.failures);
        let (count, last) = failures.get(&network_of(address))?;
        let left = PENALTY.checked_sub(last.elapsed())?;
        (*count >= MOST_FAILURES).then_some(left.as_secs() + 1)
    }
}

/// What one sender can choose addresses from: with IPv6, the last half.
fn network_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::from((u128::from(address) >> 64 << 64).to_be_bytes()),
    }
}

/// The secret that a request brings, and what it is. A token counts before a cookie.
fn credential(headers: &HeaderMap) -> Option<(CredentialKind, String)> {
    if let Some(value) = headers.get(header::AUTHORIZATION) {
        let value = value.to_str().unwrap_or_default();
        let (scheme, secret) = value.split_once(' ').unwrap_or((value, ""));
        let secret = if scheme.eq_ignore_ascii_case("bearer") {
            secret.trim()
        } else {
            ""
        };
        return Some((CredentialKind::Token, secret.to_owned()));
    }
    let page = headers.get(CSRF)?.to_str().ok()?;
    let secret = session_secret(cookie(headers)?, page);
    Some((CredentialKind::Session, secret))
}

/// The tool that a body calls, over MCP or plain HTTP.
fn called_tool(path: &str, body: &[u8]) -> Option<String> {
    let is_mcp = path == "/mcp" || path == "/messages" || path.starts_with("/mcp/");
    if !is_mcp && path != "/tools/call" {
        return None;
    }
    let body: Value = serde_json::from_slice(body).ok()?;
    let call = match is_mcp {
        true if body["method"] == "tools/call" => &body["params"],
        true => return None,
        false => &body,
    };
    call["name"].as_str().map(str::to_owned)
}

/// The secret in the page's cookie.
pub(crate) fn cookie(headers: &HeaderMap) -> Option<&str> {
    let name = cookie_name(headers);
    let cookies = headers.get_all(header::COOKIE).iter();
    let cookies = cookies.filter_map(|value| value.to_str().ok());
    cookies
        .flat_map(|value| value.split(';'))
        .find_map(|pair| pair.trim().strip_prefix(&name)?.strip_prefix('='))
}

/// The cookie's name, with the port: two servers on one machine are one place to a browser.
pub(crate) fn cookie_name(headers: &HeaderMap) -> String {
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let port = host.and_then(|host| host.rsplit_once(':')?.1.parse::<u16>().ok());
    match port {
        Some(port) => format!("{COOKIE}_{port}"),
        None => COOKIE.to_owned(),
    }
}

pub(crate) fn unauthorized(message: &str) -> Response {
    let hint = "open the page with `modekeeper dashboard`, or send `Authorization: Bearer` with a token of \
                `modekeeper token create`";
    let body = Json(error::access("UNAUTHORIZED", message, hint));
    let challenge = [(header::WWW_AUTHENTICATE, "Bearer realm=\"modekeeper\"")];
    (StatusCode::UNAUTHORIZED, challenge, body).into_response()
}

fn forbidden(message: &str, hint: &str) -> Response {
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
