//! A batch over Streamable HTTP: each message goes its own way, and the answers come back in one array.

use axum::Json;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;

use crate::transport::line::LONGEST_LINE;

/// The elements of a body that is an array.
pub(super) fn elements(body: &[u8]) -> Option<Vec<Value>> {
    if body.trim_ascii_start().first() != Some(&b'[') {
        return None;
    }
    serde_json::from_slice(body).ok()
}

/// Sends every element through `serve` and collects what comes back.
pub(super) async fn answer<F>(
    parts: &Parts,
    elements: Vec<Value>,
    serve: impl Fn(Request) -> F,
) -> Response
where
    F: Future<Output = Response>,
{
    let asked = elements.into_iter().map(|element| {
        let mut request = Request::new(Body::from(element.to_string()));
        *request.method_mut() = parts.method.clone();
        *request.uri_mut() = parts.uri.clone();
        *request.headers_mut() = parts.headers.clone();
        request.headers_mut().remove(header::CONTENT_LENGTH);
        *request.extensions_mut() = parts.extensions.clone();
        async { messages(serve(request).await).await }
    });
    let answers: Vec<Value> = futures::future::join_all(asked).await.concat();
    if answers.is_empty() {
        return StatusCode::ACCEPTED.into_response();
    }
    Json(answers).into_response()
}

/// The answers in a response, whether it is JSON or a stream of events. What the server asks or tells in between has
/// no place in an array of answers.
async fn messages(response: Response) -> Vec<Value> {
    let is_stream = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
    let body: Bytes = to_bytes(response.into_body(), 16 * LONGEST_LINE)
        .await
        .unwrap_or_default();
    let is_answer = |message: &Value| message.get("method").is_none() && message.is_object();
    let text = String::from_utf8_lossy(&body);
    let read = |text: &str| serde_json::from_str(text).ok().filter(is_answer);
    if !is_stream {
        return read(&text).into_iter().collect();
    }
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    data.filter_map(|data| read(data.trim())).collect()
}
