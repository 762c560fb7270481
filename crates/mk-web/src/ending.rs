//! Streams end with the credential that opened them. Every other answer is short, and the next request is refused.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::header;
use axum::response::Response;
use futures::StreamExt as _;
use mk_engine::{Engine, Principal};
use tokio::time::{Instant, timeout_at};

/// How often it is looked whether the credential still holds.
const CHECK: Duration = Duration::from_secs(2);

/// The answer, which ends when its reader would no longer be let in.
pub(crate) fn while_it_holds(
    response: Response,
    engine: &Engine,
    principal: Arc<Principal>,
) -> Response {
    if !is_stream(&response) {
        return response;
    }
    let engine = engine.clone();
    let holds = move || engine.access().still_holds(&principal).unwrap_or(false);
    response.map(|body| {
        let begun = (body.into_data_stream(), holds, Instant::now() + CHECK);
        let stream = futures::stream::unfold(begun, async |(mut body, holds, mut due)| {
            loop {
                let next = timeout_at(due, body.next()).await;
                if Instant::now() >= due {
                    due = Instant::now() + CHECK;
                    if !holds() {
                        return None;
                    }
                }
                if let Ok(next) = next {
                    return Some((next?, (body, holds, due)));
                }
            }
        });
        Body::from_stream(stream)
    })
}

/// Whether the answer goes on until one of both sides ends it.
fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}
