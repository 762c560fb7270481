//! Settings files keep every byte that is not ours.

use serde_json::{Value, json};

use crate::settings::{Format, SettingsEdit, apply, remove};

/// The text with our entries, once and twice; and without them again, which must be the text there was.
#[track_caller]
fn check(format: Format, before: &str, edits: &[SettingsEdit], after: &str) {
    let edited = apply(format, before, edits).unwrap();
    assert_eq!(edited.text, after);
    assert_eq!(edited.taken, Vec::<String>::new());
    let again = apply(format, &edited.text, edits).unwrap();
    assert_eq!(again.text, after, "a second time changes something");
    assert_eq!(remove(format, after, edits).unwrap(), before);
}

fn server() -> SettingsEdit {
    SettingsEdit::put(
        &["mcpServers", "modekeeper"],
        json!({"command": "/o/modekeeper"}),
    )
}

fn hook(program: &str) -> SettingsEdit {
    let hook = json!({"hooks": [{"type": "command", "command": program, "args": ["hook"]}]});
    SettingsEdit::add(&["hooks", "PreToolUse"], hook)
}

#[test]
fn an_entry_goes_among_the_users_and_comes_out_again() {
    check(
        Format::Json,
        "{\n  // mine\n  \"theme\": \"dark\", /* yes */\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}, // keep\n  },\n}\n",
        &[server()],
        "{\n  // mine\n  \"theme\": \"dark\", /* yes */\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}, // keep\n    \"modekeeper\": {\n      \"command\": \"/o/modekeeper\",\n    },\n  },\n}\n",
    );
}

#[test]
fn a_new_file_is_an_object() {
    let edited = apply(Format::Json, "", &[server()]).unwrap();
    let value: Value = serde_json::from_str(&edited.text).unwrap();
    assert_eq!(
        value,
        json!({"mcpServers": {"modekeeper": {"command": "/o/modekeeper"}}})
    );
    assert!(edited.text.ends_with('\n'));
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_stay() {
    let before = "\u{feff}{\r\n\t\"a\": 1\r\n}\r\n";
    let edited = apply(Format::Json, before, &[server()]).unwrap();
    assert!(
        edited
            .text
            .starts_with("\u{feff}{\r\n\t\"a\": 1,\r\n\t\"mcpServers\"")
    );
    assert_eq!(
        edited.text.matches('\n').count(),
        edited.text.matches("\r\n").count()
    );
    assert_eq!(
        remove(Format::Json, &edited.text, &[server()]).unwrap(),
        before
    );
}

#[test]
fn an_older_hook_of_ours_is_replaced_and_others_stay() {
    let theirs = json!({"hooks": [{"type": "command", "command": "lint modekeeper"}]});
    let before = json!({"hooks": {"PreToolUse": [theirs]}}).to_string();
    let old = apply(Format::Json, &before, &[hook("/old/modekeeper")]).unwrap();
    let new = apply(Format::Json, &old.text, &[hook("/new/modekeeper")]).unwrap();
    let value: Value = serde_json::from_str(&new.text).unwrap();
    let hooks = value["hooks"]["PreToolUse"].as_array().unwrap();
    assert_eq!(hooks.len(), 2);
    assert_eq!(hooks[0], theirs);
    assert_eq!(hooks[1]["hooks"][0]["command"], "/new/modekeeper");
    let without = remove(Format::Json, &new.text, &[hook("/another/modekeeper")]).unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&without).unwrap()["hooks"]["PreToolUse"],
        json!([theirs])
    );
}

#[test]
fn what_the_user_has_set_is_not_overwritten() {
    let claim = SettingsEdit::claim(&["env", "PREFIX"], json!("/o/modekeeper-exec"));
    let before = r#"{"env": {"PREFIX": "mine"}}"#;
    let edited = apply(Format::Json, before, std::slice::from_ref(&claim)).unwrap();
    assert_eq!(
        (edited.text.as_str(), edited.taken),
        (before, vec!["env.PREFIX".to_owned()])
    );
    assert_eq!(remove(Format::Json, before, &[claim]).unwrap(), before);
    // Something else stands where an object would be needed.
    let claim = SettingsEdit::claim(&["permission", "edit", "**"], json!("deny"));
    let before = r#"{"permission": {"edit": "ask"}}"#;
    let edited = apply(Format::Json, before, &[claim]).unwrap();
    assert_eq!((edited.text.as_str(), edited.taken.len()), (before, 1));
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone() {
    for text in [
        "{",
        "[]",
        "{\"a\": 1} {",
        "{'a': 1}",
        "{\"mcpServers\": []}",
    ] {
        assert!(apply(Format::Json, text, &[server()]).is_err(), "{text}");
    }
    assert!(apply(Format::Toml, "a = ", &[server()]).is_err());
    let error = apply(Format::Toml, "mcpServers = 1\n", &[server()]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`mcpServers.modekeeper` has an unexpected value: expected a table"
    );
}

#[test]
fn toml_keeps_comments_and_gets_tables_of_its_own() {
    check(
        Format::Toml,
        "# mine\nmodel = \"x\"   # best\n\n[mcp_servers.other]\ncommand = 'y'\n",
        &[
            SettingsEdit::put(
                &["mcp_servers", "modekeeper"],
                json!({"command": "/o/modekeeper", "args": ["mcp"]}),
            ),
            SettingsEdit::claim(
                &["shell_environment_policy", "set", "BASH_ENV"],
                json!("/o/env.sh"),
            ),
        ],
        "# mine\nmodel = \"x\"   # best\n\n[mcp_servers.other]\ncommand = 'y'\n\n[mcp_servers.modekeeper]\ncommand = \"/o/modekeeper\"\nargs = [\"mcp\"]\n\n[shell_environment_policy.set]\nBASH_ENV = \"/o/env.sh\"\n",
    );
    let mine = "[shell_environment_policy]\nset = { A = \"1\" }\n";
    let claim = SettingsEdit::claim(
        &["shell_environment_policy", "set", "BASH_ENV"],
        json!("/e"),
    );
    check(
        Format::Toml,
        mine,
        &[claim],
        "[shell_environment_policy]\nset = { A = \"1\" , BASH_ENV = \"/e\" }\n",
    );
}

#[test]
fn a_top_level_key_of_toml_goes_before_the_tables() {
    check(
        Format::Toml,
        "model = \"x\"\n\n[a]\nb = 1\n",
        &[SettingsEdit::claim(&["sandbox_mode"], json!("read-only"))],
        "model = \"x\"\nsandbox_mode = \"read-only\"\n\n[a]\nb = 1\n",
    );
}

#[test]
fn an_environment_file_gets_a_line() {
    let edit = [SettingsEdit::claim(&["BASH_ENV"], json!("/o/env.sh"))];
    check(
        Format::EnvFile,
        "# keys\nKEY=1\n",
        &edit,
        "# keys\nKEY=1\nBASH_ENV=/o/env.sh\n",
    );
    let mine = "export BASH_ENV=/mine\n";
    let edited = apply(Format::EnvFile, mine, &edit).unwrap();
    assert_eq!((edited.text.as_str(), edited.taken.len()), (mine, 1));
}
