//! What holds here: `modekeeper status`; and what was written down: `modekeeper memories`.

use serde_json::{Value, json};

use crate::support::http::{HttpClient, Server, lift};
use crate::support::sandbox::Sandbox;

#[test]
fn where_nothing_is_set_up_status_says_so() {
    let sandbox = Sandbox::new();
    let text = sandbox.ok(&["status"]);
    for expected in [
        "Mode     not held; set a mode with `modekeeper mode <slug>`\n",
        "Agents   none at work\n",
        "Tasks    none active\n",
        "Waiting  nothing waits for approval\n",
        "Clients  none set up; run `modekeeper init`\n",
        "Servers  none running\n",
    ] {
        assert!(text.contains(expected), "{text}");
    }
    let status = sandbox.json(&["status", "--json"]);
    for key in ["conversations", "tasks", "approvals", "clients", "servers"] {
        assert_eq!(status[key], json!([]), "{status:#}");
    }
    assert_eq!(status["mode"], Value::Null);
}

#[test]
fn status_shows_mode_tasks_requests_clients_and_servers() {
    let sandbox = Sandbox::new();
    sandbox.ok(&["mode", "ask"]);
    sandbox.ok(&["install", "claude-code", "--yes"]);
    let server = Server::start(&sandbox, &["--switching", "ask_to_widen"]);
    let mut agent = HttpClient::start(server.address, "/mcp");
    let task = json!({ "mode_slug": "ask", "initial_message": "Explain the build" });
    let made = lift(agent.call("create_task", &task));
    let session = &made["result"]["metadata"]["session_id"];
    let switch = json!({ "session_id": session, "new_mode_slug": "code" });
    let waits = std::thread::spawn(move || agent.call("switch_mode", &switch));
    let status = crate::support::wait_within(crate::support::PATIENCE, "a request", || {
        let status = sandbox.json(&["status", "--json"]);
        (status["approvals"] != json!([])).then_some(status)
    });
    assert_eq!(status["mode"], "ask", "{status:#}");
    assert_eq!(
        status["tasks"][0]["title"], "Explain the build",
        "{status:#}"
    );
    assert_eq!(status["clients"][0]["client"], "claude-code", "{status:#}");
    let url = format!("http://{}", server.address);
    assert_eq!(status["servers"][0]["url"], json!(url), "{status:#}");
    let text = sandbox.ok(&["status"]);
    for expected in ["ask", "Explain the build", "Claude Code", &url, "appr_"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let request = status["approvals"][0]["id"].as_str().unwrap();
    sandbox.ok(&["approve", request, "--deny"]);
    waits.join().unwrap();
    std::fs::remove_file(sandbox.home().join(".claude/settings.json")).unwrap();
    let status = sandbox.json(&["status", "--json"]);
    assert_eq!(status["clients"][0]["ok"], false, "{status:#}");
}

#[test]
fn memories_and_the_playbook_are_shown() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.ok(&["memories", "list"]), "no memories\n");
    let server = Server::start(&sandbox, &[]);
    let mut agent = HttpClient::start(server.address, "/mcp");
    let memory = json!({ "name": "architecture", "content": "Two layers." });
    agent.call("write_memory", &memory);
    assert!(
        sandbox
            .ok(&["memories", "list"])
            .starts_with("architecture")
    );
    assert_eq!(
        sandbox.ok(&["memories", "show", "architecture"]),
        "Two layers.\n"
    );
    let refused = sandbox.run(&["memories", "show", "nothing"]);
    assert!(!refused.status.success(), "{refused:?}");
    let listed = sandbox.json(&["playbook", "list", "--json"]);
    let path = |it: &Value| it["path"].as_str().unwrap().to_owned();
    let paths: Vec<String> = listed.as_array().unwrap().iter().map(path).collect();
    let skill = paths.iter().find(|it| it.starts_with("skills/")).unwrap();
    let whole = sandbox.ok(&["playbook", "show", skill]);
    let name = skill.split('/').nth(1).unwrap();
    let name = name.split('.').next().unwrap();
    assert_eq!(sandbox.ok(&["playbook", "show", name]), whole);
    let refused = sandbox.run(&["playbook", "show", "nothing-of-the-kind"]);
    assert!(refused.stderr.contains("playbook list"), "{refused:?}");
}

#[test]
fn a_pause_where_no_mode_is_set_does_not_say_that_anything_is_enforced() {
    let sandbox = Sandbox::new();
    for arguments in [["pause", "10m"], ["pause", "--end"]] {
        let said = sandbox.ok(&arguments);
        assert!(said.contains("nothing is enforced"), "{said}");
    }
    sandbox.ok(&["mode", "ask"]);
    let said = sandbox.ok(&["pause", "--end"]);
    assert!(said.ends_with("enforcement is on\n"), "{said}");
}
