//! Mode files are live: a saved one within a second, a half-saved one not at all.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::http::{HttpClient, Server};
use crate::support::sandbox::{Sandbox, overwrite};
use crate::support::stdio::{Client, server};
use crate::support::{PATIENCE, wait_for};

/// A change that nothing notices is found out. How soon one is live depends on the machine.
const LIVE: Duration = PATIENCE;

fn modes(slugs: &[&str]) -> String {
    let mode = |slug: &&str| {
        format!("  - {{slug: {slug}, name: {slug}, roleDefinition: You {slug}., groups: [read]}}\n")
    };
    format!(
        "customModes:\n{}",
        slugs.iter().map(mode).collect::<String>()
    )
}

fn project_modes(client: &mut Client) -> Vec<String> {
    let answer = client.call("list_modes", &json!({ "source": "project" }));
    let modes = answer["result"]["structuredContent"]["modes"].as_array();
    let modes = modes.unwrap_or_else(|| panic!("{answer:#}"));
    modes
        .iter()
        .map(|mode| mode["slug"].as_str().unwrap().to_owned())
        .collect()
}

#[track_caller]
fn assert_live(client: &mut Client, saved: Instant, expected: &[&str]) {
    for method in [
        "notifications/resources/list_changed",
        "notifications/tools/list_changed",
        "notifications/prompts/list_changed",
    ] {
        client.notification(method);
    }
    let time = saved.elapsed();
    eprintln!("live after {time:?}");
    assert!(time < LIVE, "{time:?}");
    assert_eq!(project_modes(client), expected);
    client.aside.clear();
}

#[test]
fn a_saved_file_is_live_within_a_second() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox);
    assert_eq!(project_modes(&mut client), Vec::<String>::new());

    let saved = Instant::now();
    sandbox.write(".roomodes", modes(&["first"]));
    assert_live(&mut client, saved, &["first"]);

    // As careful editors save: beside it, then renamed.
    let saved = Instant::now();
    let beside = sandbox.project().join(".roomodes.tmp");
    overwrite(&beside, modes(&["first", "second"]).as_bytes());
    std::fs::rename(beside, sandbox.project().join(".roomodes")).unwrap();
    assert_live(&mut client, saved, &["first", "second"]);

    let saved = Instant::now();
    std::fs::remove_file(sandbox.project().join(".roomodes")).unwrap();
    assert_live(&mut client, saved, &[]);
}

#[test]
fn a_folder_that_appears_later_is_watched_too() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox);
    assert_eq!(project_modes(&mut client), Vec::<String>::new());
    let saved = Instant::now();
    sandbox.write(".bob/custom_modes.yaml", modes(&["late"]));
    assert_live(&mut client, saved, &["late"]);
    let saved = Instant::now();
    sandbox.write(".bob/custom_modes.yaml", modes(&["later"]));
    assert_live(&mut client, saved, &["later"]);
}

#[test]
fn a_half_saved_file_keeps_the_last_good_state() {
    let sandbox = Sandbox::with(".roomodes", modes(&["first"]));
    let mut client = Client::start(&sandbox);
    client.request("logging/setLevel", &json!({ "level": "warning" }));
    assert_eq!(project_modes(&mut client), ["first"]);

    for half in ["customModes:\n  - {slug: fir", ""] {
        sandbox.write(".roomodes", half);
        client.notification("notifications/resources/list_changed");
        assert_eq!(project_modes(&mut client), ["first"], "{half:?}");
    }
    let said = client.notification("notifications/message");
    assert_eq!(said["params"]["logger"], "modes", "{said:#}");

    sandbox.write(".roomodes", modes(&["second"]));
    wait_for("the whole file", || {
        (project_modes(&mut client) == ["second"]).then_some(())
    });
}

#[test]
fn a_mode_that_breaks_keeps_its_last_good_text() {
    let sandbox = Sandbox::with(".roomodes", modes(&["good", "bad"]));
    let mut client = Client::start(&sandbox);
    let session = client.create("bad");
    let text = modes(&["good"]) + "  - {slug: bad, name: Bad, groups: [read]}\n";
    sandbox.write(".roomodes", text);
    client.notification("notifications/resources/list_changed");
    assert_eq!(project_modes(&mut client), ["good", "bad"]);
    let check = json!({ "session_id": session, "tool_name": "read_file", "file_path": "a" });
    let answer = client.call("validate_tool_use", &check);
    let allowed = &answer["result"]["structuredContent"]["allowed"];
    assert_eq!(*allowed, json!(true), "{answer:#}");
}

#[test]
fn http_clients_are_told() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let mut client = HttpClient::start(server.address, "/mcp");
    let mut stream = client.listen();
    assert_eq!(stream.status, 200);
    // The answer shows that the handshake's listener has been started.
    client.call("list_modes", &json!({}));
    let saved = Instant::now();
    sandbox.write(".roomodes", modes(&["first"]));
    loop {
        let (_, data) = stream.event().unwrap();
        let message: Value = serde_json::from_str(&data).unwrap();
        if message["method"] == "notifications/tools/list_changed" {
            break;
        }
    }
    assert!(saved.elapsed() < LIVE, "{:?}", saved.elapsed());
}

#[test]
fn subscribers_of_the_stateless_revision_are_told() {
    let sandbox = Sandbox::new();
    let mut client = Client::open(&mut server(&sandbox, &[]));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "it", "version": "1" },
    });
    // Who has seen nothing yet has nothing to be told.
    client.request("resources/list", &json!({ "_meta": meta }));
    let filter = json!({ "toolsListChanged": true, "resourcesListChanged": true });
    client.post(
        "subscriptions/listen",
        &json!({ "notifications": filter, "_meta": meta }),
    );
    client.notification("notifications/subscriptions/acknowledged");
    sandbox.write(".roomodes", modes(&["first"]));
    let told = client.notification("notifications/resources/list_changed");
    let tag = &told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert!(!tag.is_null(), "{told:#}");
    client.notification("notifications/tools/list_changed");
    // Prompts were not asked for.
    client.request("tools/list", &json!({ "_meta": meta }));
    let prompts = "notifications/prompts/list_changed";
    assert!(
        client.aside.iter().all(|it| it["method"] != prompts),
        "{:#?}",
        client.aside
    );
}
