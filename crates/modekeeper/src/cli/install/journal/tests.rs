//! When a change of a client counts as set up. What is written and undone is seen in the integration tests.

use mk_clients::ChangePurpose;
use serde_json::json;

use super::*;

const CLIENT: ClientId = ClientId::ClaudeCode;

fn change(purpose: ChangePurpose, file: &Path, edit: SettingsEdit) -> SettingsChange {
    SettingsChange {
        purpose,
        file: file.to_owned(),
        alternatives: Vec::new(),
        hides: Vec::new(),
        content: FileContent::Entries {
            format: Format::Json,
            edits: vec![edit],
        },
        kept_by_client: false,
    }
}

/// Whether a hook counts as set up, after a file was found, an MCP server was put in, and perhaps the hook.
#[track_caller]
fn check(found: &str, hook_value: Option<&str>, expected: bool) {
    let base = tempfile::tempdir().unwrap();
    let file = base.path().canonicalize().unwrap().join("settings.json");
    disk::replace(&file, found.as_bytes(), false).unwrap();
    let place = JournalPlace {
        project: base.path().join("project"),
        scope: InstallScope::User,
    };
    let mut journal = InstallJournal::open(base.path(), place).unwrap();
    let server = SettingsEdit::Put {
        path: vec!["servers".to_owned(), "modekeeper".to_owned()],
        value: json!("serve"),
    };
    let server = change(ChangePurpose::Mcp, &file, server);
    let hook = |value: &str| {
        let path = vec!["hook".to_owned()];
        let value = json!(value);
        change(
            ChangePurpose::Hook,
            &file,
            SettingsEdit::Claim { path, value },
        )
    };
    journal.apply(CLIENT, &server).unwrap();
    if let Some(value) = hook_value {
        journal.apply(CLIENT, &hook(value)).unwrap();
    }
    let has = journal.has(CLIENT, &hook("ours")).unwrap();
    assert_eq!(has, expected, "{found} {hook_value:?}");
}

#[test]
fn a_hook_is_set_up_only_by_an_entry_of_its_own() {
    check("{}", None, false);
    check("{}", Some("ours"), true);
    // An older binary's: it is replaced at the next `install`.
    check("{}", Some("older"), true);
    // Something of the user's stands there.
    check(r#"{"hook":"theirs"}"#, Some("ours"), false);
    // It was there before.
    check(r#"{"hook":"ours"}"#, None, true);
}
