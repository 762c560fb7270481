//! The handshake in all its versions, and what may come before it.

use serde_json::{Value, json};

use super::World;
use super::wire::{Wire, call, modern, request};

/// The version that is answered to a client that asks for one.
async fn check(asked: &str, answered: &str) {
    let world = World::new("");
    let mut wire = Wire::connect(&world);
    let answer = wire.initialize(asked, json!({})).await;
    assert_eq!(answer["result"]["protocolVersion"], answered, "{asked}");
    let listed = wire.request(request(2, "tools/list", json!({}))).await;
    let first = &listed["result"]["tools"][0]["name"];
    assert_eq!(first, "list_modes", "{asked}: {listed:#}");
    // No era but the last has these.
    for key in ["resultType", "ttlMs", "cacheScope"] {
        assert!(listed["result"].get(key).is_none(), "{asked}: {key}");
    }
}

#[tokio::test]
async fn every_version_with_a_handshake_is_answered_in_kind() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        check(version, version).await;
    }
}

#[tokio::test]
async fn an_unknown_version_is_answered_with_the_newest_that_has_a_handshake() {
    for version in ["2023-01-01", "2099-12-31", "1.0", "", "2026-07-28"] {
        check(version, "2025-11-25").await;
    }
}

#[tokio::test]
async fn ping_is_answered_before_and_after_the_handshake() {
    let world = World::new("");
    let mut wire = Wire::connect(&world);
    let pong = json!({ "jsonrpc": "2.0", "id": 5, "result": {} });
    let ping = json!({ "jsonrpc": "2.0", "id": 5, "method": "ping" });
    assert_eq!(wire.request(ping.clone()).await, pong);
    wire.initialize("2024-11-05", json!({})).await;
    assert_eq!(wire.request(ping).await, pong);
}

#[tokio::test]
async fn a_request_before_the_handshake_is_told_what_it_lacks() {
    let world = World::new("");
    let mut wire = Wire::connect(&world);
    let answer = wire.request(request(1, "tools/list", json!({}))).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer:#}");
    let message = answer["error"]["message"].as_str().expect("a message");
    assert!(
        message.contains("io.modelcontextprotocol/protocolVersion"),
        "{message}"
    );
    // And the handshake still works.
    wire.initialize("2025-06-18", json!({})).await;
    assert!(text_of(&mut wire).await.starts_with("Available modes:"));
}

async fn text_of(wire: &mut Wire) -> String {
    let answer = wire.call("list_modes", json!({})).await;
    super::wire::text(&answer).to_owned()
}

#[tokio::test]
async fn notifications_before_the_handshake_do_not_end_the_server() {
    let world = World::new("");
    let mut wire = Wire::connect(&world);
    let strays = [
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/never-heard-of" }),
        json!({ "jsonrpc": "2.0", "id": 99, "result": {} }),
        json!({ "jsonrpc": "2.0", "id": 98, "error": { "code": -1, "message": "no" } }),
    ];
    let mut versions = modern(3, "tools/list", json!({}));
    versions["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2031-01-01");
    let openers: [Value; 3] = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }),
        modern(2, "server/discover", json!({})),
        versions,
    ];
    for stray in &strays {
        wire.send(stray.clone()).await;
    }
    for opener in openers {
        wire.request(opener).await;
        for stray in &strays {
            wire.send(stray.clone()).await;
        }
    }
    wire.initialize("2025-11-25", json!({})).await;
    assert!(text_of(&mut wire).await.starts_with("Available modes:"));
}

#[tokio::test]
async fn a_second_handshake_and_early_requests_do_no_harm() {
    let world = World::new("");
    let mut wire = Wire::connect(&world);
    // A client that does not wait for the answer.
    wire.send(request(0, "initialize", json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" },
    })))
    .await;
    wire.send(call(1, "list_modes", json!({}))).await;
    assert_eq!(
        wire.answer(json!(0)).await["result"]["protocolVersion"],
        "2025-06-18"
    );
    assert!(wire.answer(json!(1)).await.get("result").is_some());
    let again = wire.initialize("2024-11-05", json!({})).await;
    assert_eq!(again["result"]["protocolVersion"], "2024-11-05");
    assert!(text_of(&mut wire).await.starts_with("Available modes:"));
}

#[tokio::test]
async fn a_handshake_without_its_parameters_is_refused_and_can_be_repeated() {
    let world = World::new("");
    let mut wire = Wire::connect(&world);
    let answer = wire.request(request(1, "initialize", json!({}))).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer:#}");
    wire.initialize("2025-11-25", json!({})).await;
    assert!(text_of(&mut wire).await.starts_with("Available modes:"));
}
