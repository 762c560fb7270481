//! Who may speak to this server, and how much they may send. In front of every route.
//!
//! A page in a browser must not reach a server on the same machine, by another name or from another local port; a
//! process of another user must not either. Bodies are read here, once, with a limit on size and time.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use futures::StreamExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::forwarded::TrustedProxies;
use crate::peer::{Peer, PeerUser};

/// The largest request body.
pub const LARGEST_BODY: usize = 4 * 1024 * 1024;
/// How long a request's body may take.
const BODY_WITHIN: Duration = Duration::from_secs(15);

/// Host names and origins to accept besides those of this server itself.
#[derive(Debug, Clone, Default)]
pub struct AllowedHosts {
    /// `name` or `name:port`.
    pub hosts: Vec<String>,
    /// `https://name:port`.
    pub origins: Vec<String>,
    /// Whether processes of other users may speak, as a proxy does: then everyone needs a token.
    pub admits_other_users: bool,
    /// Who says where a request comes from.
    pub proxies: TrustedProxies,
}

/// Streams of events that are open at the same time, whatever they tell: half of the connections there may be, so that
/// others are answered.
const MOST_STREAMS: usize = 2048;

#[derive(Debug, Clone)]
struct RequestGuard {
    access: Arc<AllowedHosts>,
    streams: Arc<Semaphore>,
}

/// Puts the checks in front of routes.
pub fn guarded(routes: Router, access: AllowedHosts) -> Router {
    let guard = RequestGuard {
        access: Arc::new(access),
        streams: Arc::new(Semaphore::new(MOST_STREAMS)),
    };
    routes.layer(middleware::from_fn_with_state(guard, check))
}

async fn check(State(guard): State<RequestGuard>, mut request: Request, next: Next) -> Response {
    let access = &guard.access;
    if let Some(peer) = request.extensions().get::<Peer>() {
        let sender = access.proxies.sender(*peer, request.headers());
        request.extensions_mut().insert(sender);
    }
    let refusal = access
        .refusal(request.headers(), request.uri().authority())
        .or_else(|| stranger(&request).filter(|_| !access.admits_other_users))
        .map(|refusal| (StatusCode::FORBIDDEN, refusal))
        .or_else(|| wrong_type(&request));
    if let Some((status, refusal)) = refusal {
        tracing::warn!("{refusal}");
        return (status, format!("{refusal}\n")).into_response();
    }
    let place = match is_stream(&request) {
        false => None,
        true => match Arc::clone(&guard.streams).try_acquire_owned() {
            Ok(place) => Some(place),
            Err(_) => return full(),
        },
    };
    match whole(request).await {
        Ok(request) => holding(next.run(request).await, place),
        Err(refusal) => refusal,
    }
}

/// Whether the answer may be a stream that stays open.
fn is_stream(request: &Request) -> bool {
    let path = request.uri().path();
    *request.method() == Method::GET
        && (matches!(path, "/mcp" | "/sse" | "/api/events") || path.starts_with("/mcp/"))
}

fn full() -> Response {
    let headers = [(header::RETRY_AFTER, "10"), (header::CONNECTION, "close")];
    let refusal = "too many streams are open\n";
    (StatusCode::SERVICE_UNAVAILABLE, headers, refusal).into_response()
}

/// An answer that holds its place until its last byte is read, or its reader is gone.
fn holding(response: Response, place: Option<OwnedSemaphorePermit>) -> Response {
    let Some(place) = place else { return response };
    response.map(|body| {
        let held = futures::stream::unfold((body.into_data_stream(), place), async |held| {
            let (mut body, place) = held;
            Some((body.next().await?, (body, place)))
        });
        Body::from_stream(held)
    })
}

/// The request with its body in memory.
async fn whole(request: Request) -> Result<Request, Response> {
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return Ok(request);
    }
    let (parts, body) = request.into_parts();
    match tokio::time::timeout(BODY_WITHIN, to_bytes(body, LARGEST_BODY)).await {
        Ok(Ok(bytes)) => Ok(Request::from_parts(parts, Body::from(bytes))),
        Ok(Err(_)) => {
            let refusal = format!("the body is longer than {LARGEST_BODY} bytes, or was cut off\n");
            Err((StatusCode::PAYLOAD_TOO_LARGE, refusal).into_response())
        }
        Err(_) => {
            let seconds = BODY_WITHIN.as_secs();
            let refusal = format!("the body did not arrive within {seconds} s\n");
            let close = [(header::CONNECTION, "close")];
            Err((StatusCode::REQUEST_TIMEOUT, close, refusal).into_response())
        }
    }
}

/// A local process of another user. Without a peer, as in tests without a socket, there is no stranger.
fn stranger(request: &Request) -> Option<String> {
    let peer = request.extensions().get::<Peer>()?;
    (peer.user == PeerUser::Other).then(|| {
        "this server answers only the user who started it; start a server of your own with `modekeeper serve`".to_owned()
    })
}

/// A body that a page could send without asking first.
fn wrong_type(request: &Request) -> Option<(StatusCode, String)> {
    if *request.method() != Method::POST || !has_body(request.headers()) {
        return None;
    }
    let kind = request.headers().get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    (!essence.eq_ignore_ascii_case("application/json")).then(|| {
        let refusal = "send the body with `Content-Type: application/json`".to_owned();
        (StatusCode::UNSUPPORTED_MEDIA_TYPE, refusal)
    })
}

fn has_body(headers: &HeaderMap) -> bool {
    let length = headers.get(header::CONTENT_LENGTH);
    headers.contains_key(header::TRANSFER_ENCODING)
        || length.is_some_and(|length| length.as_bytes() != b"0")
}

impl AllowedHosts {
    fn refusal(&self, headers: &HeaderMap, asked: Option<&Authority>) -> Option<String> {
        let text = |name| {
            headers
                .get(name)
                .map(|value| value.to_str().unwrap_or("\u{fffd}"))
        };
        if headers.get_all(header::HOST).iter().count() > 1 {
            return Some("more than one Host header".to_owned());
        }
        // Who names a host in the request line too means both, whichever of them a proxy went by.
        let asked = asked.map(Authority::as_str);
        let host = text(header::HOST).or(asked).unwrap_or_default();
        for host in [Some(host), asked].into_iter().flatten() {
            if !self.accepts(host) {
                return Some(format!(
                    "host `{host}` is not allowed; start with `--allow-host {host}` to accept it"
                ));
            }
        }
        if let Some(origin) = text(header::ORIGIN) {
            // What this server itself served, under the name it was asked by; other local ports are other programs.
            let own = ["http://", "https://"]
                .into_iter()
                .any(|scheme| origin.strip_prefix(scheme) == Some(host));
            let allowed = own || self.origins.iter().any(|allowed| allowed == origin);
            return (!allowed).then(|| {
                format!("origin `{origin}` is not allowed; start with `--allow-origin {origin}` to accept it")
            });
        }
        match text(header::HeaderName::from_static("sec-fetch-site")) {
            None | Some("none" | "same-origin") => None,
            Some(site) => Some(format!(
                "a request from another page (`Sec-Fetch-Site: {site}`) is not allowed"
            )),
        }
    }

    fn accepts(&self, host: &str) -> bool {
        let Some(name) = name_of(host) else {
            return false;
        };
        is_local(name)
            || self.hosts.iter().any(|allowed| {
                allowed.eq_ignore_ascii_case(host) || allowed.eq_ignore_ascii_case(name)
            })
    }
}

/// The name without its port, brackets of IPv6 addresses removed. `None` for what is not written as a host is: another
/// reader might take it for another one.
fn name_of(host: &str) -> Option<&str> {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let (name, rest) = rest.split_once(']')?;
            name.parse::<Ipv6Addr>().ok()?;
            (name, Some(rest).filter(|rest| !rest.is_empty()))
        }
        None => match host.find(':') {
            Some(at) => (host.get(..at)?, host.get(at..)),
            None => (host, None),
        },
    };
    let is_port = |port: &str| {
        let digits = port.strip_prefix(':').unwrap_or_default();
        digits.bytes().all(|it| it.is_ascii_digit()) && digits.parse::<u16>().is_ok()
    };
    port.is_none_or(is_port).then_some(name)
}

fn is_local(name: &str) -> bool {
    let address = name.parse::<IpAddr>();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|it| it.is_loopback())
}
