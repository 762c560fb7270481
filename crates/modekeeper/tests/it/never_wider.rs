//! Nothing widens by ending, by waiting, by delegating, or by what a project says about itself; and what a person
//! agrees to is one plan.

use serde_json::{Value, json};

use crate::approval::pending;
use crate::support::http::{Request, Server};
use crate::support::sandbox::{Sandbox, run};
use crate::support::stdio::Client;

const ASKING: &[&str] = &["--switching", "ask_to_widen"];
/// `ask` with every right, as a cloned repository would like it.
const WIDE_ASK: &str = "customModes:\n  - slug: ask\n    name: Ask\n    roleDefinition: Anything.\n    groups: [read, edit, command]\n";

fn write(client: &mut Client) -> Value {
    let arguments = json!({ "file_path": "src/main.py", "content": "x = 1\n" });
    client.call("write_file", &arguments)
}

#[track_caller]
fn denied(sandbox: &Sandbox, answer: &Value) {
    assert_eq!(answer["result"]["isError"], true, "{answer:#}");
    assert_eq!(
        answer["result"]["error_code"], "PERMISSION_DENIED",
        "{answer:#}"
    );
    assert!(!sandbox.project().join("src/main.py").exists());
}

#[test]
fn a_project_does_not_choose_its_own_ceiling() {
    let sandbox = Sandbox::with(".roomodes", WIDE_ASK);
    let mut client = Client::start_with(&sandbox, &["--mode", "ask"]);
    let answer = write(&mut client);
    denied(&sandbox, &answer);
    let answer = client.call("create_task", &json!({ "mode_slug": "code" }));
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("capped at 'ask'"), "{text}");
    let answer = write(&mut client);
    denied(&sandbox, &answer);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("capped at 'ask'"), "{text}");
    assert!(!text.contains("switch to a mode"), "{text}");
}

#[test]
fn a_capped_endpoint_shows_what_is_left_of_a_mode() {
    let sandbox = Sandbox::new();
    let mut client = Client::start_with(&sandbox, &["--mode", "ask"]);
    let session = client.create("code");
    let check =
        json!({ "session_id": session, "tool_name": "write_file", "file_path": "src/main.py" });
    for (tool, arguments) in [
        ("get_mode_info", json!({ "mode_slug": "code" })),
        ("get_task_info", json!({ "session_id": session })),
        ("validate_tool_use", check),
    ] {
        let answer = client.call(tool, &arguments);
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("capped at 'ask'"), "{tool}: {text}");
        assert!(!text.contains("✓ edit"), "{tool}: {text}");
        assert!(
            !answer.to_string().contains("switch to a mode"),
            "{answer:#}"
        );
    }
    // In the ceiling's own mode, switching does not help either.
    client.create("ask");
    let answer = write(&mut client);
    denied(&sandbox, &answer);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("capped at 'ask'"), "{text}");
    assert!(!text.contains("switch to a mode"), "{text}");
}

#[test]
fn a_ceiling_holds_on_every_route_of_its_server() {
    let sandbox = Sandbox::with(".roomodes", WIDE_ASK);
    let server = Server::start(&sandbox, &["--mode", "ask"]);
    let call = json!({
        "name": "write_file",
        "arguments": { "file_path": "src/main.py", "content": "x = 1\n" },
    });
    let request = Request {
        method: "POST",
        path: "/tools/call",
        headers: vec![("Content-Type", "application/json".to_owned())],
        body: call.to_string(),
    };
    let answer: Value = serde_json::from_str(&server.send(&request).text()).unwrap();
    assert_eq!(answer["error_code"], "PERMISSION_DENIED", "{answer:#}");
    assert!(!sandbox.project().join("src/main.py").exists());
}

#[test]
fn the_end_of_a_task_does_not_widen() {
    let sandbox = Sandbox::new();
    let mut client = Client::start_with(&sandbox, ASKING);
    let session = client.create("ask");
    let done = json!({ "session_id": session, "status": "completed" });
    assert!(client.call("complete_task", &done)["result"].is_object());
    let answer = write(&mut client);
    denied(&sandbox, &answer);
}

#[test]
fn a_task_that_has_ended_lets_nothing_happen_any_more() {
    let sandbox = Sandbox::new();
    let mut client = Client::start_with(&sandbox, ASKING);
    let ended = client.create("code");
    let done = json!({ "session_id": ended, "status": "completed" });
    assert!(client.call("complete_task", &done)["result"].is_object());
    client.create("ask");
    let arguments = json!({ "session_id": ended, "file_path": "a.txt", "content": "a" });
    let answer = client.call("write_file", &arguments);
    assert_eq!(answer["result"]["isError"], true, "{answer:#}");
    assert!(!sandbox.project().join("a.txt").exists());
}

#[test]
fn a_task_of_another_conversation_only_narrows() {
    let sandbox = Sandbox::new();
    let settings = r#"{ "default_mode": "ask", "approval_timeout": 1 }"#;
    sandbox.write(sandbox.config_file(), settings);
    let wide = Client::start(&sandbox).create("code");
    let mut client = Client::start_with(&sandbox, ASKING);
    let arguments = json!({ "session_id": wide, "file_path": "a.txt", "content": "a" });
    let answer = client.call("write_file", &arguments);
    assert!(answer["error"].is_object(), "{answer:#}");
    let child = json!({ "mode_slug": "code", "parent_session_id": wide });
    let answer = client.call("create_task", &child);
    assert!(answer["result"]["metadata"].is_null(), "{answer:#}");
    denied(&sandbox, &write(&mut client));
    assert!(!sandbox.project().join("a.txt").exists());
}

#[test]
fn the_end_of_a_child_brings_back_its_parents_mode() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox);
    let parent = client.create("orchestrator");
    let child = json!({ "mode_slug": "code", "parent_session_id": parent });
    assert!(client.call("create_task", &child)["result"].is_object());
    let done = json!({ "session_id": "current", "status": "completed" });
    assert!(client.call("complete_task", &done)["result"].is_object());
    let answer = write(&mut client);
    denied(&sandbox, &answer);
}

#[test]
fn a_task_without_a_parent_is_a_switch_too() {
    let modes = "customModes:\n  - slug: cell\n    name: Cell\n    roleDefinition: Stays.\n    groups: [read]\n    switchTo: []\n";
    let sandbox = Sandbox::with(".roomodes", modes);
    let mut client = Client::start(&sandbox);
    client.create("cell");
    let answer = client.call("create_task", &json!({ "mode_slug": "code" }));
    assert_eq!(answer["result"]["isError"], true, "{answer:#}");
    let answer = write(&mut client);
    denied(&sandbox, &answer);
}

#[test]
fn a_denial_says_mode_file_rule_and_next_step_in_its_message() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox);
    let session = client.create("architect");
    let arguments =
        json!({ "file_path": "src/main.py", "content": "x = 1\n", "session_id": session });
    let answer = client.call("write_file", &arguments);
    let message = answer["error"]["message"].as_str().unwrap();
    for part in [
        "'architect' mode",
        "'src/main.py'",
        "file-pattern",
        "Hint: ",
    ] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn approving_is_for_a_person_at_a_terminal() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox);
    let arguments = json!({ "file_path": "AGENTS.md", "content": "one\u{202e}\u{1b}[2J\n" });
    let call = client.post("tools/call", &Client::call_params("write_file", &arguments));
    let id = pending(&sandbox);
    let refused = run(&mut sandbox.command(&["approve", &id]));
    assert!(!refused.status.success(), "{refused:#?}");
    assert!(refused.stderr.contains("terminal"), "{refused:#?}");
    let shown = sandbox.ok(&["approve"]);
    assert!(shown.contains("AGENTS.md"), "{shown}");
    assert!(shown.contains("\\u{202e}\\u{1b}[2J"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown}");
    sandbox.ok(&["approve", &id]);
    let answer = client.answer(call);
    assert_eq!(answer["result"]["isError"], false, "{answer:#}");
}

#[test]
fn an_approval_is_for_its_conversation_and_its_plan() {
    let sandbox = Sandbox::new();
    let mut first = Client::start(&sandbox);
    let mut second = Client::start(&sandbox);
    let arguments = json!({ "file_path": "AGENTS.md", "content": "one\n" });
    let params = Client::call_params("write_file", &arguments);
    first.post("tools/call", &params);
    let id = pending(&sandbox);
    // The same call of another conversation is another request.
    second.post("tools/call", &params);
    let other = crate::support::wait_for("a second request", || {
        let list = sandbox.json(&["approve", "--json"]);
        let list = list.as_array().unwrap().clone();
        let other = list.iter().find(|one| one["id"] != id.as_str())?;
        Some(other["id"].as_str().unwrap().to_owned())
    });
    // The file changes between the request and the answer: what was agreed to is no longer the plan.
    sandbox.write("AGENTS.md", "changed meanwhile\n");
    sandbox.ok(&["approve", &id]);
    let again = crate::support::wait_for("a request for the new plan", || {
        let list = sandbox.json(&["approve", "--json"]);
        let list = list.as_array().unwrap().clone();
        let new = |one: &&Value| one["id"] != id.as_str() && one["id"] != other.as_str();
        Some(list.iter().find(new)?["id"].as_str().unwrap().to_owned())
    });
    assert_ne!(again, id);
    let text = std::fs::read_to_string(sandbox.project().join("AGENTS.md")).unwrap();
    assert_eq!(text, "changed meanwhile\n");
}
