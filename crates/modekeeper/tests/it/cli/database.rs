//! Databases that cannot be used: a clear error that says what to do, and nothing changed.

use std::process::Command;

use serde_json::json;

use crate::support::sandbox::{Ran, Sandbox, run, set_mode};
use crate::support::stdio::{Client, server};

/// What a person sees, and that a server says the same to its client and goes on.
#[track_caller]
fn refused(sandbox: &Sandbox, prepare: impl Fn(&mut Command)) -> String {
    let list = |arguments: &[&str]| -> Ran {
        let mut command = sandbox.command(arguments);
        prepare(&mut command);
        run(&mut command)
    };
    let ran = list(&["tasks", "list"]);
    assert_eq!(ran.status.code(), Some(1), "{ran:#?}");
    assert!(ran.stderr.contains("hint: "), "{ran:#?}");

    let mut command = server(sandbox, &[]);
    prepare(&mut command);
    let mut client = Client::open(&mut command);
    client.initialize(&json!({}));
    // What needs no database works.
    assert!(client.call("list_modes", &json!({}))["result"].is_object());
    let answer = client.call("create_task", &json!({ "mode_slug": "code" }));
    assert_eq!(answer["error"]["code"], -32603, "{answer:#}");
    let (_, status, _) = client.end();
    assert!(status.success(), "{status}");
    sandbox.show_ran(&ran)
}

#[test]
fn a_folder_that_is_not_ours() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.state()).unwrap();
    set_mode(&sandbox.state(), 0o000);
    let shown = refused(&sandbox, |command| sandbox.as_user(command));
    insta::assert_snapshot!("database_unreadable_folder", shown);
    set_mode(&sandbox.state(), 0o755);
}

#[test]
fn a_folder_that_is_a_file() {
    let sandbox = Sandbox::new();
    sandbox.write(sandbox.state(), "not a folder");
    insta::assert_snapshot!("database_folder_is_a_file", refused(&sandbox, |_| {}));
}

#[test]
fn a_database_that_cannot_be_written() {
    let sandbox = Sandbox::new();
    Client::start(&sandbox).create("code");
    set_mode(&sandbox.state(), 0o555);
    for entry in std::fs::read_dir(sandbox.state()).unwrap() {
        set_mode(&entry.unwrap().path(), 0o444);
    }
    let mut client = {
        let mut command = server(&sandbox, &[]);
        sandbox.as_user(&mut command);
        Client::open(&mut command)
    };
    client.initialize(&json!({}));
    let answer = client.call("create_task", &json!({ "mode_slug": "code" }));
    assert_eq!(answer["error"]["code"], -32603, "{answer:#}");
    let data = sandbox
        .rename()
        .text(answer["error"]["data"].as_str().unwrap());
    insta::assert_snapshot!("database_read_only", data);
    set_mode(&sandbox.state(), 0o755);
}

#[test]
fn a_database_that_is_none() {
    let sandbox = Sandbox::new();
    let text = "this is not a database".repeat(100);
    sandbox.write(sandbox.database(), &text);
    insta::assert_snapshot!("database_corrupt", refused(&sandbox, |_| {}));
    assert_eq!(std::fs::read_to_string(sandbox.database()).unwrap(), text);
}

#[test]
fn a_database_of_a_newer_schema() {
    let sandbox = Sandbox::new();
    Client::start(&sandbox).create("code");
    let database = rusqlite::Connection::open(sandbox.database()).unwrap();
    database.pragma_update(None, "user_version", 999).unwrap();
    drop(database);
    insta::assert_snapshot!("database_newer", refused(&sandbox, |_| {}));
}

#[test]
fn a_database_of_another_program() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.state()).unwrap();
    let database = rusqlite::Connection::open(sandbox.database()).unwrap();
    database.execute_batch("CREATE TABLE theirs (x)").unwrap();
    drop(database);
    insta::assert_snapshot!("database_foreign", refused(&sandbox, |_| {}));
}

#[test]
fn a_new_database_is_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new();
    Client::start(&sandbox).create("code");
    for (path, mode) in [(sandbox.state(), 0o700), (sandbox.database(), 0o600)] {
        let found = std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(found, mode);
    }
}
