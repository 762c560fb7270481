//! How often a client may call a tool. In front of every route that can call one.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use serde_json::Value;

use crate::error;

/// As much as a call may bring with it.
pub(crate) const LARGEST_BODY: usize = 4 * 1024 * 1024;

/// Whether and how calls are limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limits {
    /// Each tool as its definition says.
    Documented,
    Off,
}

/// Puts the limits in front of routes.
pub fn limit(router: Router, limits: Limits) -> Router {
    match limits {
        Limits::Off => router,
        Limits::Documented => router.layer(middleware::from_fn_with_state(
            Arc::<Buckets>::default(),
            check,
        )),
    }
}

type Bucket =
    RateLimiter<String, DefaultKeyedStateStore<String>, DefaultClock, StateInformationMiddleware>;

/// One limiter a tool, with a bucket a client in each.
#[derive(Default)]
struct Buckets {
    tools: Mutex<HashMap<&'static str, Arc<Bucket>>>,
}

/// What a client has left.
struct Left {
    limit: u32,
    remaining: u32,
    /// Until the bucket is full again, or until the next call where it is empty.
    wait: Duration,
}

async fn check(State(buckets): State<Arc<Buckets>>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let rest = path == "/tools/call";
    let calls = rest || path == "/messages" || path == "/mcp" || path.starts_with("/mcp/");
    if request.method() != Method::POST || !calls {
        return next.run(request).await;
    }
    let client = client_of(&request);
    let (parts, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, LARGEST_BODY).await else {
        return (StatusCode::PAYLOAD_TOO_LARGE, "the body is too large\n").into_response();
    };
    let left =
        tool_of(&bytes, rest).and_then(|tool| Some((tool.name, buckets.take(tool, &client)?)));
    if let Some((tool, Err(left))) = &left {
        // Rounded up: who comes back then must find a call.
        let seconds = left.wait.as_millis().div_ceil(1000).max(1);
        let seconds = u64::try_from(seconds).unwrap_or(u64::MAX);
        let body = axum::Json(error::rate_limited(tool, seconds));
        let mut response = (StatusCode::TOO_MANY_REQUESTS, body).into_response();
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        left.write(response.headers_mut());
        return response;
    }
    let mut response = next
        .run(Request::from_parts(parts, Body::from(bytes)))
        .await;
    if let Some((_, Ok(left))) = left.filter(|_| rest) {
        left.write(response.headers_mut());
    }
    response
}

impl Buckets {
    /// Takes one call from a client's bucket; `None` where the tool has no limit.
    fn take(&self, tool: &'static mk_tools::Tool, client: &str) -> Option<Result<Left, Left>> {
        let limit = tool.calls_per_minute().and_then(NonZeroU32::new)?;
        let bucket = {
            let mut tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
            let make = || {
                let limiter = RateLimiter::keyed(Quota::per_minute(limit));
                Arc::new(limiter.with_middleware::<StateInformationMiddleware>())
            };
            Arc::clone(tools.entry(tool.name).or_insert_with(make))
        };
        // Clients come and go; full buckets say nothing and need not be kept.
        if bucket.len() > 10_000 {
            bucket.retain_recent();
        }
        let refill = Duration::from_secs(60) / limit.get();
        Some(match bucket.check_key(&client.to_owned()) {
            Ok(snapshot) => {
                let remaining = snapshot.remaining_burst_capacity();
                Ok(Left {
                    limit: limit.get(),
                    remaining,
                    wait: refill * (limit.get() - remaining),
                })
            }
            Err(refused) => {
                let wait = refused.wait_time_from(DefaultClock::default().now());
                Err(Left {
                    limit: limit.get(),
                    remaining: 0,
                    wait,
                })
            }
        })
    }
}

impl Left {
    fn write(&self, headers: &mut HeaderMap) {
        #[expect(
            clippy::disallowed_methods,
            reason = "a header tells the wall clock's time, whatever tests think it is"
        )]
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let reset = (now + self.wait).as_secs();
        headers.insert("x-ratelimit-limit", HeaderValue::from(self.limit));
        headers.insert("x-ratelimit-remaining", HeaderValue::from(self.remaining));
        headers.insert("x-ratelimit-reset", HeaderValue::from(reset));
    }
}

/// Whose bucket it is: the address's. What a client says of itself would give it as many buckets as it likes.
fn client_of(request: &Request) -> String {
    let address = request.extensions().get::<ConnectInfo<SocketAddr>>();
    address
        .map(|address| address.0.ip().to_string())
        .unwrap_or_default()
}

/// The tool that a body calls.
fn tool_of(body: &Bytes, rest: bool) -> Option<&'static mk_tools::Tool> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let name = if rest {
        value.get("name")
    } else if value.get("method")? == "tools/call" {
        value.get("params")?.get("name")
    } else {
        None
    };
    mk_tools::find(name?.as_str()?)
}
