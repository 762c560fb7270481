//! The inspector's command line: lists, calls, and its strict look at our schemas.

use serde_json::Value;

use super::tools;
use crate::support::http::Server;
use crate::support::sandbox::{BINARY, Ran, Sandbox, bare_command, run};

const INSPECTOR: &str =
    "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";

#[test]
fn over_stdio() {
    let sandbox = Sandbox::new();
    check(&sandbox, &[BINARY, "mcp"]);
}

#[test]
fn over_http() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let url = format!("http://{}/mcp", server.address);
    check(&sandbox, &[&url, "--transport", "http"]);
}

#[track_caller]
fn check(sandbox: &Sandbox, target: &[&str]) {
    let inspect = |arguments: &[&str]| inspect(sandbox, &[target, arguments].concat());
    let tools = inspect(&["--method", "tools/list"]);
    let listed = tools["tools"].as_array().unwrap().len();
    assert_eq!(listed, mk_tools::all().count(), "{tools:#}");
    let resources = inspect(&["--method", "resources/list"]);
    assert!(
        resources["resources"].as_array().unwrap().len() > 70,
        "{resources:#}"
    );
    let prompts = inspect(&["--method", "prompts/list"]);
    assert_eq!(prompts["prompts"].as_array().unwrap().len(), 6);
    let call = [
        "--method",
        "tools/call",
        "--tool-name",
        "create_task",
        "--tool-arg",
        "mode_slug=ask",
    ];
    let created = inspect(&call);
    assert_eq!(
        created["structuredContent"]["mode_slug"], "ask",
        "{created:#}"
    );
    // Fails if a model's interface might refuse one of our schemas.
    inspect(&["--method", "tools/list", "--strict"]);
}

#[track_caller]
fn inspect(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let tools = tools::node();
    let mut command = bare_command(tools.join("node"), &sandbox.project());
    command
        .arg(tools.join(INSPECTOR))
        .arg("--cli")
        .args(arguments)
        .env("HOME", sandbox.home())
        .env("MODEKEEPER_STATE_DIR", sandbox.state());
    let ran: Ran = run(&mut command);
    assert!(ran.status.success(), "{command:?}: {ran:#?}");
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:#?}"))
}
