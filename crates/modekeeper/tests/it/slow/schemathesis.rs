//! The REST interface against its own description, by a program that tries what people do not think of.

use super::tools;
use crate::support::http::Server;
use crate::support::sandbox::{Sandbox, bare_command, run};

/// Every check but these.
const CHECKS: &str = r#"
[checks]
# A tool that fails has a result like any other: 200 with `isError`.
negative_data_rejection.enabled = false
# Wrong tokens lock the address out, so that trying them would end the run. mk-web's tests of the gate try every route.
ignored_auth.enabled = false

# A text can be as described and still be no mode file.
[[operations]]
include-name = "PUT /api/modes/file"
checks.positive_data_acceptance.enabled = false
"#;

#[test]
fn every_answer_is_one_that_the_document_describes() {
    let sandbox = Sandbox::new();
    let memory = ".modekeeper/memories/style/naming.md";
    sandbox.write(memory, "words\n");
    // No one is there to answer questions, and no one should wait for them. Made-up commands are not run: they would
    // be real ones.
    let config = r#"{
        "http": { "rate_limits": false },
        "approval_timeout": 1,
        "toolsets": ["modes", "files", "symbols", "memory", "project", "rules"]
    }"#;
    sandbox.write("limits.json", config);
    sandbox.write("schemathesis.toml", CHECKS);
    let config = sandbox.project().join("limits.json");
    let made = sandbox.json(&["token", "create", "test", "--role", "admin", "--json"]);
    let server = Server::start(&sandbox, &["--config", config.to_str().unwrap()]);
    let document = format!("http://{}/openapi.json", server.address);
    let mut command = bare_command(tools::python("schemathesis"), &sandbox.project());
    command.args(["-m", "schemathesis.cli"]);
    command.args(["--config-file", "schemathesis.toml", "run", &document]);
    let token = format!("Authorization: Bearer {}", made["token"].as_str().unwrap());
    command.args(["--header", &token]);
    command.args(["--seed", "20261116", "--max-examples", "20", "--no-color"]);
    // Its answer never ends.
    command.args(["--exclude-operation-id", "getEvents"]);
    let ran = run(command.env("HOME", sandbox.home()));
    assert!(ran.status.success(), "{}\n{}", ran.stdout, ran.stderr);
    // What it tried is what there is, but for the events.
    assert!(ran.stdout.contains("Tested: 41"), "{}", ran.stdout);
}
