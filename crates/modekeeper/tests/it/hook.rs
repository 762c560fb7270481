//! `modekeeper hook` as clients start it: one valid answer, whatever happens.

use std::io::Write as _;
use std::process::Stdio;
use std::time::Instant;

use serde_json::{Value, json};

use crate::support::sandbox::{Ran, Sandbox};

/// Starts the hook with this input.
fn hook(sandbox: &Sandbox, client: &str, input: &[u8]) -> Ran {
    let mut command = sandbox.command(&["hook", client]);
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
fn a_project_that_nobody_holds_is_left_alone() {
    let sandbox = Sandbox::with("src/main.rs", "fn main() {}\n");
    sandbox.ok(&["tasks", "list"]);
    let ran = hook(&sandbox, "claude", &edit(&sandbox));
    assert_eq!((ran.stdout.as_str(), ran.status.code()), ("", Some(0)));
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
