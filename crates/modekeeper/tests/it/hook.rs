//! `modekeeper hook` as clients start it: one valid answer, whatever happens.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::support::http::{Request, Server};
use crate::support::sandbox::{Ran, Sandbox, run};

/// Starts the hook with this input.
fn hook(sandbox: &Sandbox, client: &str, input: &[u8]) -> Ran {
    start(sandbox, &["hook", client], input)
}

fn start(sandbox: &Sandbox, arguments: &[&str], input: &[u8]) -> Ran {
    feed(sandbox.command(arguments), input)
}

fn feed(mut command: Command, input: &[u8]) -> Ran {
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    Ran {
        status: output.status,
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn edit(sandbox: &Sandbox) -> Vec<u8> {
    event(
        sandbox,
        "Edit",
        &json!({ "file_path": sandbox.project().join("src/main.rs") }),
    )
}

fn event(sandbox: &Sandbox, tool: &str, input: &Value) -> Vec<u8> {
    let event = json!({
        "hook_event_name": "PreToolUse", "session_id": "one", "cwd": sandbox.project(),
        "tool_name": tool, "tool_input": input,
    });
    event.to_string().into_bytes()
}

/// A project that the configuration holds in `ask`, with a store.
fn held() -> Sandbox {
    let sandbox = Sandbox::with("src/main.rs", "fn main() {}\n");
    sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
    sandbox.write(sandbox.config_file(), r#"{ "default_mode": "ask" }"#);
    sandbox.ok(&["tasks", "list"]);
    sandbox
}

#[track_caller]
fn check_denied(ran: &Ran, reason: &str) {
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:#?}"));
    let output = &answer["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "deny", "{ran:#?}");
    let text = output["permissionDecisionReason"].as_str().unwrap();
    assert!(text.contains(reason), "{text}");
}

#[test]
fn a_held_project_denies_and_lets_pass_in_silence() {
    let sandbox = held();
    let ran = hook(&sandbox, "claude", &edit(&sandbox));
    check_denied(&ran, "Tool 'Edit' cannot be used in 'ask' mode");
    let read = json!({ "file_path": sandbox.project().join("src/main.rs") });
    let ran = hook(&sandbox, "claude", &event(&sandbox, "Read", &read));
    assert_eq!((ran.stdout.as_str(), ran.status.code()), ("", Some(0)));
    let log = sandbox.ok(&["log"]);
    assert_eq!(log.lines().count(), 2, "{log}");
}

#[test]
fn a_mode_that_a_person_takes_back_holds_no_longer() {
    let sandbox = Sandbox::with("src/main.rs", "fn main() {}\n");
    sandbox.ok(&["mode", "ask"]);
    check_denied(&hook(&sandbox, "claude", &edit(&sandbox)), "in 'ask' mode");
    let alone = run(&mut sandbox.command(&["mode", "--unset"]));
    assert!(alone.stderr.contains("needs a terminal"), "{alone:#?}");
    let said = sandbox.ok(&["mode", "--unset"]);
    assert!(
        said.contains("`ask` is no longer set; agents are not held here now"),
        "{said}"
    );
    assert_eq!(hook(&sandbox, "claude", &edit(&sandbox)).stdout, "");
    let again = sandbox.run(&["mode", "--unset"]);
    assert!(again.stderr.contains("no mode is set"), "{again:#?}");
    // What the configuration says holds again.
    sandbox.ok(&["mode", "code"]);
    sandbox.write(sandbox.config_file(), r#"{ "default_mode": "ask" }"#);
    let passed = hook(&sandbox, "claude", &edit(&sandbox)).stdout;
    assert!(!passed.contains("deny"), "{passed}");
    let said = sandbox.ok(&["mode", "--unset"]);
    assert!(said.contains("`ask` is in force now"), "{said}");
    check_denied(&hook(&sandbox, "claude", &edit(&sandbox)), "in 'ask' mode");
}

#[test]
fn a_project_that_nobody_holds_is_left_alone() {
    let sandbox = Sandbox::with("src/main.rs", "fn main() {}\n");
    sandbox.ok(&["tasks", "list"]);
    let ran = hook(&sandbox, "claude", &edit(&sandbox));
    assert_eq!((ran.stdout.as_str(), ran.status.code()), ("", Some(0)));
}

#[test]
fn an_agent_started_above_a_project_is_held_in_it() {
    let sandbox = Sandbox::with("inner/src/main.rs", "fn main() {}\n");
    sandbox.write("inner/.git/HEAD", "ref: refs/heads/main\n");
    let inner = sandbox.project().join("inner");
    sandbox.ok(&["--project-root", inner.to_str().unwrap(), "mode", "ask"]);
    let edit = |name: &str| {
        let input = json!({ "file_path": sandbox.project().join(name) });
        hook(&sandbox, "claude", &event(&sandbox, "Edit", &input))
    };
    check_denied(&edit("inner/src/main.rs"), "'ask' mode");
    assert_eq!(edit("outer.rs").stdout, "");
    let line = json!({ "command": "touch inner/src/new.rs" });
    let ran = hook(&sandbox, "claude", &event(&sandbox, "Bash", &line));
    check_denied(&ran, "'ask' mode");
}

#[test]
fn what_an_agent_starts_is_held_on_a_server_of_ours_too() {
    let sandbox = Sandbox::with("src/main.rs", "fn main() {}\n");
    sandbox.ok(&["mode", "code"]);
    let server = Server::start(&sandbox, &[]);
    let call =
        json!({ "name": "write_file", "arguments": { "file_path": "new.rs", "content": "x" } });
    let write = || {
        let answer = server.send(&Request {
            method: "POST",
            path: "/tools/call",
            headers: vec![("Content-Type", "application/json".to_owned())],
            body: call.to_string(),
        });
        let answer: Value = serde_json::from_str(&answer.text()).unwrap();
        answer["isError"].clone()
    };
    // This test is the agent: it starts the hook, and then asks the server itself.
    let passed = hook(&sandbox, "claude", &edit(&sandbox)).stdout;
    assert!(!passed.contains("deny"), "{passed}");
    assert_eq!(write(), json!(false));
    let shown = sandbox.json(&["mode", "--json"]);
    let id = shown["conversations"][0]["id"].as_str().unwrap();
    sandbox.ok(&["mode", "ask", "--conversation", id]);
    assert_eq!(write(), json!(true));
}

#[test]
fn broken_input_is_denied_in_every_contract() {
    let sandbox = held();
    let clients = [
        "claude", "codex", "copilot", "gemini", "qwen", "opencode", "cline", "vscode", "cursor",
    ];
    for client in clients {
        // Copilot names no event: what has no tool is none about a tool.
        let nothing = match client {
            "copilot" => &br#"{ "toolName": 7 }"#[..],
            _ => b"{}",
        };
        for input in [&b""[..], b"{", b"[]", nothing, b"\xff\xfe"] {
            let ran = hook(&sandbox, client, input);
            let text = ran.stdout.trim();
            let answer: Value = serde_json::from_str(text)
                .unwrap_or_else(|_| panic!("{client}, {input:?}: {ran:#?}"));
            let text = answer.to_string();
            assert!(text.contains("Modekeeper"), "{client}, {input:?}: {ran:#?}");
        }
    }
}

#[test]
fn a_missing_store_denies_but_shows_what_every_mode_shows() {
    let sandbox = held();
    std::fs::remove_dir_all(sandbox.state()).unwrap();
    let ran = hook(&sandbox, "claude", &edit(&sandbox));
    check_denied(&ran, "modekeeper doctor");
    let read = json!({ "file_path": sandbox.project().join("src/main.rs") });
    let ran = hook(&sandbox, "claude", &event(&sandbox, "Read", &read));
    assert_eq!(ran.stdout, "");
    assert!(!sandbox.state().exists());
}

#[test]
fn a_store_that_is_made_again_has_the_modes_of_projects() {
    let sandbox = Sandbox::with("src/main.rs", "fn main() {}\n");
    sandbox.ok(&["mode", "ask"]);
    std::fs::remove_dir_all(sandbox.state()).unwrap();
    check_denied(&hook(&sandbox, "claude", &edit(&sandbox)), "is missing");
    // Whatever looks for it makes it.
    sandbox.ok(&["tasks", "list"]);
    let ran = hook(&sandbox, "claude", &edit(&sandbox));
    check_denied(&ran, "Tool 'Edit' cannot be used in 'ask' mode");
}

#[test]
fn without_a_home_there_is_no_store_and_no_pass() {
    let sandbox = held();
    let mut command = sandbox.command(&["hook", "claude"]);
    command.env_clear();
    let ran = feed(command, &edit(&sandbox));
    check_denied(&ran, "HOME is not set");
}

#[test]
fn an_emptied_store_denies() {
    let sandbox = held();
    for entry in std::fs::read_dir(sandbox.state()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            sandbox.write(path, "");
        }
    }
    let ran = hook(&sandbox, "claude", &edit(&sandbox));
    check_denied(&ran, "modekeeper doctor");
}

#[test]
fn a_deadline_ends_the_waiting_whatever_it_waits_for() {
    let sandbox = held();
    let mut command = sandbox.command(&["hook", "claude"]);
    command.env("MODEKEEPER_HOOK_DEADLINE", "300");
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    // The client goes on writing: only the deadline can end this.
    let input = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(input);
    let ran = Ran {
        status: output.status,
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    };
    check_denied(&ran, "it did not decide in time");
}

#[test]
fn a_locked_store_denies_in_time() {
    let sandbox = held();
    let connection = rusqlite::Connection::open(sandbox.database()).unwrap();
    connection.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let begun = Instant::now();
    let ran = hook(&sandbox, "claude", &edit(&sandbox));
    assert!(begun.elapsed() < crate::support::PATIENCE);
    check_denied(&ran, "Modekeeper cannot decide about this call");
}

#[test]
fn a_store_that_is_something_else_denies() {
    let sandbox = held();
    sandbox.write(
        sandbox.database(),
        "not a database at all, but long enough to be looked at",
    );
    // With the log of what was there before, SQLite would put that back.
    std::fs::remove_file(sandbox.database().with_extension("db-wal")).unwrap();
    let ran = hook(&sandbox, "claude", &edit(&sandbox));
    check_denied(&ran, "Modekeeper cannot decide about this call");
}

#[test]
fn a_broken_configuration_denies() {
    let sandbox = held();
    sandbox.write(sandbox.config_file(), "{");
    let ran = hook(&sandbox, "claude", &edit(&sandbox));
    check_denied(&ran, "the configuration cannot be used");
}

#[test]
fn an_unknown_client_blocks() {
    let ran = hook(&held(), "nobody", b"{}");
    assert_eq!(ran.status.code(), Some(2));
    assert!(ran.stderr.contains("unknown client `nobody`"), "{ran:#?}");
}

/// As Copilot CLI and VS Code run the entry in Claude Code's settings: without its arguments.
#[test]
fn an_event_without_arguments_is_answered_for_the_product_that_sends_it() {
    let sandbox = held();
    let event = |tool: &str, input: Value, more: Value| {
        let mut event = json!({
            "hook_event_name": "PreToolUse", "session_id": "one", "timestamp": "2026-11-17T23:08:45.429Z",
            "cwd": sandbox.project(), "tool_name": tool, "tool_input": input,
        });
        event
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        start(&sandbox, &[], event.to_string().as_bytes())
    };
    let file = sandbox.project().join("src/main.rs");
    let copilot = event(
        "Write",
        json!({ "path": file, "file_text": "x" }),
        json!({}),
    );
    check_denied(&copilot, "Tool 'Write' cannot be used in 'ask' mode");
    let copilot = event("Read", json!({ "path": file }), json!({}));
    assert_eq!(
        (copilot.stdout.trim(), copilot.status.code()),
        ("{}", Some(0))
    );
    let id = json!({ "tool_use_id": "call-1" });
    let vscode = event("create_file", json!({ "filePath": file }), id.clone());
    check_denied(&vscode, "Tool 'create_file' cannot be used in 'ask' mode");
    let vscode = event("read_file", json!({ "filePath": file }), id);
    assert_eq!(
        (vscode.stdout.as_str(), vscode.status.code()),
        ("", Some(0))
    );
    let log = sandbox.ok(&["log"]);
    assert_eq!(log.lines().count(), 4, "{log}");
    // What is no event gets the help, as ever.
    let help = start(&sandbox, &[], b"hello");
    assert_eq!(help.status.code(), Some(2));
    assert!(help.stderr.contains("Usage:"), "{help:?}");
}

/// A linked worktree beside the project, as `git worktree add ../side` makes it, and a forged one.
#[test]
fn a_worktree_of_a_held_repository_is_held() {
    let sandbox = Sandbox::with("src/main.rs", "fn main() {}\n");
    sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
    let main = sandbox.project().canonicalize().unwrap();
    let beside = |name: &str, is_listed: bool| {
        let root = main.parent().unwrap().join(name);
        let own = main.join(".git/worktrees").join(name);
        sandbox.write(root.join("src/main.rs"), "fn main() {}\n");
        sandbox.write(root.join(".git"), format!("gitdir: {}\n", own.display()));
        if is_listed {
            let back = format!("{}\n", root.join(".git").display());
            sandbox.write(own.join("gitdir"), back);
            sandbox.write(own.join("commondir"), "../..\n");
        }
        root
    };
    let (linked, forged) = (beside("side", true), beside("forged", false));
    sandbox.ok(&["mode", "ask"]);
    let edit = |root: &std::path::Path, session: &str| {
        let event = json!({
            "hook_event_name": "PreToolUse", "session_id": session, "cwd": root, "tool_name": "Edit",
            "tool_input": { "file_path": root.join("src/main.rs") },
        });
        hook(&sandbox, "claude", event.to_string().as_bytes())
    };
    check_denied(&edit(&linked, "linked"), "'ask' mode");
    assert_eq!(edit(&forged, "forged").stdout, "");
    // What a person sets there, they set for the repository, and its own files are not outside.
    sandbox.ok(&["--project-root", linked.to_str().unwrap(), "mode", "code"]);
    let passed = edit(&linked, "linked");
    assert!(!passed.stdout.contains("deny"), "{passed:#?}");
    let shown = sandbox.ok(&["mode"]);
    assert!(shown.contains("code"), "{shown}");
}
