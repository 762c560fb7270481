//! `modekeeper tasks`

use serde_json::json;

use crate::support::sandbox::Sandbox;
use crate::support::stdio::Client;

/// A project with a parent task, and a child that was switched.
fn sandbox() -> (Sandbox, String, String) {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox);
    let parent = client.create("orchestrator");
    let task = json!({ "mode_slug": "architect", "initial_message": "Plan it", "parent_session_id": parent });
    let child = client.call("create_task", &task);
    let child = child["result"]["metadata"]["session_id"].as_str().unwrap();
    let switch = json!({ "session_id": child, "new_mode_slug": "code", "reason": "planned" });
    client.call("switch_mode", &switch);
    (sandbox, parent, child.to_owned())
}

#[test]
fn tasks_are_listed_shown_switched_and_completed() {
    let (sandbox, parent, child) = sandbox();
    insta::assert_snapshot!(
        "tasks_list",
        without_seconds(&sandbox.show(&["tasks", "list"]))
    );
    insta::assert_snapshot!(
        "tasks_list_json",
        without_seconds(&sandbox.show(&["tasks", "list", "--json"]))
    );
    insta::assert_snapshot!(
        "tasks_show",
        without_seconds(&sandbox.show(&["tasks", "show", &child]))
    );
    let shown = sandbox.json(&["tasks", "show", &parent, "--json"]);
    assert_eq!(shown["child_task_ids"].as_array().unwrap().len(), 1);

    let switch = ["tasks", "switch", &child, "debug", "--reason", "it broke"];
    insta::assert_snapshot!("tasks_switch", sandbox.show(&switch));
    let json = sandbox.json(&["tasks", "switch", &child, "ask", "--json"]);
    assert_eq!(
        json,
        json!({ "session_id": child, "old_mode": "debug", "new_mode": "ask" })
    );
    let complete = [
        "tasks", "complete", &child, "--status", "failed", "--result", "no time",
    ];
    insta::assert_snapshot!("tasks_complete", sandbox.show(&complete));
    let json = sandbox.json(&["tasks", "complete", &parent, "--json"]);
    assert_eq!(json["state"], "completed");

    let shown = sandbox.json(&["tasks", "show", &child, "--json"]);
    let history: Vec<_> = shown["mode_history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| (change["to"].as_str().unwrap(), change["reason"].as_str()))
        .collect();
    let expected = [
        ("architect", None),
        ("code", Some("planned")),
        ("debug", Some("it broke")),
        ("ask", None),
    ];
    assert_eq!(history, expected);
    assert_eq!(shown["result"], "no time");

    assert_eq!(
        sandbox.ok(&["tasks", "list", "--state", "active"]),
        "no tasks\n"
    );
    let failed = sandbox.json(&["tasks", "list", "--state", "failed", "--json"]);
    assert_eq!(failed.as_array().unwrap().len(), 1);
    insta::assert_snapshot!(
        "tasks_complete_twice",
        sandbox.show(&["tasks", "complete", &child])
    );
}

fn without_seconds(text: &str) -> String {
    let idle = |line: &str| {
        if line.starts_with("Idle ") {
            "Idle     [n]s".to_owned()
        } else if line.trim().starts_with("\"idle_seconds\": ") {
            "    \"idle_seconds\": [n],".to_owned()
        } else if let Some((before, after)) = line.split_once("  idle ") {
            let after = after.split_once("  ").unwrap_or_default().1;
            format!("{before}  idle [n]s  {after}")
        } else {
            line.to_owned()
        }
    };
    text.lines().map(idle).collect::<Vec<_>>().join("\n")
}

#[test]
fn tasks_belong_to_a_project() {
    let (sandbox, ..) = sandbox();
    let elsewhere = sandbox.root().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let root = elsewhere.display().to_string();
    let none = sandbox.ok(&["tasks", "list", "--project-root", &root]);
    assert_eq!(none, "no tasks\n");
    let all = [
        "tasks",
        "list",
        "--project-root",
        &root,
        "--all-projects",
        "--json",
    ];
    assert_eq!(sandbox.json(&all).as_array().unwrap().len(), 2);
    let one = ["tasks", "list", "--limit", "1", "--json"];
    assert_eq!(sandbox.json(&one).as_array().unwrap().len(), 1);
}

#[test]
fn what_is_not_there_is_an_error() {
    let sandbox = Sandbox::new();
    let unknown = "sess_aaaaaaaaaaaaaaaa";
    insta::assert_snapshot!(
        "tasks_show_unknown",
        sandbox.show(&["tasks", "show", unknown])
    );
    insta::assert_snapshot!(
        "tasks_show_no_id",
        sandbox.show(&["tasks", "show", "nonsense"])
    );
    let mut client = Client::start(&sandbox);
    let session = client.create("code");
    let switch = ["tasks", "switch", &session, "nobody"];
    insta::assert_snapshot!("tasks_switch_unknown", sandbox.show(&switch));
}
