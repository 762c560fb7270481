//! What clients hear when mode files are saved or a task changes its mode.

use mk_engine::{Actor, Caller, Outcome};
use serde_json::{Value, json};

use super::World;
use super::wire::{Wire, modern, request, text};

const LISTS: [&str; 3] = [
    "notifications/resources/list_changed",
    "notifications/tools/list_changed",
    "notifications/prompts/list_changed",
];

fn mode(slug: &str) -> String {
    format!(
        "customModes:\n  - slug: {slug}\n    name: Name of {slug}\n    roleDefinition: You are {slug}.\n    groups: [read]\n"
    )
}

async fn slugs(wire: &mut Wire) -> String {
    let answer = wire
        .call("list_modes", json!({ "source": "project" }))
        .await;
    text(&answer).to_owned()
}

/// A connection whose client is told of changes from now on.
async fn listening(world: &World) -> Wire {
    let mut wire = Wire::open(world).await;
    // The notification is handled before the answer to this.
    wire.request(request("ready", "ping", json!({}))).await;
    wire
}

#[tokio::test]
async fn saving_a_mode_file_changes_all_lists() {
    let world = World::watching("");
    let mut wire = listening(&world).await;
    world.files.save(".roomodes", mode("first"));
    for list in LISTS {
        let heard = wire.expect_notification(list).await;
        assert_eq!(heard, json!({ "jsonrpc": "2.0", "method": list }));
    }
    assert!(slugs(&mut wire).await.contains("first (Name of first)"));
    world.files.save(".roomodes", mode("second"));
    for list in LISTS {
        wire.expect_notification(list).await;
    }
    assert!(slugs(&mut wire).await.contains("second (Name of second)"));
}

#[tokio::test]
async fn every_connection_is_told_once_however_often_it_said_initialized() {
    let world = World::watching("");
    let mut wires = [listening(&world).await, listening(&world).await];
    for wire in &mut wires {
        for _ in 0..100 {
            wire.notify("notifications/initialized", json!({})).await;
        }
        wire.request(request("ready", "ping", json!({}))).await;
    }
    world.files.save(".roomodes", mode("first"));
    for wire in &mut wires {
        let mut heard = Vec::new();
        for _ in LISTS {
            heard.push(wire.next().await["method"].clone());
        }
        assert_eq!(heard, LISTS.map(Value::from));
        // Nothing more is on its way.
        wire.send(request("last", "ping", json!({}))).await;
        assert_eq!(wire.next().await["id"], "last");
    }
}

#[tokio::test]
async fn a_file_that_does_not_load_is_in_the_log_of_those_who_want_it() {
    let world = World::watching("");
    let mut wire = listening(&world).await;
    let level = json!({ "level": "info" });
    wire.request(request(1, "logging/setLevel", level)).await;
    world
        .files
        .save(".roomodes", "customModes:\n  - slug: no good\n");
    let heard = wire.expect_notification("notifications/message").await;
    assert_eq!(heard["params"]["level"], "warning");
    assert_eq!(heard["params"]["logger"], "modes");
    let data = heard["params"]["data"].as_str().expect("a text");
    assert!(data.contains(".roomodes"), "{data}");
}

#[tokio::test]
async fn a_change_of_the_mode_in_force_changes_the_list_of_tools() {
    let world = World::new("");
    let mut wire = listening(&world).await;
    let tools = "notifications/tools/list_changed";
    // From the default to the task's.
    wire.call("create_task", json!({ "mode_slug": "ask" }))
        .await;
    wire.expect_notification(tools).await;
    let switch = |to: &str| json!({ "session_id": "current", "new_mode_slug": to });
    wire.call("switch_mode", switch("debug")).await;
    wire.expect_notification(tools).await;
    // And back to the default, which nothing stands in the way of.
    let end = json!({ "session_id": "current", "status": "completed" });
    wire.call("complete_task", end).await;
    wire.expect_notification(tools).await;
    // In the same mode as before: nothing to tell.
    wire.call("create_task", json!({ "mode_slug": "code" }))
        .await;
    wire.call("switch_mode", switch("code")).await;
    wire.send(request("last", "ping", json!({}))).await;
    assert_eq!(wire.next().await["id"], "last");
}

#[tokio::test]
async fn a_switch_from_elsewhere_is_heard_by_the_connection_it_concerns() {
    let world = World::new("");
    let mut concerned = listening(&world).await;
    let mut other = listening(&world).await;
    concerned
        .call("create_task", json!({ "mode_slug": "code" }))
        .await;
    other
        .call("create_task", json!({ "mode_slug": "code" }))
        .await;
    let operator = Caller::in_project(world.server.start().folder().clone(), Actor::Operator);
    let session = concerned.names.real("sess_1");
    let switched = world
        .engine
        .tasks()
        .switch_mode(&operator, &session, "ask", None)
        .await;
    assert!(matches!(switched, Ok(Outcome::Done(_))), "{switched:?}");
    concerned
        .expect_notification("notifications/tools/list_changed")
        .await;
    other.send(request("last", "ping", json!({}))).await;
    assert_eq!(other.next().await["id"], "last");
}

#[tokio::test]
async fn a_subscription_is_acknowledged_and_its_notifications_are_tagged() {
    let world = World::watching("");
    let mut wire = Wire::connect(&world);
    let wanted =
        json!({ "notifications": { "toolsListChanged": true, "promptsListChanged": true } });
    wire.send(modern("sub-1", "subscriptions/listen", wanted))
        .await;
    let tag = json!({ "io.modelcontextprotocol/subscriptionId": "sub-1" });
    assert_eq!(
        wire.next().await,
        json!({
            "jsonrpc": "2.0",
            "method": "notifications/subscriptions/acknowledged",
            "params": {
                "_meta": tag,
                "notifications": { "toolsListChanged": true, "promptsListChanged": true },
            },
        })
    );
    // The subscription is in place when the next request is answered.
    wire.request(modern(2, "tools/list", json!({}))).await;
    world.files.save(".roomodes", mode("first"));
    for method in [
        "notifications/tools/list_changed",
        "notifications/prompts/list_changed",
    ] {
        let heard = wire.next().await;
        assert_eq!(
            heard,
            json!({ "jsonrpc": "2.0", "method": method, "params": { "_meta": tag } })
        );
    }
    // Resources were not asked for; and a switch is nothing that this era hears of.
    let create = json!({ "name": "create_task", "arguments": { "mode_slug": "ask" } });
    wire.request(modern(3, "tools/call", create)).await;
    let switch = json!({ "name": "switch_mode", "arguments": { "session_id": "sess_1", "new_mode_slug": "code" } });
    wire.request(modern(4, "tools/call", switch)).await;
    let cancel = json!({ "requestId": "sub-1" });
    wire.notify("notifications/cancelled", cancel).await;
    wire.send(modern("last", "tools/list", json!({}))).await;
    assert_eq!(wire.next().await["id"], "last");
}

#[tokio::test]
async fn a_subscription_ends_with_a_result_when_the_server_does() {
    let world = World::new("");
    let mut wire = Wire::connect(&world);
    let wanted = json!({ "notifications": { "resourcesListChanged": true } });
    wire.send(modern("sub-1", "subscriptions/listen", wanted))
        .await;
    wire.next().await;
    world.server.closing().cancel();
    let answer = wire.answer(json!("sub-1")).await;
    assert_eq!(answer["result"]["resultType"], "complete", "{answer:#}");
}

#[tokio::test]
async fn subscriptions_have_a_bound_and_leave_the_connection_usable() {
    let world = World::new("");
    let mut wire = Wire::connect(&world);
    let wanted = json!({ "notifications": { "toolsListChanged": true } });
    for number in 0..100 {
        wire.send(modern(number, "subscriptions/listen", wanted.clone()))
            .await;
    }
    let mut refused = 0;
    while refused < 36 {
        let message = wire.next().await;
        refused += usize::from(message["error"]["code"] == -32603);
    }
    let answer = wire.request(modern("last", "tools/list", json!({}))).await;
    assert!(answer.get("result").is_some(), "{answer:#}");
    // Each of the others is acknowledged, and open.
    world.server.closing().cancel();
    for number in 0..64 {
        wire.answer(json!(number)).await;
    }
}

#[tokio::test]
async fn a_connection_that_ends_is_forgotten() {
    let world = World::new("");
    let mut wire = listening(&world).await;
    assert_eq!(world.server.connections(), 1);
    wire.rest().await;
    (&mut wire.serving).await.expect("no panic");
    assert_eq!(world.server.connections(), 0);
}
