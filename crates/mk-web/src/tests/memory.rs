//! `/api/memories`: what a person sees of the memories and removes.

use axum::http::StatusCode;
use serde_json::json;

use super::World;

const MEMORIES: &str = "
//- /.modekeeper/memories/plan.md
first
//- /.modekeeper/memories/style/naming.md
words
//- /.modekeeper/memories/style/tests.md
sentences
";

#[track_caller]
fn check(names: &serde_json::Value, expected: &[&str]) {
    let memories = names["memories"].as_array().expect("a list");
    let found: Vec<&str> = memories
        .iter()
        .filter_map(|memory| memory["name"].as_str())
        .collect();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn memories_are_listed_with_size_and_time() {
    let reply = World::new(MEMORIES).get("/api/memories").await;
    assert_eq!(reply.status, StatusCode::OK);
    check(&reply.body, &["plan", "style/naming", "style/tests"]);
    let first = &reply.body["memories"][0];
    assert_eq!(
        *first,
        json!({ "name": "plan", "size": 6, "modified": first["modified"] })
    );
    let modified = first["modified"].as_str().expect("a time");
    assert!(
        modified.ends_with('Z') && modified.contains('T'),
        "{modified}"
    );
}

#[tokio::test]
async fn a_project_without_memories_has_an_empty_list() {
    let reply = World::new("").get("/api/memories").await;
    check(&reply.body, &[]);
}

#[tokio::test]
async fn a_memory_is_deleted_by_its_name_with_or_without_an_escaped_slash() {
    let world = World::new(MEMORIES);
    for name in ["style/naming", "style%2Ftests"] {
        let reply = world.delete(&format!("/api/memories/{name}")).await;
        assert_eq!(reply.status, StatusCode::OK, "{:#}", reply.body);
        let plain = name.replace("%2F", "/");
        assert_eq!(reply.body, json!({ "status": "deleted", "name": plain }));
    }
    check(&world.get("/api/memories").await.body, &["plan"]);
}

#[tokio::test]
async fn a_memory_that_is_not_there_is_not_found() {
    let world = World::new(MEMORIES);
    let reply = world.delete("/api/memories/plam").await;
    assert_eq!(reply.status, StatusCode::NOT_FOUND);
    assert_eq!(
        reply.body,
        json!({
            "content": [{ "type": "text", "text": "Error: There is no memory `plam`\nHint: the nearest names are: plan" }],
            "isError": true,
            "error_code": "MEMORY_ERROR",
            "details": { "name": "plam", "suggestion": "the nearest names are: plan" },
        })
    );
}

#[tokio::test]
async fn a_name_that_no_memory_can_have_is_not_found_and_touches_nothing() {
    let world = World::new(MEMORIES);
    world.files.write("secret.md", "x");
    for name in ["..%2F..%2Fsecret", "%2Fetc%2Fpasswd", "a%00b"] {
        let reply = world.delete(&format!("/api/memories/{name}")).await;
        assert_eq!(
            reply.status,
            StatusCode::NOT_FOUND,
            "{name}: {:#}",
            reply.body
        );
    }
    assert!(world.files.path("secret.md").is_file());
}
