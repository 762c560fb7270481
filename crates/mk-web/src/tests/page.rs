//! The page and what it is fed with.

use axum::http::{Method, StatusCode};
use mk_engine::{AccessRole, Actor, Caller, NewTask, Outcome};
use serde_json::{Value, json};

use super::{Reply, World};

/// Fits into one glance at a slow line: the whole page, nothing compressed.
#[test]
fn the_page_is_small() {
    let size = crate::page::size();
    assert!(size < 150 * 1024, "{size}");
}

#[tokio::test]
async fn the_page_asks_nobody_else_for_anything() {
    let world = World::new("");
    let page = world.get("/").await;
    assert_eq!(page.status, StatusCode::OK);
    for text in crate::page::texts() {
        for elsewhere in [
            "http://",
            "https://",
            "//cdn",
            "innerHTML",
            "eval(",
            "document.write",
        ] {
            let found = text.replace("http://www.w3.org/2000/svg", "");
            assert!(!found.contains(elsewhere), "{elsewhere}");
        }
    }
}

async fn ask(world: &World, method: Method, path: &str, body: Value) -> Reply {
    let token = world.token(AccessRole::Operator).await;
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    world.with_token(&token, method, path, &body).await
}

async fn task(world: &World, text: &str) -> String {
    let caller = Caller::in_project(world.files.root().clone(), Actor::Agent);
    let new = NewTask {
        mode: "code".to_owned(),
        message: Some(text.to_owned()),
        parent: None,
    };
    let made = world
        .engine
        .tasks()
        .create(&caller, new)
        .await
        .expect("a task");
    let Outcome::Done(made) = made else {
        panic!("it waits")
    };
    made.session.id.to_string()
}

#[tokio::test]
async fn a_person_sees_switches_and_ends_a_task() {
    let world = World::new("");
    let id = task(&world, "<img src=x onerror=alert(1)>").await;
    let listed = ask(&world, Method::GET, "/api/tasks", Value::Null)
        .await
        .body;
    assert_eq!(listed["tasks"][0]["session_id"], id.as_str());
    assert_eq!(listed["tasks"][0]["title"], "<img src=x onerror=alert(1)>");
    let path = format!("/api/tasks/{id}/switch");
    let body = json!({ "mode": "ask", "reason": "look first" });
    let switched = ask(&world, Method::POST, &path, body).await;
    assert_eq!(switched.body["new_mode"], "ask", "{switched:?}");
    let body = json!({ "state": "completed", "result": "done" });
    let path = format!("/api/tasks/{id}/finish");
    let ended = ask(&world, Method::POST, &path, body.clone()).await;
    assert_eq!(ended.body["state"], "completed", "{ended:?}");
    let shown = ask(
        &world,
        Method::GET,
        &format!("/api/tasks/{id}"),
        Value::Null,
    )
    .await
    .body;
    assert_eq!(shown["mode_changes"][1]["reason"], "look first");
    assert_eq!(shown["result"], "done");
    assert_eq!(
        ask(&world, Method::POST, &path, body).await.status,
        StatusCode::BAD_REQUEST
    );
    let acts = world.engine.access().acts(10).expect("acts");
    assert_eq!(acts.len(), 2, "{acts:?}");
}

#[tokio::test]
async fn trust_is_in_what_the_page_has_shown() {
    let world = World::new("");
    let trust = |body: Value| ask(&world, Method::POST, "/api/modes/ask/trust", body);
    assert_eq!(trust(json!({})).await.status, StatusCode::BAD_REQUEST);
    let another = trust(json!({ "hash": "of an earlier text" })).await;
    assert_eq!(another.status, StatusCode::CONFLICT, "{another:?}");
}

#[tokio::test]
async fn modes_are_shown_checked_and_saved() {
    let world = World::new("//- /src/main.rs\nfn main() {}\n//- /README.md\n# x\n");
    let modes = ask(&world, Method::GET, "/api/modes", Value::Null)
        .await
        .body;
    assert_eq!(modes["modes"][1]["slug"], "architect");
    assert_eq!(modes["modes"][1]["patterns"][0]["matched"], 1, "{modes:#}");
    assert_eq!(modes["modes"][1]["patterns"][0]["files"], 2);
    let body = json!({ "mode": "architect", "tool": "Edit", "target": "src/main.rs" });
    let said = ask(&world, Method::POST, "/api/check", body).await.body;
    assert_eq!(
        (&said["verdict"], &said["rule"]),
        (&json!("deny"), &json!("file-pattern")),
        "{said}"
    );
    let text = "customModes:\n  - slug: ask\n    name: Ask\n    roleDefinition: x\n    groups: [read, edit]\n";
    let draft = ask(
        &world,
        Method::POST,
        "/api/modes/draft",
        json!({ "text": text }),
    )
    .await
    .body;
    let edit = draft["changes"]
        .as_array()
        .expect("changes")
        .iter()
        .find(|it| it["group"] == "edit");
    assert_eq!(edit.expect("a change")["widens"], true, "{draft:#}");
    let broken = json!({ "text": "customModes:\n  - slug: x\n" });
    let refused = ask(&world, Method::PUT, "/api/modes/file", broken).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    let saved = ask(
        &world,
        Method::PUT,
        "/api/modes/file",
        json!({ "text": text }),
    )
    .await;
    assert_eq!(saved.status, StatusCode::OK, "{saved:?}");
    let file = ask(&world, Method::GET, "/api/modes/file", Value::Null)
        .await
        .body;
    assert_eq!(file["text"], text);
}

#[tokio::test]
async fn what_agents_do_is_counted_and_can_be_taken_along() {
    let world = World::new("//- /a.md\nx\n");
    world
        .call("read_file", json!({ "file_path": "a.md" }))
        .await;
    world
        .call("read_file", json!({ "file_path": "=1+1" }))
        .await;
    world.engine.flush();
    let list = ask(
        &world,
        Method::GET,
        "/api/decisions?tool=read_file",
        Value::Null,
    )
    .await
    .body;
    let list = list["decisions"].as_array().expect("decisions").clone();
    assert_eq!(list.len(), 2, "{list:?}");
    let id = list[1]["id"].as_str().expect("an id");
    let full = ask(
        &world,
        Method::GET,
        &format!("/api/decisions/{id}"),
        Value::Null,
    )
    .await
    .body;
    assert_eq!(full["input"], "{\"file_path\":\"a.md\"}", "{full}");
    assert_eq!(full["policy_hash"].as_str().map(str::len), Some(32));
    let usage = ask(&world, Method::GET, "/api/usage", Value::Null)
        .await
        .body;
    assert_eq!(usage["tools"][0]["calls"], 2, "{usage}");
    let metrics = world.text("/metrics").await;
    assert!(
        metrics.contains("modekeeper_tool_calls_total{tool=\"read_file\",outcome=\"answered\"} 1"),
        "{metrics}"
    );
    let token = world.token(AccessRole::Viewer).await;
    let csv = world.text_with(&token, "/api/decisions?format=csv").await;
    assert!(csv.contains("\"'=1+1\""), "{csv}");
}

#[tokio::test]
async fn a_memory_is_written_by_a_person_and_read_by_an_agent() {
    let world = World::new("");
    let body = json!({ "content": "# notes" });
    let written = ask(&world, Method::PUT, "/api/memories/notes", body.clone()).await;
    assert_eq!(written.status, StatusCode::OK, "{written:?}");
    let read = world
        .call("read_memory", json!({ "name": "notes" }))
        .await
        .body;
    assert_eq!(read["content"][0]["text"], "# notes");
    let unasked = super::request(Method::PUT, "/api/memories/notes", &body.to_string());
    let refused = super::send(&world.routes, unasked).await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
}
