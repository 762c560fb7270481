//! The description of the interface: all of it is there, and what is there works.

use std::collections::BTreeSet;

use axum::http::{Method, StatusCode};
use mk_engine::AccessRole;
use serde_json::Value;

use super::World;

/// The paths in the document and those of the router are the same.
#[track_caller]
fn check(document: &Value, router: &str) {
    let described = document["paths"].as_object().expect("paths");
    let described: BTreeSet<String> = described.keys().cloned().collect();
    let path = |rest: &str| {
        rest.split('"')
            .nth(1)
            .unwrap_or_default()
            .replace("{*", "{")
    };
    let routed: BTreeSet<String> = router.split(".route(").skip(1).map(path).collect();
    assert_eq!(described, routed);
}

async fn document(world: &World) -> Value {
    let reply = world.get("/openapi.json").await;
    assert_eq!(reply.status, StatusCode::OK);
    reply.body
}

#[tokio::test]
async fn every_route_is_described_and_nothing_else() {
    check(&document(&World::new("")).await, include_str!("../lib.rs"));
}

#[tokio::test]
async fn every_operation_has_an_id_of_its_own_and_answers_as_described() {
    let world = World::new("");
    let token = world.token(AccessRole::Admin).await;
    let document = document(&world).await;
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], "9.9.9");
    let mut ids = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let id = operation["operationId"].as_str().expect("an id");
            assert!(ids.insert(id.to_owned()), "{id} is there twice");
            assert!(operation["summary"].is_string(), "{id}");
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).expect("a method");
            // A stream has no end.
            if path == "/api/events" {
                continue;
            }
            let path = path.replace("{name}", "x").replace("{file}", "app.js");
            let reply = world.with_token(&token, method, &path, "").await;
            let described = &operation["responses"][reply.status.as_str()];
            assert!(
                described["description"].is_string(),
                "{id}: {}",
                reply.status
            );
            let kinds = described["content"].as_object().expect("a content");
            let schema = &described["content"]["application/json"]["schema"];
            if kinds.contains_key("application/json") {
                assert!(schema.is_object(), "{id}: {}", reply.status);
                assert!(reply.body.is_object(), "{id}");
            }
        }
    }
}

#[tokio::test]
async fn every_reference_leads_somewhere() {
    let document = document(&World::new("")).await;
    let mut left = vec![&document];
    let mut found = 0;
    while let Some(value) = left.pop() {
        if let Some(reference) = value.get("$ref").and_then(Value::as_str) {
            let pointer = reference.strip_prefix('#').expect("a local reference");
            assert!(document.pointer(pointer).is_some(), "{reference}");
            found += 1;
        }
        left.extend(value.as_array().into_iter().flatten());
        left.extend(
            value
                .as_object()
                .into_iter()
                .flat_map(|fields| fields.values()),
        );
    }
    assert!(found > 5, "{found}");
}
