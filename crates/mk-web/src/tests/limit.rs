//! Rate limits: what a client is told while it has calls left, and what happens when it has none.

use std::time::{SystemTime, UNIX_EPOCH};

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use serde_json::{Value, json};

use super::{Reply, World, request, send};

fn body(name: &str) -> Value {
    json!({ "name": "write_memory", "arguments": { "name": name, "content": "x" } })
}

fn header(headers: &HeaderMap, name: &str) -> u64 {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    let value = value.unwrap_or_else(|| panic!("no {name} in {headers:?}"));
    value.parse().expect("a number")
}

/// A call that came too soon, and when the next may come.
#[track_caller]
fn check(reply: &Reply, tool: &str, longest: u64) {
    assert_eq!(reply.status, StatusCode::TOO_MANY_REQUESTS);
    let seconds = header(&reply.headers, "retry-after");
    assert!((1..=longest).contains(&seconds), "{seconds}");
    assert_eq!(header(&reply.headers, "x-ratelimit-remaining"), 0);
    assert_eq!(
        reply.body,
        json!({
            "content": [{ "type": "text", "text": format!("Error: Too many calls of {tool}\nHint: try again in {seconds} s") }],
            "isError": true,
            "error_code": "RATE_LIMITED",
            "details": { "tool": tool, "retry_after": seconds, "suggestion": format!("try again in {seconds} s") },
        })
    );
}

#[tokio::test]
async fn the_headers_count_down_and_then_it_is_too_much() {
    let world = World::limited("");
    #[expect(
        clippy::disallowed_methods,
        reason = "the header tells the wall clock's time"
    )]
    let now = SystemTime::now();
    let now = now
        .duration_since(UNIX_EPOCH)
        .expect("after 1970")
        .as_secs();
    for left in (0..10).rev() {
        let reply = world.post(&body("a").to_string()).await;
        assert_eq!(reply.status, StatusCode::OK, "{:#}", reply.body);
        assert_eq!(reply.body["isError"], false, "{:#}", reply.body);
        assert_eq!(header(&reply.headers, "x-ratelimit-limit"), 10);
        assert_eq!(header(&reply.headers, "x-ratelimit-remaining"), left);
        let reset = header(&reply.headers, "x-ratelimit-reset");
        assert!((now..=now + 90).contains(&reset), "{reset} after {now}");
    }
    let reply = world.post(&body("too_much").to_string()).await;
    check(&reply, "write_memory", 6);
    assert!(
        !world
            .files
            .path(".modekeeper/memories/too_much.md")
            .exists()
    );
    let reply = world.call("list_memories", json!({})).await;
    assert_eq!(
        reply.status,
        StatusCode::OK,
        "another tool has its own calls"
    );
    assert_eq!(header(&reply.headers, "x-ratelimit-limit"), 50);
}

#[tokio::test]
async fn a_header_that_nobody_verifies_brings_no_calls() {
    let world = World::limited("");
    let from = |address: &'static str| {
        let mut request = request(Method::POST, "/tools/call", &body("a").to_string());
        let address = HeaderValue::from_static(address);
        request.headers_mut().insert("x-forwarded-for", address);
        request
    };
    for _ in 0..10 {
        send(&world.routes, from("192.0.2.1")).await;
    }
    let reply = send(&world.routes, from("192.0.2.1")).await;
    check(&reply, "write_memory", 6);
    let reply = send(&world.routes, from("192.0.2.2")).await;
    check(&reply, "write_memory", 6);
}

#[tokio::test]
async fn modes_are_free_except_for_switching() {
    let world = World::limited("");
    for _ in 0..30 {
        let reply = world.call("list_modes", json!({})).await;
        assert_eq!(reply.status, StatusCode::OK);
        assert!(reply.headers.get("x-ratelimit-limit").is_none());
    }
    for _ in 0..20 {
        let reply = world.call("switch_mode", json!({})).await;
        assert_eq!(reply.status, StatusCode::OK);
    }
    let reply = world.call("switch_mode", json!({})).await;
    check(&reply, "switch_mode", 3);
}

#[tokio::test]
async fn limits_can_be_off() {
    let world = World::new("");
    for _ in 0..12 {
        let reply = world.post(&body("a").to_string()).await;
        assert_eq!(reply.body["isError"], false, "{:#}", reply.body);
        assert!(reply.headers.get("x-ratelimit-limit").is_none());
    }
}
