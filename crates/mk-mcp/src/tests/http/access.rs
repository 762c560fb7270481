//! Whom the server talks to: this machine by its own names, and who was let in by name.

use serde_json::json;

use super::{Site, initialize};
use crate::http::Access;
use crate::tests::World;
use crate::tests::wire::request;

/// The status that a request with this host and origin gets, on every route alike.
async fn check(access: &Access, host: &str, origin: &str, expected: u16) {
    let site = Site::open_for(World::new(""), access.clone()).await;
    for (method, path) in [
        ("POST", "/mcp"),
        ("GET", "/mcp"),
        ("DELETE", "/mcp"),
        ("POST", "/mcp/code"),
        ("GET", "/sse"),
        ("POST", "/messages?sessionId=x"),
    ] {
        let mut ask = site.post(path, &request(1, "ping", json!({})));
        if method != "POST" {
            ask = site
                .request(method, path)
                .header("Accept", "text/event-stream");
        }
        let ask = ask.header("Host", host).header("Origin", origin);
        let status = ask.open().await.head.status;
        let shown = format!("{method} {path} of {host:?} from {origin:?}: {status}");
        assert_eq!(status == 403, expected == 403, "{shown}");
    }
}

#[tokio::test]
async fn this_machine_is_reached_by_its_own_names() {
    let access = Access::default();
    for host in [
        "localhost",
        "LocalHost:7337",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.1.2.3",
        "[::1]",
        "[::1]:7337",
    ] {
        check(&access, host, "", 200).await;
    }
    for host in [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "10.0.0.1",
        "[::2]:80",
        "[::1",
        "::1",
    ] {
        check(&access, host, "", 403).await;
    }
}

#[tokio::test]
async fn pages_of_this_machine_may_and_others_may_not() {
    let access = Access::default();
    for origin in [
        "http://localhost:3000",
        "http://127.0.0.1",
        "https://localhost",
        "http://[::1]:8080",
    ] {
        check(&access, "localhost", origin, 200).await;
    }
    for origin in [
        "null",
        "http://evil.example",
        "https://localhost.evil.example",
        "file://",
        "chrome-extension://x",
        "localhost",
        "http://evil.example#http://localhost",
    ] {
        check(&access, "localhost", origin, 403).await;
    }
}

#[tokio::test]
async fn who_was_let_in_by_name_may() {
    let access = Access {
        hosts: vec!["modes.example".to_owned(), "ported.example:81".to_owned()],
        origins: vec!["https://page.example".to_owned(), "null".to_owned()],
    };
    check(&access, "modes.example", "", 200).await;
    check(&access, "modes.example:444", "https://page.example", 200).await;
    check(&access, "ported.example:81", "null", 200).await;
    check(&access, "ported.example:82", "", 403).await;
    check(&access, "modes.example", "https://page.example:444", 403).await;
    check(&access, "modes.example", "http://page.example", 403).await;
}

#[tokio::test]
async fn a_refusal_says_what_would_help() {
    let site = Site::open(World::new("")).await;
    let hello = initialize(1, "2025-11-25");
    let reply = site
        .post("/mcp", &hello)
        .header("Host", "modes.example:80")
        .send()
        .await;
    assert_eq!(reply.status, 403);
    assert_eq!(
        reply.body,
        "host `modes.example:80` is not allowed; start with `--allow-host modes.example:80` if it is yours\n"
    );
    let reply = site
        .post("/mcp", &hello)
        .header("Origin", "null")
        .send()
        .await;
    assert_eq!(reply.status, 403);
    assert_eq!(
        reply.body,
        "origin `null` is not allowed; start with `--allow-origin null` if it is yours\n"
    );
}

#[tokio::test]
async fn a_second_host_does_not_hide_behind_the_first() {
    let site = Site::open(World::new("")).await;
    let hello = initialize(1, "2025-11-25");
    let ask = site.post("/mcp", &hello).also("Host", "evil.example");
    let status = ask.send().await.status;
    assert!(matches!(status, 400 | 403), "{status}");
}
