//! `/server/info`, `/tools/list` and `/tools/call`: the contract's examples, malformed bodies, and failures of every kind.

use std::time::Duration;

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::{Reply, World};

const PROJECT: &str = r"
//- /src/main.py
def example():
    pass
//- /.roomodes
customModes: []
";

/// A failed call is a result with status 200 that has the code in the contract's places.
#[track_caller]
fn check(reply: &Reply, code: &str, message: &str, number: impl Into<Value>) {
    let body = &reply.body;
    assert_eq!(reply.status, StatusCode::OK, "{body:#}");
    assert_eq!(body["isError"], true, "{body:#}");
    assert_eq!(body["error_code"], code, "{body:#}");
    let text = body["content"][0]["text"].as_str().unwrap_or_default();
    assert!(text.starts_with(&format!("Error: {message}")), "{body:#}");
    assert_eq!(body["details"]["code"], number.into(), "{body:#}");
}

#[tokio::test]
async fn the_server_says_what_it_is() {
    let reply = World::new("").get("/server/info").await;
    assert_eq!(reply.status, StatusCode::OK);
    assert_eq!(
        reply.body,
        json!({
            "name": "modekeeper",
            "version": "9.9.9",
            "protocol_version": "2025-11-25",
            "capabilities": { "tools": true, "prompts": true, "resources": true, "logging": true },
        })
    );
}

#[tokio::test]
async fn every_tool_is_listed_with_its_schema() {
    let reply = World::new("").get("/tools/list").await;
    let tools = reply.body["tools"].as_array().expect("a list");
    assert_eq!(tools.len(), mk_tools::all().count());
    let read = tools.iter().find(|tool| tool["name"] == "read_file");
    let read = read.expect("read_file");
    assert_eq!(
        read["description"],
        "Read file contents with optional line range"
    );
    let schema = &read["inputSchema"];
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["required"], json!(["file_path"]));
    assert_eq!(schema["properties"]["start_line"]["type"], "integer");
}

#[tokio::test]
async fn a_call_has_the_contracts_answer() {
    let world = World::new(PROJECT);
    let lines = json!({ "file_path": "src/main.py", "start_line": 1, "end_line": 50 });
    let reply = world.call("read_file", lines).await;
    assert_eq!(reply.status, StatusCode::OK);
    let mut body = reply.body;
    let facts = body.as_object_mut().expect("an object");
    let facts = facts.remove("structuredContent").expect("facts");
    assert_eq!(facts["total_lines"], 2);
    assert_eq!(
        body,
        json!({
            "content": [{ "type": "text", "text": "def example():\n    pass" }],
            "isError": false,
        })
    );
    let reply = world.post("{\"name\":\"list_memories\"}").await;
    assert_eq!(reply.body["content"][0]["text"], "No memories yet");
    let write = json!({ "file_path": "src/new_file.py", "content": "print('Hello World')" });
    world.call("write_file", write).await;
    assert!(world.files.path("src/new_file.py").is_file());
}

#[tokio::test]
async fn a_mode_tool_has_its_metadata_at_the_top() {
    let world = World::new("");
    let reply = world
        .call("create_task", json!({ "mode_slug": "code" }))
        .await;
    assert_eq!(reply.body["isError"], false, "{:#}", reply.body);
    assert_eq!(
        reply.body["metadata"]["mode_slug"], "code",
        "{:#}",
        reply.body
    );
}

#[tokio::test]
async fn a_body_that_is_no_call_is_a_bad_request() {
    let world = World::new("");
    for (body, message) in [
        ("", "Error: the body is not JSON"),
        ("{nonsense", "Error: the body is not JSON"),
        ("null", "Error: the body must be an object"),
        ("[]", "Error: the body must be an object"),
        ("\"read_file\"", "Error: the body must be an object"),
        ("{}", "Error: `name` must be a string"),
        ("{\"name\":7}", "Error: `name` must be a string"),
        ("{\"name\":null}", "Error: `name` must be a string"),
        (
            "{\"name\":\"list_modes\",\"arguments\":[]}",
            "Error: `arguments` must be an object",
        ),
        (
            "{\"name\":\"list_modes\",\"arguments\":null}",
            "Error: `arguments` must be an object",
        ),
        (
            "{\"name\":\"list_modes\",\"arguments\":\"x\"}",
            "Error: `arguments` must be an object",
        ),
    ] {
        let reply = world.post(body).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{body}");
        assert_eq!(reply.body["isError"], true, "{body}");
        assert_eq!(reply.body["error_code"], "INVALID_ARGUMENTS", "{body}");
        let details = json!({ "suggestion": "send {\"name\": …, \"arguments\": {…}}; list the tools with GET /tools/list" });
        assert_eq!(reply.body["details"], details, "{body}");
        let text = reply.body["content"][0]["text"].as_str().expect("a text");
        assert!(text.starts_with(message), "{body}: {text}");
    }
}

#[tokio::test]
async fn a_large_file_fits_and_a_larger_one_does_not() {
    let world = World::new("");
    let write = |size: usize| json!({ "file_path": "a.txt", "content": "x".repeat(size) });
    let reply = world.call("write_file", write(3 * 1024 * 1024)).await;
    assert_eq!(reply.body["isError"], false, "{}", reply.status);
    let reply = world.call("write_file", write(5 * 1024 * 1024)).await;
    assert_eq!(reply.status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn failures_of_tools_are_results() {
    let world = World::new(PROJECT);
    let none = Value::Null;
    check(
        &world.call("no_such_tool", json!({})).await,
        "INVALID_ARGUMENTS",
        "Tool not found: no_such_tool",
        none.clone(),
    );
    let reply = world
        .call("read_file", json!({ "file_path": "src/mian.py" }))
        .await;
    check(
        &reply,
        "FILE_NOT_FOUND",
        "File not found: src/mian.py",
        none.clone(),
    );
    assert_eq!(
        reply.body["details"],
        json!({ "file_path": "src/mian.py", "suggestion": "did you mean src/main.py?" })
    );
    check(
        &world.call("read_file", json!({})).await,
        "INVALID_ARGUMENTS",
        "Missing required parameter for read_file: file_path",
        none.clone(),
    );
    check(
        &world.call("read_memory", json!({ "name": "x" })).await,
        "MEMORY_ERROR",
        "There is no memory `x`",
        none.clone(),
    );
    check(
        &world
            .call("activate_project", json!({ "project_root": "/no/such" }))
            .await,
        "PROJECT_NOT_ACTIVE",
        "Directory not found: /no/such",
        none,
    );
    check(
        &world
            .call("read_file", json!({ "file_path": "../x" }))
            .await,
        "PERMISSION_DENIED",
        "",
        -32006,
    );
}

#[tokio::test]
async fn mode_tools_fail_with_their_own_codes() {
    let world = World::new("");
    check(
        &world
            .call("get_mode_info", json!({ "mode_slug": "x" }))
            .await,
        "MODE_NOT_FOUND",
        "Mode not found: x",
        -32001,
    );
    let unknown = json!({ "session_id": "sess_000000000000" });
    check(
        &world.call("get_task_info", unknown).await,
        "TASK_NOT_FOUND",
        "Session not found: sess_000000000000",
        -32002,
    );
    check(
        &world.call("get_mode_info", json!({})).await,
        "VALIDATION_ERROR",
        "Missing required parameter for get_mode_info: mode_slug",
        -32004,
    );
    let task = world
        .call("create_task", json!({ "mode_slug": "code" }))
        .await;
    let session = task.body["metadata"]["session_id"].clone();
    world.clock.advance(Duration::from_secs(3601));
    check(
        &world
            .call("get_task_info", json!({ "session_id": session }))
            .await,
        "SESSION_EXPIRED",
        "Session ",
        -32003,
    );
}

#[tokio::test]
async fn the_mode_of_a_task_holds_here_too() {
    let world = World::new(PROJECT);
    for (mode, path, number) in [
        ("architect", "src/main.py", -32006),
        ("ask", "a.md", -32005),
    ] {
        let task = world
            .call("create_task", json!({ "mode_slug": mode }))
            .await;
        let session = &task.body["metadata"]["session_id"];
        let write = json!({ "file_path": path, "content": "x", "session_id": session });
        let reply = world.call("write_file", write).await;
        check(&reply, "PERMISSION_DENIED", "", number);
        assert!(reply.body["details"]["suggestion"].is_string());
    }
}
