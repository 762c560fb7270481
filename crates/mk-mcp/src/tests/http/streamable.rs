//! Streamable HTTP at `/mcp` and `/mcp/{mode}`, in both eras.

use serde_json::{Value, json};

use super::client::Request;
use super::{Site, initialize, modes};
use crate::tests::wire::{call, modern, modern_with, request, text};
use crate::tests::{World, code};
use crate::transport::line::LONGEST_LINE;

/// A session of the older era.
struct Session {
    site: Site,
    path: &'static str,
    id: String,
}

impl Session {
    async fn open(world: World, path: &'static str) -> Self {
        Self::open_with(world, path, initialize(0, "2025-11-25")).await
    }

    async fn open_with(world: World, path: &'static str, hello: Value) -> Self {
        let mut site = Site::open(world).await;
        let reply = site.post(path, &hello).send().await;
        assert_eq!(reply.status, 200, "{reply:?}");
        let answer = site.answer(&reply);
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
        let id = reply
            .header("mcp-session-id")
            .expect("a session")
            .to_owned();
        let session = Self { site, path, id };
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let reply = session.post(&initialized).send().await;
        assert_eq!(reply.status, 202, "{reply:?}");
        session
    }

    fn with_session(&self, request: Request) -> Request {
        request
            .header("Mcp-Session-Id", &self.id)
            .header("MCP-Protocol-Version", "2025-11-25")
    }

    fn post(&self, message: &Value) -> Request {
        self.with_session(self.site.post(self.path, message))
    }

    async fn ask(&mut self, message: Value) -> Value {
        let reply = self.post(&message).send().await;
        assert_eq!(reply.status, 200, "{reply:?}");
        self.site.answer(&reply)
    }
}

/// A request of 2026-07-28 with the headers that belong to it.
fn stateless(site: &Site, path: &str, message: &Value) -> Request {
    let method = message["method"].as_str().expect("a method");
    let ask = site
        .post(path, message)
        .header("MCP-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", method);
    let name = message["params"]["name"]
        .as_str()
        .or(message["params"]["uri"].as_str());
    match name {
        Some(name) => ask.header("Mcp-Name", name),
        None => ask,
    }
}

async fn ask_stateless(site: &mut Site, path: &str, message: Value) -> Value {
    let reply = stateless(site, path, &message).send().await;
    assert_eq!(reply.status, 200, "{reply:?}");
    site.answer(&reply)
}

fn create(mode: &str) -> Value {
    json!({ "name": "create_task", "arguments": { "mode_slug": mode } })
}

#[tokio::test]
async fn a_session_remembers_its_task_and_ends_on_demand() {
    let mut session = Session::open(World::new(""), "/mcp").await;
    let answer = session
        .ask(call(1, "create_task", json!({ "mode_slug": "ask" })))
        .await;
    // The transport's result has no place for `metadata`, so it is in `_meta`.
    let metadata = json!({ "session_id": "sess_1", "task_id": "task_1", "mode_slug": "ask" });
    assert_eq!(
        answer["result"]["_meta"],
        json!({ "modekeeper/metadata": metadata })
    );
    assert!(answer["result"].get("metadata").is_none());
    let answer = session
        .ask(call(2, "get_task_info", json!({ "session_id": "current" })))
        .await;
    assert_eq!(
        answer["result"]["structuredContent"]["session_id"],
        "sess_1"
    );
    let answer = session
        .ask(call(3, "get_mode_info", json!({ "mode_slug": "nope" })))
        .await;
    assert_eq!(answer["error"]["code"], -32001);
    let answer = session.ask(request(4, "ping", json!({}))).await;
    assert_eq!(answer["result"], json!({}));

    let end = session.with_session(session.site.request("DELETE", "/mcp"));
    assert_eq!(end.send().await.status, 202);
    let reply = session.post(&request(5, "ping", json!({}))).send().await;
    assert_eq!(reply.status, 404, "{reply:?}");
    session.site.forgets().await;
}

#[tokio::test]
async fn the_examples_of_the_code_tools_have_their_answers() {
    let mut session = Session::open(World::new(code::PROJECT), "/mcp").await;
    let root = session.site.world.files.root().to_string();
    for (tool, arguments, expected) in code::examples(&root) {
        let answer = session.ask(call(1, tool, arguments)).await;
        assert_eq!(text(&answer), expected, "{tool}");
    }
    let missing = json!({ "file_path": "src/exampel.py" });
    let answer = session.ask(call(1, "read_file", missing)).await;
    let facts = &answer["result"]["structuredContent"];
    assert_eq!(facts["error_code"], "FILE_NOT_FOUND", "{answer:#}");
    let suggestion = &facts["details"]["suggestion"];
    assert_eq!(suggestion, "did you mean src/example.py?", "{answer:#}");
}

#[tokio::test]
async fn sessions_do_not_know_each_other() {
    let mut first = Session::open(World::new(""), "/mcp").await;
    first
        .ask(call(1, "create_task", json!({ "mode_slug": "ask" })))
        .await;
    let hello = first
        .site
        .post("/mcp", &initialize(0, "2025-06-18"))
        .send()
        .await;
    let second = hello
        .header("mcp-session-id")
        .expect("a session")
        .to_owned();
    assert_ne!(second, first.id);
    let current = call(2, "get_task_info", json!({ "session_id": "current" }));
    let reply = first
        .site
        .post("/mcp", &current)
        .header("Mcp-Session-Id", &second)
        .send()
        .await;
    let answer = first.site.answer(&reply);
    assert_eq!(answer["error"]["code"], -32004, "{answer:#}");
}

#[tokio::test]
async fn an_unknown_session_is_not_found_and_none_at_all_is_a_bad_request() {
    let site = Site::open(World::new("")).await;
    let list = request(1, "tools/list", json!({}));
    let reply = site
        .post("/mcp", &list)
        .header("Mcp-Session-Id", "nobody")
        .send()
        .await;
    assert_eq!(reply.status, 404, "{reply:?}");
    let stream = site
        .request("GET", "/mcp")
        .header("Accept", "text/event-stream");
    let reply = stream.header("Mcp-Session-Id", "nobody").send().await;
    assert_eq!(reply.status, 404, "{reply:?}");
    let reply = site.post("/mcp", &list).send().await;
    assert!(matches!(reply.status, 400 | 422), "{reply:?}");
}

#[tokio::test]
async fn a_session_hears_of_changes_on_its_stream() {
    let mut session = Session::open(World::watching(""), "/mcp").await;
    let listen = session
        .site
        .request("GET", "/mcp")
        .header("Accept", "text/event-stream");
    let mut stream = session.with_session(listen).open().await;
    assert_eq!(stream.head.status, 200);
    session.ask(request(1, "ping", json!({}))).await;
    let file = "customModes:\n  - slug: one\n    name: One\n    roleDefinition: You are one.\n    groups: [read]\n";
    session.site.world.files.save(".roomodes", file);
    for list in ["resources", "tools", "prompts"] {
        let method = format!("notifications/{list}/list_changed");
        assert_eq!(stream.message().await["method"], method);
    }
    let answer = session
        .ask(call(
            2,
            "switch_mode",
            json!({ "session_id": "current", "new_mode_slug": "one" }),
        ))
        .await;
    assert_eq!(answer["error"]["code"], -32004, "{answer:#}");
    session
        .ask(call(3, "create_task", json!({ "mode_slug": "one" })))
        .await;
    assert_eq!(
        stream.message().await["method"],
        "notifications/tools/list_changed"
    );
}

#[tokio::test]
async fn the_newest_era_needs_no_session() {
    let mut site = Site::open(World::new("")).await;
    let answer = ask_stateless(&mut site, "/mcp", modern(1, "server/discover", json!({}))).await;
    assert_eq!(answer["result"]["resultType"], "complete");
    let answer = ask_stateless(&mut site, "/mcp", modern(2, "tools/call", create("ask"))).await;
    assert_eq!(answer["result"]["resultType"], "complete");
    let metadata = json!({ "session_id": "sess_1", "task_id": "task_1", "mode_slug": "ask" });
    assert_eq!(answer["result"]["_meta"]["modekeeper/metadata"], metadata);
    let info = |session: &str| {
        let arguments = json!({ "session_id": session });
        modern(
            3,
            "tools/call",
            json!({ "name": "get_task_info", "arguments": arguments }),
        )
    };
    let answer = ask_stateless(&mut site, "/mcp", info("sess_1")).await;
    assert_eq!(answer["result"]["structuredContent"]["mode_slug"], "ask");
    let answer = ask_stateless(&mut site, "/mcp", info("current")).await;
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(
        answer["result"]["structuredContent"]["error"]["code"],
        -32004
    );
    site.forgets().await;
}

#[tokio::test]
async fn the_newest_era_has_its_own_refusals() {
    let mut site = Site::open(World::new("")).await;
    let mut unknown = modern(1, "tools/list", json!({}));
    unknown["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2031-01-01");
    let reply = stateless(&site, "/mcp", &unknown)
        .header("MCP-Protocol-Version", "2031-01-01")
        .send()
        .await;
    assert_eq!(reply.status, 400);
    assert_eq!(site.answer(&reply)["error"]["code"], -32022);
    let mut incomplete = modern(2, "tools/list", json!({}));
    let meta = incomplete["params"]["_meta"]
        .as_object_mut()
        .expect("an object");
    meta.remove("io.modelcontextprotocol/clientCapabilities");
    let reply = stateless(&site, "/mcp", &incomplete).send().await;
    assert_eq!(reply.status, 400, "{reply:?}");
    assert_eq!(site.answer(&reply)["error"]["code"], -32602);
    let reply = stateless(&site, "/mcp", &modern(3, "no/such/method", json!({})))
        .send()
        .await;
    assert_eq!(reply.status, 404, "{reply:?}");
    assert_eq!(site.answer(&reply)["error"]["code"], -32601);
    let list = modern(4, "tools/list", json!({}));
    let reply = stateless(&site, "/mcp", &list)
        .header("Mcp-Method", "tools/call")
        .send()
        .await;
    assert_eq!(reply.status, 400, "{reply:?}");
}

#[tokio::test]
async fn a_subscription_is_a_stream_that_ends_with_its_client() {
    let site = Site::open(World::watching("")).await;
    let wanted = json!({ "notifications": { "toolsListChanged": true } });
    let listen = modern("s", "subscriptions/listen", wanted);
    let mut stream = stateless(&site, "/mcp", &listen).open().await;
    assert_eq!(stream.head.status, 200);
    assert_eq!(
        stream.message().await["method"],
        "notifications/subscriptions/acknowledged"
    );
    assert_eq!(site.world.server.connections(), 1);
    let file = "customModes:\n  - slug: one\n    name: One\n    roleDefinition: You are one.\n    groups: [read]\n";
    site.world.files.save(".roomodes", file);
    let heard = stream.message().await;
    assert_eq!(heard["method"], "notifications/tools/list_changed");
    assert_eq!(
        heard["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"],
        "s"
    );
    drop(stream);
    site.forgets().await;
}

#[tokio::test]
async fn a_call_that_waits_for_a_person_ends_with_its_client() {
    let site = Site::open(World::asking()).await;
    let mut wants = modern(1, "tools/call", create("code"));
    wants["params"]["_meta"]["progressToken"] = json!("t");
    let mut stream = stateless(&site, "/mcp", &wants).open().await;
    assert_eq!(stream.message().await["method"], "notifications/progress");
    assert_eq!(site.world.server.connections(), 1);
    drop(stream);
    site.forgets().await;
}

#[tokio::test]
async fn the_question_and_its_answer_need_no_session() {
    let mut site = Site::open(World::asking()).await;
    let forms = || json!({ "elicitation": {} });
    let wants = modern_with(1, "tools/call", create("code"), forms());
    let answer = ask_stateless(&mut site, "/mcp", wants).await;
    assert_eq!(answer["result"]["resultType"], "input_required");
    let mut again = modern_with(2, "tools/call", create("code"), forms());
    again["params"]["requestState"] = json!("<state 1>");
    again["params"]["inputResponses"] =
        json!({ "approve": { "action": "accept", "content": { "approve": true } } });
    let answer = ask_stateless(&mut site, "/mcp", again).await;
    assert_eq!(
        answer["result"]["structuredContent"]["mode_slug"], "code",
        "{answer:#}"
    );
}

#[tokio::test]
async fn a_session_is_asked_on_the_stream_of_its_call() {
    let mut hello = initialize(0, "2025-11-25");
    hello["params"]["capabilities"] = json!({ "elicitation": {} });
    let mut session = Session::open_with(World::asking(), "/mcp", hello).await;
    let wants = call(1, "create_task", json!({ "mode_slug": "code" }));
    let mut stream = session.post(&wants).open().await;
    let question = stream.message().await;
    assert_eq!(question["method"], "elicitation/create");
    // Others are served meanwhile.
    let answer = session.ask(call(2, "list_modes", json!({}))).await;
    assert!(answer.get("result").is_some(), "{answer:#}");
    let yes = json!({ "action": "accept", "content": { "approve": true } });
    let yes = json!({ "jsonrpc": "2.0", "id": question["id"], "result": yes });
    assert_eq!(session.post(&yes).send().await.status, 202);
    let answer = stream.message().await;
    assert_eq!(answer["id"], 1);
    let mode = &answer["result"]["structuredContent"]["mode_slug"];
    assert_eq!(mode, "code", "{answer:#}");
}

#[tokio::test]
async fn every_mode_has_an_endpoint_that_bounds_what_comes_in() {
    let mut session = Session::open(World::new(""), "/mcp/ask").await;
    session
        .ask(call(1, "create_task", json!({ "mode_slug": "code" })))
        .await;
    let edit =
        json!({ "session_id": "current", "tool_name": "write_to_file", "file_path": "a.rs" });
    let answer = session.ask(call(2, "validate_tool_use", edit)).await;
    assert_eq!(answer["result"]["structuredContent"]["allowed"], false);

    let edit = json!({ "session_id": "sess_1", "tool_name": "write_to_file", "file_path": "a.rs" });
    let edit = modern(
        3,
        "tools/call",
        json!({ "name": "validate_tool_use", "arguments": edit }),
    );
    let mut check = async |path: &str| {
        let answer = ask_stateless(&mut session.site, path, edit.clone()).await;
        answer["result"]["structuredContent"]["allowed"].clone()
    };
    assert_eq!(check("/mcp/ask").await, false);
    assert_eq!(check("/mcp/code").await, true);
    assert_eq!(check("/mcp").await, true);
    for mode in modes(&session.site.world) {
        let hello = initialize(0, "2025-11-25");
        let reply = session
            .site
            .post(&format!("/mcp/{mode}"), &hello)
            .send()
            .await;
        assert_eq!(reply.status, 200, "{mode}");
    }
}

#[tokio::test]
async fn a_session_belongs_to_its_endpoint() {
    let session = Session::open(World::new(""), "/mcp/ask").await;
    let elsewhere = session.site.post("/mcp", &request(1, "ping", json!({})));
    assert_eq!(session.with_session(elsewhere).send().await.status, 404);
}

#[tokio::test]
async fn an_unknown_mode_is_not_found() {
    let site = Site::open(World::new("")).await;
    for path in ["/mcp/nope", "/mcp/no%20good", "/mcp/code/x", "/mcpx", "/"] {
        let reply = site.post(path, &initialize(0, "2025-11-25")).send().await;
        assert_eq!(reply.status, 404, "{path}");
    }
    let reply = site
        .post("/mcp/nope", &initialize(0, "2025-11-25"))
        .send()
        .await;
    assert_eq!(reply.body, "there is no mode `nope`\n");
}

#[tokio::test]
async fn a_body_that_is_no_message_is_a_bad_request_that_says_why() {
    let site = Site::open(World::new("")).await;
    for (body, code) in [
        ("nonsense", -32700),
        ("", -32700),
        ("{\"jsonrpc\":\"2.0\",", -32700),
        ("[]", -32600),
        (
            "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
            -32600,
        ),
        ("{\"id\":1,\"method\":\"ping\"}", -32600),
        ("null", -32600),
    ] {
        let reply = site.post("/mcp", &Value::Null).body(body).send().await;
        assert_eq!(reply.status, 400, "{body}: {reply:?}");
        assert_eq!(reply.json()["error"]["code"], code, "{body}");
        assert_eq!(reply.json()["jsonrpc"], "2.0");
    }
    let wrong = site.post("/mcp", &initialize(0, "2025-11-25"));
    let reply = wrong.header("Content-Type", "text/plain").send().await;
    assert_eq!(reply.status, 415, "{reply:?}");
    let deaf = site.post("/mcp", &initialize(0, "2025-11-25"));
    let reply = deaf.header("Accept", "text/html").send().await;
    assert_eq!(reply.status, 406, "{reply:?}");
    let reply = site.request("PUT", "/mcp").send().await;
    assert_eq!(reply.status, 405, "{reply:?}");
}

#[tokio::test]
async fn a_body_over_the_limit_is_too_large() {
    let site = Site::open(World::new("")).await;
    let mut long = initialize(0, "2025-11-25");
    long["params"]["clientInfo"]["name"] = json!("x".repeat(LONGEST_LINE));
    let reply = site.post("/mcp", &long).send().await;
    assert_eq!(reply.status, 413);
    let reply = site.post("/messages?sessionId=x", &long).send().await;
    assert_eq!(reply.status, 413);
    // And one that just fits is read.
    long["params"]["clientInfo"]["name"] = json!("x".repeat(LONGEST_LINE - 1000));
    assert_eq!(site.post("/mcp", &long).send().await.status, 200);
}
