//! Widening changes of mode that a person approves: the agent's call waits, the command line answers.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::Instant;

use serde_json::{Value, json};

use crate::support::sandbox::Sandbox;
use crate::support::stdio::{Client, server};
use crate::support::wait_for;

const ASK: &[&str] = &["--switching", "ask_to_widen"];

/// The one question that waits for an answer, as soon as there is one.
#[track_caller]
pub(crate) fn pending(sandbox: &Sandbox) -> String {
    wait_for("a question", || {
        let list = sandbox.json(&["approve", "--json"]);
        let question = list.as_array().unwrap().first()?;
        Some(question["id"].as_str().unwrap().to_owned())
    })
}

/// A server with a task in `ask` that has asked for `code` and waits; the id of the call and of the session.
fn waiting(sandbox: &Sandbox) -> (Client, u64, String) {
    let mut client = Client::start_with(sandbox, ASK);
    let session = client.create("ask");
    let switch = json!({ "session_id": session, "new_mode_slug": "code", "reason": "fix it" });
    let call = client.post("tools/call", &Client::call_params("switch_mode", &switch));
    (client, call, session)
}

#[test]
fn a_granted_question_lets_the_waiting_call_succeed() {
    let sandbox = Sandbox::new();
    let (mut client, call, session) = waiting(&sandbox);
    let id = pending(&sandbox);
    // Others are answered while this one waits.
    assert!(client.request("ping", &json!({}))["result"].is_object());
    insta::assert_snapshot!("approve_list", sandbox.show(&["approve"]));
    assert_eq!(
        sandbox.ok(&["approve", &id]),
        "granted: Let the agent change from 'ask' to 'code' mode?\nThe agent's reason: fix it\n"
    );
    let answer = client.answer(call);
    assert_eq!(
        answer["result"]["metadata"]["new_mode"], "code",
        "{answer:#}"
    );
    assert_eq!(sandbox.ok(&["approve"]), "nothing waits for approval\n");
    let shown = sandbox.json(&["tasks", "show", &session, "--json"]);
    assert_eq!(shown["mode_history"][1]["reason"], "fix it");

    // An approval is good for one act.
    let back = json!({ "session_id": session, "new_mode_slug": "ask" });
    assert!(client.call("switch_mode", &back)["result"].is_object());
    let again = json!({ "session_id": session, "new_mode_slug": "code" });
    client.post("tools/call", &Client::call_params("switch_mode", &again));
    assert_ne!(pending(&sandbox), id);
}

#[test]
fn watch_shows_a_request_and_what_becomes_of_it() {
    let sandbox = Sandbox::new();
    sandbox.ok(&["mode", "ask"]);
    let mut watch = sandbox.command(&["watch"]);
    let mut watch = watch.stdout(Stdio::piped()).spawn().unwrap();
    let mut seen = BufReader::new(watch.stdout.take().unwrap()).lines();
    let mut next = || seen.next().unwrap().unwrap();
    assert!(next().starts_with("watching"));
    let (mut client, call, _) = waiting(&sandbox);
    let asked = next();
    let id = pending(&sandbox);
    assert!(asked.contains("pending") && asked.ends_with(&id), "{asked}");
    assert!(asked.contains("from 'ask' to 'code'"), "{asked}");
    sandbox.ok(&["approve", &id]);
    client.answer(call);
    let answered = next();
    assert!(
        !answered.contains("pending") && answered.ends_with(&id),
        "{answered}"
    );
    watch.kill().unwrap();
    watch.wait().unwrap();
}

#[test]
fn a_denied_question_refuses_the_waiting_call() {
    let sandbox = Sandbox::new();
    let (mut client, call, session) = waiting(&sandbox);
    let id = pending(&sandbox);
    assert_eq!(
        sandbox.ok(&["approve", &id, "--deny"]),
        "denied: Let the agent change from 'ask' to 'code' mode?\nThe agent's reason: fix it\n"
    );
    let answer = client.answer(call);
    assert_eq!(answer["error"]["code"], -32005, "{answer:#}");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("declined") && message.contains(&id),
        "{message}"
    );
    let shown = sandbox.json(&["tasks", "show", &session, "--json"]);
    assert_eq!(shown["mode"], "ask");
}

#[test]
fn a_question_is_answered_once() {
    let sandbox = Sandbox::new();
    let (mut client, call, _) = waiting(&sandbox);
    let id = pending(&sandbox);
    sandbox.ok(&["approve", &id, "--deny"]);
    client.answer(call);
    insta::assert_snapshot!("approve_twice", sandbox.show(&["approve", &id]));
    let unknown = "appr_aaaaaaaaaaaaaaaa";
    insta::assert_snapshot!("approve_unknown", sandbox.show(&["approve", unknown]));
    insta::assert_snapshot!("approve_no_id", sandbox.show(&["approve", "nonsense"]));
}

#[test]
fn an_answer_in_json_is_for_programs() {
    let sandbox = Sandbox::new();
    let (_client, _, session) = waiting(&sandbox);
    let id = pending(&sandbox);
    let granted = sandbox.json(&["approve", &id, "--json"]);
    assert_eq!(granted["id"], id.as_str());
    assert_eq!(granted["session_id"], session.as_str());
    assert_eq!(granted["state"], "granted");
    assert_eq!(granted["decided_by"], "command line");
}

#[test]
fn no_answer_in_time_is_a_no_that_names_the_question() {
    let sandbox = Sandbox::new();
    sandbox.write(
        sandbox.config_file(),
        r#"{ "approval_timeout": 1, "switching": "ask_to_widen" }"#,
    );
    let mut client = Client::start(&sandbox);
    let session = client.create("ask");
    let switch = json!({ "session_id": session, "new_mode_slug": "code" });
    let since = Instant::now();
    let answer = client.call("switch_mode", &switch);
    let waited = since.elapsed();
    assert_eq!(answer["error"]["code"], -32005, "{answer:#}");
    let id = pending(&sandbox);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains(&id), "{message}");
    assert!(
        (0.9..6.0).contains(&waited.as_secs_f64()),
        "waited {waited:?}"
    );

    // A late yes counts for the next try.
    sandbox.ok(&["approve", &id]);
    let answer = client.call("switch_mode", &switch);
    assert_eq!(
        answer["result"]["metadata"]["new_mode"], "code",
        "{answer:#}"
    );
}

#[test]
fn a_client_that_can_ask_is_asked() {
    for (content, granted) in [
        (
            json!({ "action": "accept", "content": { "approve": true } }),
            true,
        ),
        (
            json!({ "action": "accept", "content": { "approve": false } }),
            false,
        ),
        (json!({ "action": "decline" }), false),
        (json!({ "action": "cancel" }), false),
    ] {
        let sandbox = Sandbox::new();
        let mut client = Client::open(&mut server(&sandbox, ASK));
        client.initialize(&json!({ "elicitation": {} }));
        let session = client.create("ask");
        let switch = json!({ "session_id": session, "new_mode_slug": "code" });
        let call = client.post("tools/call", &Client::call_params("switch_mode", &switch));
        let question = client.notification("elicitation/create");
        let message = question["params"]["message"].as_str().unwrap();
        assert!(message.contains(&pending(&sandbox)), "{message}");
        client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": content }));
        let answer = client.answer(call);
        assert_eq!(
            answer["result"].is_object(),
            granted,
            "{content}: {answer:#}"
        );
    }
}

#[test]
fn the_stateless_revision_brings_the_answer_back() {
    let sandbox = Sandbox::new();
    let mut client = Client::open(&mut server(&sandbox, ASK));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
        "io.modelcontextprotocol/clientInfo": { "name": "it", "version": "1" },
    });
    let call = |tool: &str, arguments: &Value| json!({ "name": tool, "arguments": arguments, "_meta": meta });
    let created = client.request(
        "tools/call",
        &call("create_task", &json!({ "mode_slug": "ask" })),
    );
    let session = &created["result"]["metadata"]["session_id"];
    let mut switch = call(
        "switch_mode",
        &json!({ "session_id": session, "new_mode_slug": "code" }),
    );
    let asked = client.request("tools/call", &switch);
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked:#}");
    assert_eq!(
        asked["result"]["inputRequests"]["approve"]["method"],
        "elicitation/create"
    );
    switch["requestState"] = asked["result"]["requestState"].clone();
    switch["inputResponses"] =
        json!({ "approve": { "action": "accept", "content": { "approve": true } } });
    let answer = client.request("tools/call", &switch);
    assert_eq!(answer["result"]["resultType"], "complete", "{answer:#}");
    assert_eq!(answer["result"]["metadata"]["new_mode"], "code");

    switch["requestState"] = json!("forged");
    let answer = client.request("tools/call", &switch);
    assert_eq!(answer["error"]["code"], -32602, "{answer:#}");
}

#[test]
fn locked_switching_asks_nobody() {
    let sandbox = Sandbox::new();
    let mut client = Client::start_with(&sandbox, &["--switching", "locked"]);
    let answer = client.call("create_task", &json!({ "mode_slug": "ask" }));
    assert_eq!(answer["result"]["isError"], true, "{answer:#}");
    assert_eq!(
        answer["result"]["structuredContent"]["error_code"],
        "PERMISSION_DENIED"
    );
    let session = client.create("code");
    let switch = json!({ "session_id": session, "new_mode_slug": "ask" });
    let answer = client.call("switch_mode", &switch);
    assert_eq!(answer["error"]["code"], -32005, "{answer:#}");
    // The person at the command line may.
    let switched = sandbox.ok(&["tasks", "switch", &session, "ask"]);
    assert_eq!(switched, format!("{session}: code → ask\n"));
}
