//! `/api/status`: the contract's fields, and what a dashboard learns of the index.

use axum::http::{Method, StatusCode};
use mk_engine::AccessRole;
use serde_json::{Value, json};

use super::World;

const FILES: &str = "
//- /src/models.py
class MyClass:
    pass
//- /.modekeeper/memories/plan.md
first
";

async fn check(world: &World, index: Value, usage: Value) {
    let reply = world.get("/api/status").await;
    assert_eq!(reply.status, StatusCode::OK);
    assert_eq!(
        reply.body,
        json!({
            "status": "active",
            "project": world.files.root().as_str(),
            "language_servers": {},
            "index": index,
            "memory_count": 1,
            "tool_usage": usage,
        })
    );
}

#[tokio::test]
async fn the_status_tells_the_project_the_index_and_what_was_used() {
    let world = World::new(FILES);
    check(&world, Value::Null, json!({})).await;
    for _ in 0..2 {
        let query = json!({ "query": "MyClass" });
        world.call("find_symbols", query).await;
    }
    let path = json!({ "file_path": "no/such/file" });
    world.call("read_file", path).await;
    let index =
        json!({ "complete": true, "files": 2, "symbols": 1, "files_done": 2, "files_total": 2 });
    let used = json!({ "find_symbols": 2, "read_file": 1 });
    check(&world, index.clone(), used.clone()).await;
    // What a person looks at on the page is no call of an agent.
    let token = world.token(AccessRole::Viewer).await;
    for path in ["/api/project", "/api/playbook", "/api/playbook?q=debug"] {
        let looked = world.with_token(&token, Method::GET, path, "").await;
        assert_eq!(looked.status, StatusCode::OK, "{path}");
    }
    check(&world, index, used).await;
}

#[tokio::test]
async fn a_symbol_that_is_not_there_has_its_code() {
    let world = World::new(FILES);
    let missing = json!({ "symbol_name": "MyClas" });
    let reply = world.call("get_symbol_definition", missing).await;
    assert_eq!(reply.status, StatusCode::OK);
    assert_eq!(reply.body["error_code"], "SYMBOL_NOT_FOUND");
    assert_eq!(
        reply.body["details"]["suggestion"],
        "the nearest names are: MyClass"
    );
}
