//! Conversations over standard input and output.

use serde_json::json;

use crate::support::sandbox::Sandbox;
use crate::support::stdio::{Client, server};
use crate::support::workflow;

#[test]
fn the_contracts_workflow_over_pipes() {
    let sandbox = Sandbox::new();
    let client = Client::open(&mut server(&sandbox, &[]));
    workflow::check(&speak(&sandbox, client));
}

#[test]
fn the_contracts_workflow_over_sockets() {
    let sandbox = Sandbox::new();
    let client = Client::open_on_sockets(&mut server(&sandbox, &[]));
    workflow::check(&speak(&sandbox, client));
}

#[track_caller]
fn speak(sandbox: &Sandbox, mut client: Client) -> String {
    let transcript = workflow::speak(
        |method, params| client.request(method, params),
        &mut sandbox.rename(),
    );
    let (rest, status, _) = client.end();
    assert!(status.success(), "{status}");
    assert_eq!(rest, Vec::<serde_json::Value>::new());
    transcript
}

#[test]
fn a_task_survives_a_restart_in_the_middle() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox);
    let session = client.create("architect");
    let switch =
        json!({ "session_id": session, "new_mode_slug": "debug", "reason": "look closer" });
    client.call("switch_mode", &switch);
    client.end();

    let mut client = Client::start(&sandbox);
    let info = client.call(
        "get_task_info",
        &json!({ "session_id": session, "include_messages": true }),
    );
    let info = &info["result"]["structuredContent"];
    assert_eq!(info["mode_slug"], "debug", "{info:#}");
    assert_eq!(info["state"], "active");
    let check = json!({ "session_id": session, "tool_name": "execute_command" });
    let check = client.call("validate_tool_use", &check);
    assert_eq!(check["result"]["metadata"]["allowed"], true, "{check:#}");
    let done = json!({ "session_id": session, "status": "completed" });
    assert!(client.call("complete_task", &done)["result"].is_object());
}

#[test]
fn tasks_in_memory_end_with_their_server() {
    let sandbox = Sandbox::new();
    let mut client = Client::start_with(&sandbox, &["--in-memory"]);
    let session = client.create("code");
    client.end();
    assert!(!sandbox.state().exists());
    let mut client = Client::start(&sandbox);
    let answer = client.call("get_task_info", &json!({ "session_id": session }));
    assert_eq!(answer["error"]["code"], -32002, "{answer:#}");
}

#[test]
fn a_bound_server_allows_no_more_than_its_mode() {
    let sandbox = Sandbox::new();
    let mut client = Client::start_with(&sandbox, &["--mode", "ask"]);
    let session = client.create("code");
    let check = json!({ "session_id": session, "tool_name": "write_to_file", "file_path": "a.rs" });
    let check = client.call("validate_tool_use", &check);
    assert_eq!(check["result"]["metadata"]["allowed"], false, "{check:#}");
}

#[test]
fn stdout_carries_nothing_but_json_lines() {
    let sandbox = Sandbox::with(".roomodes", "customModes: [{slug: broken}]");
    let mut client = Client::start_with(&sandbox, &["--log-level", "DEBUG"]);
    let lines: [&[u8]; 9] = [
        b"no json",
        b"[]",
        b"17",
        b"{\"jsonrpc\":\"2.0\",\"id\":900}",
        b"{\"jsonrpc\":\"1.0\",\"id\":901,\"method\":\"ping\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":902,\"method\":\"no/such\"}",
        b"\xff\xfe",
        b"",
        b"{\"jsonrpc\":\"2.0\",\"id\":903,\"method\":\"ping\"}\r",
    ];
    for line in lines {
        client.send_line(line);
    }
    client.request("ping", &json!({}));
    // Every line was parsed on the way in; here only what they answer.
    let (answers, status, _) = client.end();
    assert!(status.success());
    let codes: Vec<String> = answers
        .iter()
        .map(|answer| format!("{} {}", answer["id"], answer["error"]["code"]))
        .collect();
    let mut sorted = codes.clone();
    sorted.sort();
    let expected = [
        "900 -32600",
        "901 -32600",
        "902 -32601",
        "903 null",
        "null -32600",
        "null -32600",
        "null -32700",
        "null -32700",
    ];
    assert_eq!(sorted, expected, "{answers:#?}");
}

#[test]
fn a_line_of_five_megabytes_is_refused_and_the_next_one_answered() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox);
    client.send_line(&vec![b'a'; 5 * 1024 * 1024]);
    let refusal = client.until("the refusal", |message| message["id"].is_null());
    assert_eq!(refusal["error"]["code"], -32600);
    assert!(client.request("ping", &json!({}))["result"].is_object());
}
