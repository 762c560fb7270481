//! The official SDKs as clients: every one of them sees and does the same, over every transport it has.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::tools;
use crate::support::http::Server;
use crate::support::sandbox::{BINARY, Sandbox, bare_command, run};

const CLIENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/slow/clients");

/// How a client reaches the server.
#[derive(Debug, Clone, Copy)]
enum By {
    Stdio,
    Http,
    Sse,
}

#[test]
fn python_1_over_stdio() {
    check(&python("1"), By::Stdio, &[], "2025-11-25");
}

#[test]
fn python_1_over_http() {
    check(&python("1"), By::Http, &[], "2025-11-25");
}

#[test]
fn python_2_over_stdio() {
    check(&python("2"), By::Stdio, &["legacy"], "2025-11-25");
    check(&python("2"), By::Stdio, &["auto"], "2026-07-28");
}

#[test]
fn python_2_over_http() {
    check(&python("2"), By::Http, &["legacy"], "2025-11-25");
    check(&python("2"), By::Http, &["auto"], "2026-07-28");
}

#[test]
fn typescript_1_over_stdio() {
    check(&typescript("1"), By::Stdio, &[], "2025-11-25");
}

#[test]
fn typescript_1_over_http() {
    check(&typescript("1"), By::Http, &[], "2025-11-25");
}

#[test]
fn typescript_1_over_sse() {
    check(&typescript("1"), By::Sse, &[], "2025-11-25");
}

#[test]
fn typescript_2_over_stdio() {
    check(&typescript("2"), By::Stdio, &["legacy"], "2025-11-25");
    check(&typescript("2"), By::Stdio, &["2026-07-28"], "2026-07-28");
}

#[test]
fn typescript_2_over_http() {
    check(&typescript("2"), By::Http, &["legacy"], "2025-11-25");
    check(&typescript("2"), By::Http, &["2026-07-28"], "2026-07-28");
}

#[test]
fn typescript_2_over_sse() {
    check(&typescript("2"), By::Sse, &["legacy"], "2025-11-25");
}

/// Program and first arguments.
fn python(major: &str) -> Vec<String> {
    let python = tools::python(major).display().to_string();
    vec![python, format!("{CLIENTS}/python{major}.py")]
}

fn typescript(major: &str) -> Vec<String> {
    let tools = tools::node().display().to_string();
    let script = format!("{CLIENTS}/typescript{major}.mjs");
    let hook = format!("{tools}/resolve.mjs");
    vec![format!("{tools}/node"), "--import".to_owned(), hook, script]
}

#[track_caller]
fn check(client: &[String], by: By, more: &[&str], protocol: &str) {
    let sandbox = Sandbox::new();
    let mut server = None;
    let (transport, target) = match by {
        By::Stdio => ("stdio", BINARY.to_owned()),
        By::Http | By::Sse => {
            let address = server
                .insert(Server::start(&sandbox, &["--switching", "ask_to_widen"]))
                .address;
            match by {
                By::Sse => ("sse", format!("http://{address}/sse")),
                By::Stdio | By::Http => ("http", format!("http://{address}/mcp")),
            }
        }
    };
    let mut command = command(&client[0], &sandbox);
    // Over HTTP only an operator's client is believed to have asked its user.
    let operator = ["token", "create", "client", "--role", "operator", "--json"];
    let made = sandbox.json(&operator);
    command.env("TOKEN", made["token"].as_str().unwrap());
    let project = sandbox.project();
    command.args(&client[1..]).args([transport, &target]);
    command.arg(&project).args(more);
    let ran = run(&mut command);
    assert!(ran.status.success(), "{command:?}: {ran:#?}");
    let last = ran.stdout.lines().last().unwrap_or_default();
    let mut seen: Value = serde_json::from_str(last).unwrap_or_else(|_| panic!("{ran:#?}"));
    let asked = seen["asked"].take();
    let question = "Let the agent change from 'ask' to 'code' mode? (appr_";
    assert!(
        asked.as_str().is_some_and(|it| it.starts_with(question)),
        "{asked}"
    );
    assert_eq!(seen, expected(protocol), "{command:?}");
}

fn expected(protocol: &str) -> Value {
    json!({
        "asked": null,
        "server": "modekeeper",
        "protocol": protocol,
        "tools": mk_tools::all().map(|tool| tool.name).collect::<Vec<_>>(),
        "resources": 99,
        "templates": 7,
        "prompts": ["code", "architect", "ask", "debug", "orchestrator", "activate_agent"],
        "read": "code",
        "completed": ["code"],
        "prompt": true,
        "called": {
            "list_modes": "Available modes:",
            "get_mode_info": "Mode: ❓ Ask (ask)",
            "create_task": "Task created successfully",
            "get_task_info": "Task Information",
            "validate_tool_use": "Tool validation result",
            "switch_mode": "Mode switched successfully",
            "complete_task": "Task completed successfully",
        },
        "allowed": false,
        "switched": "code",
        "error": -32001,
        "rules": {
            "mode": "PLAN",
            "skill": "systematic-debugging",
            "agent": "Code Reviewer",
            "core": "text/markdown",
            "activated": "Activate Agent: Frontend Developer",
        },
        "list_changed": true,
    })
}

/// A client program that passes the sandbox's environment on to the server it starts.
fn command(program: &str, sandbox: &Sandbox) -> Command {
    let mut command = bare_command(Path::new(program), &sandbox.project());
    let path = std::env::var_os("PATH").unwrap_or_default();
    command
        .env_clear()
        .env("PATH", path)
        .env("HOME", sandbox.home())
        .env("MODEKEEPER_STATE_DIR", sandbox.state());
    command
}
