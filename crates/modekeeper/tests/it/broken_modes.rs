//! A mode file that cannot be used does not widen what it narrowed, and one that wants more waits for a person's trust.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::sandbox::{Sandbox, run};
use crate::support::stdio::Client;

/// `code` may only read here, and there is a mode of the project's own.
const NARROW: &str = "customModes:\n  - slug: code\n    name: Code\n    roleDefinition: Reads.\n    groups: [read]\n  - slug: own\n    name: Own\n    roleDefinition: Own.\n    groups: [read, edit]\n";
const WIDE_ASK: &str = "customModes:\n  - slug: ask\n    name: Ask\n    roleDefinition: Anything.\n    groups: [read, edit, command]\n";
const ASKING: &[&str] = &["--switching", "ask_to_widen"];

fn may_write(client: &mut Client) -> bool {
    let arguments = json!({ "file_path": "src/new.py", "content": "x = 1\n" });
    let answer = client.call("write_file", &arguments);
    answer["result"].is_object() && answer["result"]["isError"] != true
}

/// Texts that cannot be used, each of which could have been the one that narrows `code`.
fn unusable() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        (
            "cut off as JSON",
            br#"{"customModes": [{"slug": "code", "groups": ["re"#.to_vec(),
        ),
        (
            "not UTF-8",
            b"customModes:\n  - slug: code\n    name: \xff\xfe\n".to_vec(),
        ),
        ("too large", vec![b'#'; 17 * 1024 * 1024]),
        ("a list", b"- slug: code\n  groups: [read]\n".to_vec()),
        (
            "another key",
            b"custommodes:\n  - slug: code\n    groups: [read]\n".to_vec(),
        ),
        (
            "a map of modes",
            b"customModes:\n  code:\n    groups: [read]\n".to_vec(),
        ),
        ("cut off behind its key", b"customModes:\n".to_vec()),
        ("cut off in a name", b"customModes:\n  - slug: co".to_vec()),
        (
            "tabs",
            b"customModes:\n\t- slug: code\n\t  groups: [read]\n".to_vec(),
        ),
    ]
}

#[test]
fn a_file_that_cannot_be_used_leaves_modes_that_only_read() {
    for (what, text) in unusable() {
        let sandbox = Sandbox::with(".roomodes", &text);
        let mut client = Client::start(&sandbox);
        assert!(!may_write(&mut client), "{what}");
        let answer = client.call("read_file", &json!({ "file_path": ".gitignore" }));
        let text = answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_default();
        assert!(text.contains("File not found"), "{what}: {answer:#}");
    }
    let sandbox = Sandbox::new();
    std::os::unix::fs::symlink("nowhere", sandbox.project().join(".roomodes")).unwrap();
    let mut client = Client::start(&sandbox);
    assert!(!may_write(&mut client), "a link that leads nowhere");
}

#[test]
fn the_last_good_text_holds_over_restarts() {
    for (what, text) in unusable() {
        let sandbox = Sandbox::with(".roomodes", NARROW);
        let mut client = Client::start(&sandbox);
        assert!(!may_write(&mut client));
        client.end();
        sandbox.write(".roomodes", &text);
        let mut client = Client::start(&sandbox);
        assert!(!may_write(&mut client), "{what}");
        let modes = client.call("list_modes", &json!({})).to_string();
        assert!(modes.contains("own"), "{what}: {modes}");
    }
}

#[test]
fn a_text_that_was_replaced_does_not_come_back() {
    let own = |groups: &str| {
        format!("  - slug: own\n    name: Own\n    roleDefinition: Own.\n    groups: {groups}\n")
    };
    let wide = own("[read, edit]");
    let first = format!(
        "customModes:\n{wide}  - slug: ask\n    name: Ask\n    roleDefinition: Ask.\n    groups: [read]\n"
    );
    let sandbox = Sandbox::with(".roomodes", first);
    let narrow = format!("customModes:\n{}", own("[read]"));
    let cut = narrow.get(..narrow.len() - 3).unwrap_or_default();
    for text in [None, Some(narrow.as_str()), Some(cut)] {
        if let Some(text) = text {
            sandbox.write(".roomodes", text);
        }
        let mut client = Client::start_with(&sandbox, &["--default-mode", "own"]);
        assert_eq!(may_write(&mut client), text.is_none(), "{text:?}");
        client.end();
    }
}

#[test]
fn good_modes_around_a_syntax_error_are_kept() {
    let text = "customModes:\n  - slug: one\n    name: One\n    roleDefinition: One.\n    groups: [read]\n  - slug: bad\n    name: \"Bad\n    groups: [read]\n  - slug: two\n    name: Two\n    roleDefinition: Two.\n    groups: [read]\n";
    let sandbox = Sandbox::with(".roomodes", text.replace("\"Bad", "a: b: c"));
    let mut client = Client::start(&sandbox);
    let modes = client.call("list_modes", &json!({})).to_string();
    assert!(
        modes.contains("\"one\"") && modes.contains("\"two\""),
        "{modes}"
    );
}

#[test]
fn an_unknown_group_leaves_the_mode() {
    let text = "customModes:\n  - slug: own\n    name: Own\n    roleDefinition: Own.\n    groups: [read, telepathy]\n";
    let sandbox = Sandbox::with(".roomodes", text);
    let mut client = Client::start(&sandbox);
    let modes = client.call("list_modes", &json!({})).to_string();
    assert!(modes.contains("\"own\""), "{modes}");
}

#[test]
fn a_large_file_is_not_dropped() {
    let mut text = String::from("customModes:\n");
    let filler = "Thinks about it for a long time. ".repeat(250);
    for number in 0..200 {
        text.push_str(&format!(
            "  - slug: mode-{number}\n    name: Mode {number}\n    roleDefinition: {filler}\n    groups: [read]\n"
        ));
    }
    assert!(text.len() > 1024 * 1024);
    let sandbox = Sandbox::with(".roomodes", &text);
    let list = sandbox.json(&["modes", "list", "--json"]).to_string();
    assert!(list.contains("mode-0") && list.contains("mode-199"));
}

#[test]
fn an_unknown_default_mode_is_refused() {
    let sandbox = Sandbox::new();
    let ran = run(&mut sandbox.command(&["mcp", "--default-mode", "nope"]));
    assert!(!ran.status.success(), "{ran:#?}");
    assert!(ran.stderr.contains("nope"), "{ran:#?}");
}

#[test]
fn a_wider_mode_of_a_project_waits_for_trust() {
    let sandbox = Sandbox::with(".roomodes", WIDE_ASK);
    let mut client = Client::start_with(&sandbox, ASKING);
    client.create("ask");
    assert!(!may_write(&mut client));
    let asking = |arguments: &[&str]| {
        let mut all = arguments.to_vec();
        all.extend(ASKING);
        sandbox.ok(&all)
    };
    assert_eq!(
        asking(&["modes", "trust"]),
        "ask\n  edit: no → all\n  command: no → all\n"
    );
    let agent = run(&mut sandbox.command(&["modes", "trust", "ask"]));
    assert!(agent.stderr.contains("terminal"), "{agent:#?}");
    asking(&["modes", "trust", "ask"]);
    assert!(may_write(&mut client));
    // Another text is not what was trusted.
    let wider = WIDE_ASK.replace("command]", "command, mcp, browser, modes]");
    sandbox.write(".roomodes", wider);
    let lint = asking(&["modes", "lint"]);
    assert!(lint.contains("modekeeper modes trust ask"), "{lint}");
}

#[test]
fn text_that_becomes_wider_while_a_conversation_runs_waits_for_trust() {
    let sandbox = Sandbox::with(".roomodes", NARROW);
    let mut client = Client::start_with(&sandbox, ASKING);
    assert!(!may_write(&mut client));
    let wide = NARROW.replace("groups: [read]\n", "groups: [read, edit]\n");
    sandbox.write(
        ".roomodes",
        format!(
            "{wide}  - slug: seen\n    name: Seen\n    roleDefinition: Seen.\n    groups: [read]\n"
        ),
    );
    crate::support::wait_for("the file to be read again", || {
        let modes = client.call("list_modes", &json!({})).to_string();
        modes.contains("\"seen\"").then_some(())
    });
    assert!(!may_write(&mut client));
    sandbox.ok(&["modes", "trust", "code"]);
    assert!(may_write(&mut client));
}

/// Every way out is named, and works.
#[test]
fn a_mode_that_no_file_defines_any_more_is_left_with_one_command() {
    let docs =
        "customModes:\n  - {slug: docs, name: Docs, roleDefinition: You write., groups: [read]}\n";
    let sandbox = Sandbox::with(".roomodes", docs);
    sandbox.ok(&["mode", "docs"]);
    sandbox.ok(&["install", "claude-code", "--yes"]);
    std::fs::remove_file(sandbox.project().join(".roomodes")).unwrap();
    let way_out = "set one with `modekeeper mode <slug>`";
    for command in [
        &["mode"] as &[&str],
        &["doctor"],
        &["status"],
        &["init", "--yes"],
    ] {
        let said = sandbox.run(command);
        let text = format!("{}{}", said.stdout, said.stderr);
        assert!(
            text.contains("Mode not found: docs. Available: code"),
            "{command:?}: {text}"
        );
        assert!(text.contains(way_out), "{command:?}: {text}");
    }
    assert_eq!(sandbox.run(&["doctor"]).status.code(), Some(1));
    let event = json!({
        "hook_event_name": "PreToolUse", "session_id": "one", "cwd": sandbox.project(),
        "tool_name": "Edit", "tool_input": { "file_path": sandbox.project().join("a") },
    });
    let denied = hook(&sandbox, &event);
    assert!(denied.contains(way_out), "{denied}");
    sandbox.ok(&["mode", "code"]);
    let passed = hook(&sandbox, &event);
    assert!(!passed.contains("deny"), "{passed}");
}

fn hook(sandbox: &Sandbox, event: &Value) -> String {
    let mut command = sandbox.command(&["hook", "claude-code"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(event.to_string().as_bytes()).unwrap();
    drop(input);
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn the_mode_that_a_person_sets_for_a_project_holds_over_mcp() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox);
    let mut in_task = Client::start(&sandbox);
    in_task.create("code");
    sandbox.ok(&["mode", "ask"]);
    assert!(!may_write(&mut client));
    assert!(!may_write(&mut in_task));
    sandbox.ok(&["mode", "code"]);
    assert!(may_write(&mut client));
}

#[test]
fn the_mode_of_a_project_holds_in_memory_and_when_the_database_is_lost() {
    let sandbox = Sandbox::new();
    sandbox.ok(&["mode", "ask"]);
    assert!(!may_write(&mut Client::start_with(
        &sandbox,
        &["--in-memory"]
    )));
    std::fs::remove_dir_all(sandbox.state()).unwrap();
    assert!(!may_write(&mut Client::start(&sandbox)));
}

#[test]
fn a_new_process_holds_a_wider_text_until_it_is_trusted() {
    let sandbox = Sandbox::with(".roomodes", NARROW);
    sandbox.ok(&["mode", "code"]);
    let mut client = Client::start(&sandbox);
    assert!(!may_write(&mut client));
    client.end();
    let wide = NARROW.replace("groups: [read]\n", "groups: [read, edit]\n");
    sandbox.write(".roomodes", wide);
    let mut client = Client::start(&sandbox);
    assert!(!may_write(&mut client));
    sandbox.ok(&["modes", "trust", "code"]);
    assert!(may_write(&mut client));
}
