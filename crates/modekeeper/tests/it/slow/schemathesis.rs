//! The REST interface against its own description, by a program that tries what people do not think of.

use super::tools;
use crate::support::http::Server;
use crate::support::sandbox::{Sandbox, bare_command, run};

#[test]
fn every_answer_is_one_that_the_document_describes() {
    let sandbox = Sandbox::new();
    let memory = ".modekeeper/memories/style/naming.md";
    sandbox.write(memory, "words\n");
    // No one is there to answer questions, and no one should wait for them.
    let config = r#"{ "http": { "rate_limits": false }, "approval_timeout": 1 }"#;
    sandbox.write("limits.json", config);
    let config = sandbox.project().join("limits.json");
    let server = Server::start(&sandbox, &["--config", config.to_str().unwrap()]);
    let document = format!("http://{}/openapi.json", server.address);
    let mut command = bare_command(tools::python("schemathesis"), &sandbox.project());
    command.args(["-m", "schemathesis.cli", "run", &document]);
    command.args(["--seed", "20261116", "--max-examples", "200"]);
    command.args(["--checks", "all", "--no-color"]);
    // A tool that fails has a result like any other: 200 with `isError`.
    command.args(["--exclude-checks", "negative_data_rejection"]);
    let ran = run(command.env("HOME", sandbox.home()));
    assert!(ran.status.success(), "{}\n{}", ran.stdout, ran.stderr);
    // What it tried is what there is.
    assert!(ran.stdout.contains("Tested: 7"), "{}", ran.stdout);
}
