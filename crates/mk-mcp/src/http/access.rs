//! Who may speak to us over HTTP: a page in a browser must not reach a server on the same machine by another name.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

/// Host names and origins beside those of this machine.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// `name` or `name:port`.
    pub hosts: Vec<String>,
    /// `https://name:port`.
    pub origins: Vec<String>,
}

pub(super) async fn check(
    State(access): State<Arc<Access>>,
    request: Request,
    next: Next,
) -> Response {
    match access.refusal(request.headers(), request.uri().host()) {
        None => next.run(request).await,
        Some(refusal) => {
            tracing::warn!("{refusal}");
            (StatusCode::FORBIDDEN, format!("{refusal}\n")).into_response()
        }
    }
}

impl Access {
    fn refusal(&self, headers: &HeaderMap, uri_host: Option<&str>) -> Option<String> {
        let text = |name| {
            headers
                .get(name)
                .map(|value| value.to_str().unwrap_or("\u{fffd}"))
        };
        if headers.get_all(header::HOST).iter().count() > 1 {
            return Some("more than one Host header".to_owned());
        }
        let host = text(header::HOST).or(uri_host).unwrap_or_default();
        if !is_local(host)
            && !self
                .hosts
                .iter()
                .any(|allowed| allowed == host || Some(allowed.as_str()) == name_of(host))
        {
            return Some(format!(
                "host `{host}` is not allowed; start with `--allow-host {host}` if it is yours"
            ));
        }
        let origin = text(header::ORIGIN)?;
        let authority = origin
            .strip_prefix("http://")
            .or_else(|| origin.strip_prefix("https://"));
        let allowed =
            authority.is_some_and(is_local) || self.origins.iter().any(|allowed| allowed == origin);
        (!allowed).then(|| format!("origin `{origin}` is not allowed; start with `--allow-origin {origin}` if it is yours"))
    }
}

/// The name without its port, brackets of IPv6 addresses removed.
fn name_of(authority: &str) -> Option<&str> {
    if let Some(rest) = authority.strip_prefix('[') {
        return rest.split_once(']').map(|(name, _)| name);
    }
    Some(
        authority
            .rsplit_once(':')
            .map_or(authority, |(name, _)| name),
    )
}

fn is_local(authority: &str) -> bool {
    let Some(name) = name_of(authority) else {
        return false;
    };
    name.eq_ignore_ascii_case("localhost")
        || name
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}
