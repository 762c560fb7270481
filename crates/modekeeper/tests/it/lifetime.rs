//! How a server on standard input and output ends: soon, by every way there is, and with nothing lost.

use std::io::Read as _;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;

use crate::support::sandbox::Sandbox;
use crate::support::stdio::{Client, server};
use crate::support::{PATIENCE, wait_for_end};

/// An end that waits for something is noticed. How soon it comes depends on the machine.
const SOON: Duration = PATIENCE;

#[test]
fn it_ends_at_the_end_of_input() {
    ends("end of input", Client::close_input);
}

#[test]
fn it_ends_on_sigterm() {
    ends("SIGTERM", |client| client.signal(Signal::TERM));
}

#[test]
fn it_ends_on_sigint() {
    ends("SIGINT", |client| client.signal(Signal::INT));
}

#[test]
fn it_ends_on_sighup() {
    ends("SIGHUP", |client| client.signal(Signal::HUP));
}

/// Ends a server right after it acknowledged a task, and looks for the task in the next one.
#[track_caller]
fn ends(how: &str, end: impl Fn(&mut Client)) {
    for handshake in [true, false] {
        let sandbox = Sandbox::new();
        let mut client = Client::open(&mut server(&sandbox, &[]));
        // It takes a moment until signals are ours; a ping may come before the handshake.
        client.request("ping", &json!({}));
        let session = handshake.then(|| {
            client.initialize(&json!({}));
            client.create("code")
        });
        end(&mut client);
        let (_, status, time) = client.wait();
        eprintln!("{how}, handshake {handshake}: ended after {time:?}");
        assert!(status.success(), "{how}: {status}");
        assert!(time < SOON, "{how}: {time:?}");
        if let Some(session) = session {
            let shown = sandbox.json(&["tasks", "show", &session, "--json"]);
            assert_eq!(shown["mode"], "code", "{how}");
        }
    }
}

#[test]
fn what_was_asked_before_the_end_of_input_is_still_answered() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox);
    for _ in 0..50 {
        let params = Client::call_params("create_task", &json!({ "mode_slug": "code" }));
        client.post("tools/call", &params);
    }
    let (answers, _, time) = client.end();
    assert_eq!(answers.len(), 50);
    assert!(time < SOON, "{time:?}");
    let tasks = sandbox.json(&["tasks", "list", "--json", "--limit", "100"]);
    assert_eq!(tasks.as_array().unwrap().len(), 50);
}

#[test]
fn a_client_that_never_reads_stderr_blocks_nothing() {
    let sandbox = Sandbox::new();
    let mut command = server(&sandbox, &["--log-level", "DEBUG"]);
    let mut client = Client::open(command.stderr(Stdio::piped()));
    // Each of these is worth a line in the log, and a pipe holds 64 KiB.
    for _ in 0..5000 {
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    }
    client.initialize(&json!({}));
    client.create("code");
    client.close_input();
    let (_, status, time) = client.wait();
    assert!(status.success(), "{status}");
    assert!(time < SOON, "{time:?}");
    let mut log = Vec::new();
    let stderr = client.child().stderr.as_mut().unwrap();
    stderr.read_to_end(&mut log).unwrap();
    assert!(log.len() >= 60_000, "the pipe was not full: {}", log.len());
}

#[test]
fn a_client_that_never_reads_answers_cannot_hold_a_signal_up() {
    let (sandbox, mut child) = clogged();
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, Signal::TERM).unwrap();
    let (_, time) = wait_for_end(&mut child);
    assert!(time < SOON, "{time:?}");
    drop(sandbox);
}

#[test]
fn a_client_that_never_reads_answers_cannot_hold_the_end_of_input_up() {
    let (sandbox, mut child) = clogged();
    drop(child.stdin.take());
    let (_, time) = wait_for_end(&mut child);
    eprintln!("ended after {time:?} with its answers unread");
    drop(sandbox);
}

/// A server whose stdout is full.
fn clogged() -> (Sandbox, std::process::Child) {
    use std::io::Write as _;
    let sandbox = Sandbox::new();
    let mut child = server(&sandbox, &[])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = child.stdin.as_mut().unwrap();
    let handshake = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "it", "version": "1" } },
    });
    writeln!(input, "{handshake}").unwrap();
    for id in 1..40 {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list" });
        writeln!(input, "{request}").unwrap();
    }
    (sandbox, child)
}

#[test]
fn a_client_that_vanishes_in_the_middle_of_a_call_ends_the_server() {
    let sandbox = Sandbox::new();
    sandbox.write(sandbox.config_file(), NO_ANSWER_COMES);
    let mut client = Client::start_with(&sandbox, &["--switching", "ask_to_widen"]);
    let session = client.create("ask");
    let switch = json!({ "session_id": session, "new_mode_slug": "code" });
    client.post("tools/call", &Client::call_params("switch_mode", &switch));
    // The call waits for a person when its client goes.
    crate::approval::pending(&sandbox);
    let mut child = client.abandon();
    let (status, time) = wait_for_end(&mut child);
    assert!(status.success(), "{status}");
    assert!(time < SOON, "{time:?}");
    let shown = sandbox.json(&["tasks", "show", &session, "--json"]);
    assert_eq!(shown["mode"], "ask");
}

/// Longer than any test waits: an end that waits for the call is noticed on the slowest machine.
const NO_ANSWER_COMES: &str = r#"{ "approval_timeout": 3600 }"#;

#[test]
fn no_end_waits_for_a_call_that_waits_for_a_person() {
    type End = fn(&mut Client);
    let ends: [(&str, End); 4] = [
        ("end of input", Client::close_input),
        ("SIGTERM", |client| client.signal(Signal::TERM)),
        ("SIGINT", |client| client.signal(Signal::INT)),
        ("SIGHUP", |client| client.signal(Signal::HUP)),
    ];
    for (how, end) in ends {
        let sandbox = Sandbox::new();
        sandbox.write(sandbox.config_file(), NO_ANSWER_COMES);
        let mut client = Client::start(&sandbox);
        let write = json!({ "file_path": "AGENTS.md", "content": "x\n" });
        client.post("tools/call", &Client::call_params("write_file", &write));
        crate::approval::pending(&sandbox);
        end(&mut client);
        let (_, _, time) = client.wait();
        eprintln!("{how}: ended after {time:?}");
        assert!(!sandbox.project().join("AGENTS.md").exists(), "{how}");
    }
}

#[test]
fn a_closed_stdout_ends_the_server_although_its_input_is_open() {
    use std::io::{BufRead as _, BufReader, Write as _};
    let sandbox = Sandbox::new();
    sandbox.write(sandbox.config_file(), NO_ANSWER_COMES);
    let mut child = server(&sandbox, &[])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    writeln!(input, "{ping}").unwrap();
    let mut answer = String::new();
    output.read_line(&mut answer).unwrap();
    // Nothing is asked and nothing is answered: it is noticed all the same.
    drop(output);
    let (_, time) = wait_for_end(&mut child);
    eprintln!("ended after {time:?}");
    drop(input);
}
