//! `modekeeper lsp`, as far as it goes without any server.

use serde_json::Value;

use crate::support::sandbox::{Sandbox, run, set_mode};

/// What is listed as the program of ty.
fn ty(sandbox: &Sandbox) -> Value {
    let mut command = sandbox.command(&["lsp", "list", "--json"]);
    let ran = run(command.env("PATH", "/nonexistent"));
    assert!(ran.status.success(), "{ran:#?}");
    let listed: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
    let found = listed.into_iter().find(|server| server["name"] == "ty");
    found.unwrap()["program"].take()
}

#[test]
fn programs_of_the_project_count_only_where_its_code_may_be_run() {
    let sandbox = Sandbox::with(".venv/bin/ty", "#!/bin/sh\n");
    let program = sandbox.project().join(".venv/bin/ty");
    set_mode(&program, 0o755);
    // Inside the wall it changes nothing, so nobody has to allow it.
    let found = match mk_wall::holds() {
        true => Value::from(program.display().to_string()),
        false => Value::Null,
    };
    assert_eq!(ty(&sandbox), found);
    sandbox.write(sandbox.config_file(), r#"{ "run_project_code": true }"#);
    assert_eq!(ty(&sandbox), program.display().to_string().as_str());
}

#[test]
fn without_any_server_the_list_says_where_to_look() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["lsp", "list", "--installed"]);
    let ran = run(command.env("PATH", "/nonexistent"));
    insta::assert_snapshot!(
        sandbox.show_ran(&ran),
        @"no language server is installed: see `modekeeper lsp list`"
    );
}
