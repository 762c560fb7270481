//! A person's yes or no: through the client in both eras, from elsewhere, too late, forged.

use std::time::Duration;

use mk_engine::ApprovalVerdict;
use mk_policy::Switching;
use mk_types::ApprovalId;
use rmcp::model::SealOptions;
use serde_json::{Value, json};

use super::wire::{Wire, call, modern_with, request, text};
use super::{World, slug};
use crate::approval::ApprovalSubject;

const SUBJECT: &str = "Let the agent change from 'ask' to 'code' mode?";

fn forms() -> Value {
    json!({ "elicitation": {} })
}

/// A client that shows forms, and a call that waits for what its user says.
async fn asked(world: &World) -> (Wire, Value) {
    let mut wire = Wire::open_with(world, forms()).await;
    wire.send(call("wants", "create_task", json!({ "mode_slug": "code" })))
        .await;
    let question = wire.expect_request("elicitation/create").await;
    (wire, question)
}

async fn reply(wire: &mut Wire, question: &Value, result: Value) -> Value {
    wire.send(json!({ "jsonrpc": "2.0", "id": question["id"], "result": result }))
        .await;
    wire.answer(json!("wants")).await
}

fn declined() -> String {
    format!("Tool restriction error: The user declined: {SUBJECT} (appr_1)")
}

#[tokio::test]
async fn a_yes_through_the_client_lets_the_call_happen() {
    let world = World::asking();
    let (mut wire, question) = asked(&world).await;
    assert_eq!(
        question["params"],
        json!({
            "_meta": question["params"]["_meta"],
            "mode": "form",
            "message": format!("{SUBJECT} (appr_1)"),
            "requestedSchema": {
                "type": "object",
                "properties": { "approve": { "type": "boolean" } },
                "required": ["approve"],
            },
        })
    );
    let yes = json!({ "action": "accept", "content": { "approve": true } });
    let answer = reply(&mut wire, &question, yes).await;
    assert!(
        text(&answer).starts_with("Task created successfully"),
        "{answer:#}"
    );
    // It was good for one act.
    wire.send(call(
        "again",
        "create_task",
        json!({ "mode_slug": "debug" }),
    ))
    .await;
    let answer = wire.answer(json!("again")).await;
    assert!(
        answer.get("result").is_some(),
        "code is as wide: {answer:#}"
    );
}

#[tokio::test]
async fn anything_but_a_yes_is_a_no() {
    for no in [
        json!({ "action": "decline" }),
        json!({ "action": "cancel" }),
        json!({ "action": "accept", "content": { "approve": false } }),
        json!({ "action": "accept", "content": { "approve": "true" } }),
        json!({ "action": "accept", "content": {} }),
        json!({ "action": "accept" }),
    ] {
        let world = World::asking();
        let (mut wire, question) = asked(&world).await;
        let answer = reply(&mut wire, &question, no.clone()).await;
        assert_eq!(answer["result"]["isError"], true, "{no}: {answer:#}");
        assert_eq!(text(&answer), declined(), "{no}");
        let structured = &answer["result"]["structuredContent"];
        assert_eq!(structured["error_code"], "PERMISSION_DENIED");
        assert_eq!(structured["details"], json!({ "code": -32005 }));
    }
}

#[tokio::test]
async fn a_switch_that_names_its_session_is_refused_with_an_error() {
    let world = World::asking();
    let mut wire = Wire::open_with(&world, forms()).await;
    wire.call("create_task", json!({ "mode_slug": "ask" }))
        .await;
    let switch = json!({ "session_id": "sess_1", "new_mode_slug": "code" });
    wire.send(call("wants", "switch_mode", switch)).await;
    let question = wire.expect_request("elicitation/create").await;
    let answer = reply(&mut wire, &question, json!({ "action": "decline" })).await;
    let reason = format!("The user declined: {SUBJECT} (appr_1)");
    assert_eq!(
        answer["error"],
        json!({ "code": -32005, "message": format!("Tool restriction error: {reason}"), "data": reason })
    );
}

#[tokio::test]
async fn no_answer_in_time_is_a_no_that_names_the_approval() {
    for capabilities in [json!({}), forms(), json!({ "elicitation": { "url": {} } })] {
        let world = World::with("", |settings| {
            settings.switching = Switching::AskToWiden;
            settings.default_mode = slug("ask");
            settings.approval_timeout = Duration::ZERO;
        });
        let mut wire = Wire::open_with(&world, capabilities.clone()).await;
        let answer = wire
            .call("create_task", json!({ "mode_slug": "code" }))
            .await;
        let help = "ask the user to run `modekeeper approve appr_1`, then try again";
        let expected =
            format!("Tool restriction error: Approval timed out: {SUBJECT} (appr_1)\nHint: {help}");
        assert_eq!(text(&answer), expected, "{capabilities}");
        // An approval that comes later lets the next try succeed.
        let id = ApprovalId::parse(&wire.names.real("appr_1")).expect("an id");
        world
            .engine
            .approvals()
            .decide(&id, ApprovalVerdict::Granted, "a test")
            .await
            .expect("pending");
        let answer = wire
            .call("create_task", json!({ "mode_slug": "code" }))
            .await;
        assert!(text(&answer).starts_with("Task created"), "{answer:#}");
    }
}

async fn pending(world: &World) -> ApprovalId {
    loop {
        if let Some(approval) = world.engine.approvals().pending().expect("a store").pop() {
            return approval.id;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_client_that_shows_no_forms_waits_for_a_decision_from_elsewhere() {
    for (verdict, expected) in [
        (ApprovalVerdict::Granted, "Task created successfully"),
        (
            ApprovalVerdict::Denied,
            "Tool restriction error: The user declined",
        ),
    ] {
        let world = World::asking();
        let mut wire = Wire::open(&world).await;
        wire.send(call("wants", "create_task", json!({ "mode_slug": "code" })))
            .await;
        let id = pending(&world).await;
        world
            .engine
            .approvals()
            .decide(&id, verdict, "a test")
            .await
            .expect("pending");
        let answer = wire.answer(json!("wants")).await;
        assert!(text(&answer).starts_with(expected), "{answer:#}");
    }
}

#[tokio::test]
async fn a_request_that_an_editor_shows_is_not_shown_as_a_form() {
    let mut world = World::asking();
    world.server = world.server.with_attended(|_| true);
    let mut wire = Wire::open_with(&world, forms()).await;
    wire.send(call("wants", "create_task", json!({ "mode_slug": "code" })))
        .await;
    let id = pending(&world).await;
    let approvals = world.engine.approvals();
    let decided = approvals.decide(&id, ApprovalVerdict::Granted, "editor");
    decided.await.expect("pending");
    let answer = loop {
        let message = wire.next().await;
        assert_ne!(message["method"], "elicitation/create", "{message:#}");
        if message["id"] == "wants" {
            break message;
        }
    };
    assert!(text(&answer).starts_with("Task created"), "{answer:#}");
}

#[tokio::test]
async fn a_decision_from_elsewhere_closes_the_dialogue() {
    let world = World::asking();
    let (mut wire, question) = asked(&world).await;
    let id = ApprovalId::parse(&wire.names.real("appr_1")).expect("an id");
    world
        .engine
        .approvals()
        .decide(&id, ApprovalVerdict::Granted, "a test")
        .await
        .expect("pending");
    let answer = wire.answer(json!("wants")).await;
    assert!(text(&answer).starts_with("Task created"), "{answer:#}");
    let cancelled = wire.expect_notification("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], question["id"]);
    // An answer that comes all the same changes nothing.
    wire.send(json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "decline" } }))
        .await;
    let answer = wire.request(request("last", "ping", json!({}))).await;
    assert_eq!(answer["result"], json!({}));
}

#[tokio::test]
async fn a_client_that_cannot_ask_after_all_leaves_the_command_line() {
    let world = World::asking();
    let (mut wire, question) = asked(&world).await;
    let error = json!({ "code": -32601, "message": "what is elicitation?" });
    wire.send(json!({ "jsonrpc": "2.0", "id": question["id"], "error": error }))
        .await;
    let id = pending(&world).await;
    world
        .engine
        .approvals()
        .decide(&id, ApprovalVerdict::Granted, "a test")
        .await
        .expect("pending");
    let answer = wire.answer(json!("wants")).await;
    assert!(text(&answer).starts_with("Task created"), "{answer:#}");
}

#[tokio::test]
async fn a_waiting_call_reports_progress_to_those_who_want_it() {
    let world = World::asking();
    let mut wire = Wire::open(&world).await;
    let mut wants = call("wants", "create_task", json!({ "mode_slug": "code" }));
    wants["params"]["_meta"] = json!({ "progressToken": "t" });
    wire.send(wants).await;
    let progress = wire.expect_notification("notifications/progress").await;
    assert_eq!(
        progress["params"],
        json!({ "progressToken": "t", "progress": 0.0, "message": format!("waiting for approval appr_1: {SUBJECT}") })
    );
}

#[tokio::test]
async fn calls_that_wait_for_a_person_do_not_hold_others_up() {
    let world = World::asking();
    let mut wire = Wire::open(&world).await;
    for id in 0..300 {
        wire.send(call(id, "create_task", json!({ "mode_slug": "code" })))
            .await;
    }
    let answer = wire.request(call("other", "list_modes", json!({}))).await;
    assert!(text(&answer).starts_with("Available modes"), "{answer:#}");
    // Those for whom there is no room to wait are told at once, and by which id they can be approved.
    let refused = wire.next().await;
    assert!(
        text(&refused).contains("modekeeper approve appr_1"),
        "{refused:#}"
    );
}

#[tokio::test]
async fn waiting_ends_with_the_client() {
    let world = World::asking();
    let mut wire = Wire::open(&world).await;
    wire.send(call("wants", "create_task", json!({ "mode_slug": "code" })))
        .await;
    pending(&world).await;
    let rest = wire.rest().await;
    assert_eq!(rest[0]["result"]["isError"], true, "{rest:#?}");
}

fn modern_call(id: u32, tool: &str, arguments: impl Into<Value>) -> Value {
    let params = json!({ "name": tool, "arguments": arguments.into() });
    modern_with(id, "tools/call", params, forms())
}

/// The second call, which brings the answer to the question of the first.
fn second(arguments: Value, state: &str, answer: impl Into<Value>) -> Value {
    let mut again = modern_call(2, "create_task", arguments);
    again["params"]["requestState"] = json!(state);
    again["params"]["inputResponses"] = json!({ "approve": answer.into() });
    again
}

fn yes() -> Value {
    json!({ "action": "accept", "content": { "approve": true } })
}

#[tokio::test]
async fn without_a_connection_the_call_comes_back_with_the_answer() {
    let world = World::asking();
    let mut wire = Wire::connect(&world);
    let arguments = json!({ "mode_slug": "code", "initial_message": "Go" });
    let answer = wire
        .request(modern_call(1, "create_task", arguments.clone()))
        .await;
    assert_eq!(
        answer["result"],
        json!({
            "resultType": "input_required",
            "inputRequests": {
                "approve": {
                    "method": "elicitation/create",
                    "params": {
                        "mode": "form",
                        "message": format!("{SUBJECT} (appr_1)"),
                        "requestedSchema": {
                            "type": "object",
                            "properties": { "approve": { "type": "boolean" } },
                            "required": ["approve"],
                        },
                    },
                },
            },
            "requestState": "<state 1>",
        })
    );
    // In another order, it is the same call.
    let same = json!({ "initial_message": "Go", "mode_slug": "code" });
    let answer = wire.request(second(same, "<state 1>", yes())).await;
    assert!(text(&answer).starts_with("Task created"), "{answer:#}");
    // A state is used up with its approval: the same yes again is only a new question.
    let answer = wire.request(second(arguments, "<state 1>", yes())).await;
    assert_eq!(
        answer["result"]["resultType"], "input_required",
        "{answer:#}"
    );
}

#[tokio::test]
async fn without_a_connection_a_no_is_final() {
    for no in [
        json!({ "action": "decline" }),
        json!({ "action": "cancel" }),
        json!({ "action": "accept", "content": { "approve": false } }),
    ] {
        let world = World::asking();
        let mut wire = Wire::connect(&world);
        let arguments = json!({ "mode_slug": "code" });
        wire.request(modern_call(1, "create_task", arguments.clone()))
            .await;
        let answer = wire
            .request(second(arguments, "<state 1>", no.clone()))
            .await;
        assert_eq!(answer["result"]["isError"], true, "{no}: {answer:#}");
        assert_eq!(text(&answer), declined(), "{no}");
    }
}

#[tokio::test]
async fn a_call_that_brings_no_answer_is_asked_again() {
    let world = World::asking();
    let mut wire = Wire::connect(&world);
    let arguments = json!({ "mode_slug": "code" });
    wire.request(modern_call(1, "create_task", arguments.clone()))
        .await;
    let answer = wire
        .request(second(arguments, "<state 1>", json!({ "action": "what?" })))
        .await;
    assert_eq!(
        answer["result"]["resultType"], "input_required",
        "{answer:#}"
    );
    let message = &answer["result"]["inputRequests"]["approve"]["params"]["message"];
    assert_eq!(message, &format!("{SUBJECT} (appr_1)"));
}

#[tokio::test]
async fn a_state_is_good_for_its_own_call_only() {
    let world = World::asking();
    let mut wire = Wire::connect(&world);
    let arguments = json!({ "mode_slug": "code" });
    wire.request(modern_call(1, "create_task", arguments.clone()))
        .await;
    let refused = json!({ "code": -32602, "message": "invalid requestState: it belongs to another call, was modified, or has expired" });

    let other = json!({ "mode_slug": "debug" });
    let answer = wire.request(second(other, "<state 1>", yes())).await;
    assert_eq!(answer["error"], refused, "other arguments");

    let mut other_tool = second(arguments.clone(), "<state 1>", yes());
    other_tool["params"]["name"] = json!("switch_mode");
    assert_eq!(
        wire.request(other_tool).await["error"],
        refused,
        "another tool"
    );

    let sealed = wire.names.real("<state 1>");
    let mut changed = sealed.clone();
    let last = changed.pop().expect("a letter");
    changed.push(if last == 'A' { 'B' } else { 'A' });
    for state in [changed.as_str(), "", "rs1.x.y", "nonsense"] {
        let answer = wire.request(second(arguments.clone(), state, yes())).await;
        assert_eq!(answer["error"], refused, "{state}");
    }
    // None of these was an answer.
    let answer = wire.request(second(arguments, "<state 1>", yes())).await;
    assert!(text(&answer).starts_with("Task created"), "{answer:#}");
}

#[tokio::test]
async fn a_state_expires_and_does_not_outlive_its_server() {
    let world = World::asking();
    let mut wire = Wire::connect(&world);
    let arguments = json!({ "mode_slug": "code" });
    wire.request(modern_call(1, "create_task", arguments.clone()))
        .await;
    let id = pending(&world).await;
    let subject = ApprovalSubject {
        tool: "create_task",
        arguments: &arguments,
        answers: true,
    };
    let bound = subject.to_bytes();
    let seal = |world: &World, ttl: u64| {
        let options = SealOptions::new()
            .associated_data(&bound)
            .ttl(Duration::from_secs(ttl));
        let codec = world.server.request_state();
        codec.seal_with(id.as_str().as_bytes(), &options)
    };
    let refused = json!({ "code": -32602, "message": "invalid requestState: it belongs to another call, was modified, or has expired" });
    let expired = seal(&world, 0);
    while world
        .server
        .request_state()
        .open_with(&expired, &bound)
        .is_ok()
    {
        tokio::task::yield_now().await;
    }
    let answer = wire
        .request(second(arguments.clone(), &expired, yes()))
        .await;
    assert_eq!(answer["error"], refused);
    let foreign = seal(&World::asking(), 600);
    let answer = wire
        .request(second(arguments.clone(), &foreign, yes()))
        .await;
    assert_eq!(answer["error"], refused);
    let ours = seal(&world, 600);
    let answer = wire.request(second(arguments, &ours, yes())).await;
    assert!(text(&answer).starts_with("Task created"), "{answer:#}");
}

#[tokio::test]
async fn nothing_on_an_endpoint_may_do_more_than_its_mode() {
    let world = World::new("").bound_to("ask");
    let mut wire = Wire::open(&world).await;
    wire.call("create_task", json!({ "mode_slug": "code" }))
        .await;
    let edit = json!({ "session_id": "sess_1", "tool_name": "write_to_file", "file_path": "a.rs" });
    let answer = wire.call("validate_tool_use", edit.clone()).await;
    assert_eq!(answer["result"]["metadata"]["allowed"], false, "{answer:#}");
    let read = json!({ "session_id": "sess_1", "tool_name": "read_file", "file_path": "a.rs" });
    let answer = wire.call("validate_tool_use", read).await;
    assert_eq!(answer["result"]["metadata"]["allowed"], true, "{answer:#}");
    // The same task elsewhere is not bound.
    let elsewhere = World {
        bound: None,
        ..world
    };
    let session = wire.names.real("sess_1");
    let mut wire = Wire::open(&elsewhere).await;
    let edit = json!({ "session_id": session, "tool_name": "write_to_file", "file_path": "a.rs" });
    let answer = wire.call("validate_tool_use", edit).await;
    assert_eq!(answer["result"]["metadata"]["allowed"], true, "{answer:#}");
}
