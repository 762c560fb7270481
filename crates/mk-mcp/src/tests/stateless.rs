//! 2026-07-28: no handshake, everything in the request, nothing remembered.

use serde_json::{Value, json};

use super::World;
use super::wire::{Wire, modern, request, text};

const VERSIONS: [&str; 5] = [
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    "2026-07-28",
];

fn modern_call(id: u32, tool: &str, arguments: impl Into<Value>) -> Value {
    let params = json!({ "name": tool, "arguments": arguments.into() });
    modern(id, "tools/call", params)
}

/// A refused call is a result that the model reads.
#[track_caller]
fn check_refused(answer: &Value, code: i32, name: &str, data: &str) {
    let text = if data.starts_with(name) {
        data.to_owned()
    } else {
        format!("{name}: {data}")
    };
    assert_eq!(
        answer["result"],
        json!({
            "resultType": "complete",
            "content": [{ "type": "text", "text": text }],
            "isError": true,
            "structuredContent": {
                "error": { "code": code, "name": name, "message": text, "data": data },
            },
        })
    );
}

#[tokio::test]
async fn discover_tells_versions_capabilities_and_who_we_are() {
    let world = World::new("");
    let mut wire = Wire::connect(&world);
    let mut answer = wire.request(modern(1, "server/discover", json!({}))).await;
    let instructions = answer["result"]["instructions"].take();
    assert!(
        instructions
            .as_str()
            .is_some_and(|it| it.contains("create_task"))
    );
    assert_eq!(
        answer["result"],
        json!({
            "resultType": "complete",
            "supportedVersions": VERSIONS,
            "capabilities": {
                "logging": {},
                "completions": {},
                "prompts": { "listChanged": true },
                "resources": { "listChanged": true },
                "tools": { "listChanged": true },
            },
            "instructions": null,
            "ttlMs": 0,
            "cacheScope": "private",
            "_meta": {
                "io.modelcontextprotocol/serverInfo": {
                    "name": "modekeeper",
                    "title": "Modekeeper",
                    "version": "9.9.9",
                },
            },
        })
    );
}

#[tokio::test]
async fn a_call_needs_no_handshake() {
    let world = World::new("");
    let mut wire = Wire::connect(&world);
    let answer = wire
        .request(modern_call(1, "create_task", json!({ "mode_slug": "ask" })))
        .await;
    assert_eq!(
        answer["result"],
        json!({
            "resultType": "complete",
            "content": [{
                "type": "text",
                "text": "Task created successfully\n\nSession ID: sess_1\nTask ID: task_1\nMode: ask (❓ Ask)\nState: active\n\nUse this session_id for subsequent operations.",
            }],
            "structuredContent": {
                "session_id": "sess_1",
                "task_id": "task_1",
                "mode_slug": "ask",
                "mode_name": "❓ Ask",
                "state": "active",
            },
            "metadata": { "session_id": "sess_1", "task_id": "task_1", "mode_slug": "ask" },
        })
    );
}

#[tokio::test]
async fn lists_say_how_long_and_by_whom_they_may_be_kept() {
    let world = World::new("");
    let mut wire = Wire::connect(&world);
    for (method, key) in [
        ("tools/list", "tools"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("prompts/list", "prompts"),
    ] {
        let answer = wire.request(modern(1, method, json!({}))).await;
        let result = &answer["result"];
        assert_eq!(result["resultType"], "complete", "{method}");
        assert_eq!(result["ttlMs"], 0, "{method}");
        assert_eq!(result["cacheScope"], "private", "{method}");
        assert!(
            result[key].as_array().is_some_and(|it| !it.is_empty()),
            "{method}"
        );
    }
    let uri = json!({ "uri": "mode://ask/config" });
    let answer = wire.request(modern(2, "resources/read", uri)).await;
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(answer["result"]["ttlMs"], 0);
    assert_eq!(answer["result"]["cacheScope"], "private");
    let ask = json!({ "name": "ask" });
    let answer = wire.request(modern(3, "prompts/get", ask)).await;
    assert_eq!(answer["result"]["resultType"], "complete", "{answer:#}");
}

#[tokio::test]
async fn what_a_request_lacks_is_named() {
    let world = World::new("");
    let mut wire = Wire::connect(&world);
    wire.request(modern(1, "tools/list", json!({}))).await;
    let answer = wire.request(request(2, "tools/list", json!({}))).await;
    assert_eq!(answer["error"]["code"], -32602);
    let mut partly = modern(3, "tools/list", json!({}));
    let meta = partly["params"]["_meta"]
        .as_object_mut()
        .expect("an object");
    meta.remove("io.modelcontextprotocol/clientCapabilities");
    let answer = wire.request(partly).await;
    assert_eq!(answer["error"]["code"], -32602);
    let message = answer["error"]["message"].as_str().expect("a message");
    assert!(message.contains("clientCapabilities"), "{message}");
}

#[tokio::test]
async fn a_version_nobody_knows_is_answered_with_those_we_know() {
    let world = World::new("");
    let mut wire = Wire::connect(&world);
    for method in ["server/discover", "tools/list"] {
        let mut unknown = modern(1, method, json!({}));
        unknown["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2031-01-01");
        let answer = wire.request(unknown).await;
        assert_eq!(answer["error"]["code"], -32022, "{method}: {answer:#}");
        assert_eq!(
            answer["error"]["data"]["supported"],
            json!(VERSIONS),
            "{method}"
        );
        assert_eq!(
            answer["error"]["data"]["requested"], "2031-01-01",
            "{method}"
        );
    }
}

#[tokio::test]
async fn a_refused_call_is_a_result() {
    let world = World::new("");
    let mut wire = Wire::connect(&world);
    let answer = wire
        .request(modern_call(1, "get_mode_info", json!({ "mode_slug": "x" })))
        .await;
    check_refused(
        &answer,
        -32001,
        "Mode not found",
        "Mode not found: x. Available: code, architect, ask, debug, orchestrator",
    );
    let unknown = json!({ "session_id": "sess_000000000000" });
    let answer = wire.request(modern_call(2, "get_task_info", unknown)).await;
    check_refused(
        &answer,
        -32002,
        "Task not found",
        "Session not found: sess_000000000000",
    );
    let answer = wire
        .request(modern_call(3, "get_mode_info", json!({})))
        .await;
    check_refused(
        &answer,
        -32004,
        "Validation error",
        "Missing required parameter for get_mode_info: mode_slug",
    );
}

#[tokio::test]
async fn nothing_is_remembered_of_the_connection() {
    let world = World::new("");
    let mut wire = Wire::connect(&world);
    wire.request(modern_call(1, "create_task", json!({ "mode_slug": "ask" })))
        .await;
    let current = json!({ "session_id": "current" });
    let answer = wire.request(modern_call(2, "get_task_info", current)).await;
    check_refused(
        &answer,
        -32004,
        "Validation error",
        "There is no current task on this connection: name the session_id",
    );
    let named = json!({ "session_id": "sess_1" });
    let answer = wire.request(modern_call(3, "get_task_info", named)).await;
    assert!(text(&answer).contains("Mode: ask (❓ Ask)"), "{answer:#}");
}

#[tokio::test]
async fn what_is_not_there_is_a_wrong_parameter() {
    let world = World::new("");
    let mut wire = Wire::connect(&world);
    let answer = wire
        .request(modern_call(1, "no_such_tool", json!({})))
        .await;
    assert_eq!(
        answer["error"],
        json!({ "code": -32602, "message": "Tool not found: no_such_tool" })
    );
    let name = json!({ "name": "no-such-mode" });
    let answer = wire.request(modern(2, "prompts/get", name)).await;
    assert_eq!(
        answer["error"],
        json!({ "code": -32602, "message": "Prompt not found: no-such-mode" })
    );
    for (uri, message) in [
        (
            "mode://x",
            "Mode not found: x. Available: code, architect, ask, debug, orchestrator",
        ),
        (
            "mode://code/x",
            "Unknown subresource: x. Known: config, system_prompt",
        ),
        ("no uri", "Invalid mode URI: no uri"),
        ("ftp://x", "Invalid URI scheme"),
    ] {
        let answer = wire
            .request(modern(3, "resources/read", json!({ "uri": uri })))
            .await;
        assert_eq!(answer["error"]["code"], -32602, "{uri}");
        assert_eq!(answer["error"]["message"], message, "{uri}");
    }
}

#[tokio::test]
async fn methods_of_the_other_era_do_not_exist() {
    let world = World::new("");
    let mut wire = Wire::connect(&world);
    wire.request(modern(1, "tools/list", json!({}))).await;
    for (method, params) in [
        ("ping", json!({})),
        ("logging/setLevel", json!({ "level": "debug" })),
        ("resources/subscribe", json!({ "uri": "mode://code" })),
        ("no/such/method", json!({})),
    ] {
        let answer = wire.request(modern(2, method, params)).await;
        assert_eq!(answer["error"]["code"], -32601, "{method}: {answer:#}");
    }
    let mut wire = Wire::open(&world).await;
    let listen = json!({ "notifications": { "toolsListChanged": true } });
    let answer = wire
        .request(request(3, "subscriptions/listen", listen))
        .await;
    assert_eq!(answer["error"]["code"], -32601, "{answer:#}");
}

#[tokio::test]
async fn the_list_of_tools_is_the_same_on_every_endpoint() {
    let anywhere = World::new("");
    let bound = World::new("").bound_to("orchestrator");
    let mut lists = Vec::new();
    for world in [&anywhere, &bound] {
        let mut wire = Wire::connect(world);
        lists.push(wire.request(modern(1, "tools/list", json!({}))).await);
    }
    assert_eq!(lists[0], lists[1]);
}

#[tokio::test]
async fn both_eras_may_share_a_connection() {
    let world = World::new("");
    let mut wire = Wire::open(&world).await;
    wire.call("create_task", json!({ "mode_slug": "ask" }))
        .await;
    // The same connection, but a request of the other era knows nothing of it.
    let current = json!({ "session_id": "current" });
    let answer = wire
        .request(modern_call(2, "get_task_info", current.clone()))
        .await;
    assert_eq!(answer["result"]["isError"], true, "{answer:#}");
    let answer = wire.call("get_task_info", current).await;
    assert!(text(&answer).contains("Mode: ask"), "{answer:#}");
}
