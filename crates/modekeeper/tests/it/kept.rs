//! What was acknowledged is kept: the database goes, tasks expire, edits are cut off.

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::sandbox::Sandbox;
use crate::support::stdio::Client;
use crate::support::wait_for;

#[test]
fn tasks_written_after_the_database_was_removed_are_there_after_a_restart() {
    for also_the_directory in [false, true] {
        let sandbox = Sandbox::new();
        let mut client = Client::start(&sandbox);
        let before = client.create("ask");
        if also_the_directory {
            fs::remove_dir_all(sandbox.state()).unwrap();
        } else {
            fs::remove_file(sandbox.database()).unwrap();
        }
        let after: Vec<String> = (0..20).map(|_| client.create("code")).collect();
        let (_, status, _) = client.end();
        assert!(status.success(), "{status}");
        for session in [before].iter().chain(&after) {
            let shown = sandbox.json(&["tasks", "show", session, "--json"]);
            assert_eq!(shown["session_id"], session.as_str());
        }
    }
}

#[test]
fn an_expired_task_is_still_there_to_read() {
    let sandbox = Sandbox::new();
    let settings = json!({ "sessions": { "timeout": 1, "cleanup_interval": 1 } });
    sandbox.write(sandbox.config_file(), settings.to_string());
    let mut client = Client::start(&sandbox);
    let task = json!({ "mode_slug": "ask", "initial_message": "Explain it\nall" });
    let session = client.call("create_task", &task)["result"]["metadata"]["session_id"].clone();
    let session = session.as_str().unwrap();
    let listed = || -> Value {
        let tasks = sandbox.json(&["tasks", "list", "--json"]);
        tasks[0].clone()
    };
    wait_for("the task to expire", || {
        (listed()["expired"] == true).then_some(())
    });
    let info = client.call("get_task_info", &json!({ "session_id": session }));
    assert_eq!(info["error"]["code"], -32003, "{info:#}");
    assert_eq!(listed()["title"], "Explain it");
    let shown = sandbox.json(&["tasks", "show", session, "--json"]);
    assert_eq!(shown["messages"][0]["content"], "Explain it\nall");
    assert_eq!(shown["expired"], true);
    let text = sandbox.ok(&["tasks", "list"]);
    assert!(
        text.contains("expired") && text.contains("Explain it"),
        "{text}"
    );
}

#[test]
fn a_list_of_tasks_is_a_tree_and_says_when_it_is_cut() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox);
    let parent = client.create("orchestrator");
    let child = json!({ "mode_slug": "code", "parent_session_id": parent });
    client.call("create_task", &child);
    client.create("ask");
    let all = sandbox.ok(&["tasks", "list"]);
    let lines: Vec<&str> = all.lines().collect();
    assert_eq!(lines.len(), 3, "{all}");
    assert!(
        lines[0].contains("ask") && lines[1].contains("orchestrator"),
        "{all}"
    );
    assert!(
        lines[2].starts_with("  sess_") && lines[2].contains("code"),
        "{all}"
    );
    let cut = sandbox.ok(&["tasks", "list", "--limit", "1"]);
    assert!(cut.contains("--limit"), "{cut}");
}

#[test]
fn a_message_can_be_added_to_a_task() {
    let sandbox = Sandbox::new();
    let session = Client::start(&sandbox).create("code");
    let add = [
        "tasks",
        "message",
        &session,
        "Done so far",
        "--role",
        "assistant",
    ];
    sandbox.ok(&add);
    let shown = sandbox.json(&["tasks", "show", &session, "--json"]);
    assert_eq!(shown["messages"][0]["role"], "assistant");
    assert_eq!(shown["messages"][0]["content"], "Done so far");
}

#[test]
fn a_database_is_checked_copied_and_recovered() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox);
    let sessions: Vec<String> = (0..200).map(|_| client.create("code")).collect();
    let (_, status, _) = client.end();
    assert!(status.success(), "{status}");
    let ran = sandbox.run(&["store", "check"]);
    assert_eq!(ran.status.code(), Some(0), "{ran:#?}");
    let copy = sandbox.root().join("copy.db");
    sandbox.ok(&["store", "backup", copy.to_str().unwrap()]);
    assert!(copy.exists());
    let again = sandbox.run(&["store", "backup", copy.to_str().unwrap()]);
    assert_eq!(again.status.code(), Some(1), "{again:#?}");

    // Some pages in the middle are nonsense.
    let mut bytes = fs::read(sandbox.database()).unwrap();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 8192].fill(0x5a);
    crate::support::sandbox::overwrite(&sandbox.database(), &bytes);
    let ran = sandbox.run(&["store", "check"]);
    assert_eq!(ran.status.code(), Some(1), "{ran:#?}");
    sandbox.ok(&["store", "recover", "--force"]);
    let ran = sandbox.run(&["store", "check"]);
    assert_eq!(ran.status.code(), Some(0), "{ran:#?}");
    let tasks = sandbox.json(&["tasks", "list", "--json", "--limit", "1000"]);
    let n_saved = tasks.as_array().unwrap().len();
    eprintln!("{n_saved} of {} tasks saved", sessions.len());
    assert!(n_saved > 0);
    let kept = fs::read(sandbox.state().join("modekeeper.db.damaged-1")).unwrap();
    assert_eq!(kept, bytes);
}

#[test]
fn without_a_home_it_says_where_tasks_are_kept() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["tasks", "list"]);
    for name in [
        "HOME",
        "XDG_STATE_HOME",
        "XDG_CONFIG_HOME",
        "MODEKEEPER_STATE_DIR",
    ] {
        command.env_remove(name);
    }
    let ran = crate::support::sandbox::run(&mut command);
    assert!(
        ran.stderr.contains("there is no home directory"),
        "{ran:#?}"
    );
}

#[test]
fn an_orderly_end_waits_for_an_edit_of_many_files() {
    let sandbox = Sandbox::new();
    const FILES: usize = 150;
    for number in 0..FILES {
        sandbox.write(format!("d{}/f{number}.txt", number % 7), "version 0\n");
    }
    for version in 1..6 {
        let mut client = Client::start(&sandbox);
        let find = format!("version {}", version - 1);
        let replace = json!({ "find": find, "replace": format!("version {version}") });
        client.post(
            "tools/call",
            &Client::call_params("replace_in_files", &replace),
        );
        // Once the change is decided it takes place as a whole, whatever happens to the server.
        wait_for("the change to begin", || {
            let now = fs::read_to_string(sandbox.project().join("d0/f0.txt")).unwrap();
            now.contains(&version.to_string()).then_some(())
        });
        client.signal(Signal::TERM);
        client.wait();
        client = Client::start(&sandbox);
        let write = json!({ "file_path": "other.txt", "content": version.to_string() });
        let answer = client.call("write_file", &write);
        assert!(answer["result"]["isError"] != true, "{answer:#}");
        for number in 0..FILES {
            let path = sandbox
                .project()
                .join(format!("d{}/f{number}.txt", number % 7));
            let text = fs::read_to_string(&path).unwrap();
            assert_eq!(text, format!("version {version}\n"), "{}", path.display());
        }
    }
}

#[test]
fn a_replacement_that_would_fill_the_memory_is_refused() {
    let sandbox = Sandbox::with("a.txt", "x".repeat(300_000));
    let mut client = Client::start(&sandbox);
    client.call("read_file", &json!({ "file_path": "a.txt" }));
    let replace = json!({ "find": "x", "replace": "y".repeat(10_000) });
    let answer = client.call("replace_in_files", &replace);
    assert!(
        answer["result"]["isError"] == true || answer.get("error").is_some(),
        "{answer:#}"
    );
    assert!(client.request("ping", &json!({}))["result"].is_object());
    assert_eq!(
        fs::metadata(sandbox.project().join("a.txt")).unwrap().len(),
        300_000
    );
}
