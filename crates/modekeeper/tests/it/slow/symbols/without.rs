//! Without a server the index answers by name and says so, and what only a server knows says how to get one.

use serde_json::json;

use super::example::TY;
use super::world::{World, call, failure, places, text};
use crate::support::stdio::Client;

const ADVICE: &str = "install one with `modekeeper lsp install python`";

/// No program at all is on the path.
fn client(world: &World) -> Client {
    world.client_on("/nonexistent")
}

#[test]
fn references_are_by_name_and_say_why() {
    let world = World::bare(TY.files);
    let mut client = client(&world);
    let found = call(
        &mut client,
        "find_references",
        &json!({ "symbol_name": "Account/total" }),
    );
    assert_eq!(
        found["structuredContent"]["source"], "index (by name)",
        "{found:#}"
    );
    assert!(text(&found).contains(ADVICE), "{found:#}");
    // The namesake cannot be told apart.
    assert!(
        places(&found).contains(&("main.py".to_owned(), 5)),
        "{found:#}"
    );
}

#[test]
fn implementations_are_known_to_servers_only() {
    let world = World::bare(TY.files);
    let wanted = json!({ "symbol_name": "Greeter" });
    let answer = client(&world).call("find_implementations", &wanted);
    let (code, message, suggestion) = failure(&answer);
    assert_eq!(code, "LANGUAGE_SERVER_ERROR");
    assert!(
        message.contains("no language server for `python`")
            || message.contains("No language server for `python`"),
        "{message}"
    );
    assert_eq!(suggestion, ADVICE);
}

#[test]
fn diagnostics_are_syntax_errors() {
    let world = World::bare(TY.files);
    let mut client = client(&world);
    let main = json!({ "file_path": "main.py" });
    let sound = call(&mut client, "get_diagnostics", &main);
    assert_eq!(sound["structuredContent"]["total"], 0, "{sound:#}");
    assert_eq!(sound["structuredContent"]["source"], "syntax", "{sound:#}");
    assert!(text(&sound).contains(ADVICE), "{sound:#}");
    world
        .sandbox
        .write("main.py", "account.nothing()\nprint((1\n");
    let broken = call(&mut client, "get_diagnostics", &main);
    let found = &broken["structuredContent"]["diagnostics"];
    assert_eq!(found.as_array().unwrap().len(), 1, "{broken:#}");
    assert_eq!(found[0]["line"], 2, "{broken:#}");
    assert_eq!(found[0]["severity"], "error", "{broken:#}");
}

#[test]
fn a_rename_that_only_the_name_guides_wants_to_be_counted() {
    let world = World::bare(TY.files);
    let mut client = client(&world);
    let before = world.texts(&TY);
    let mut rename =
        json!({ "symbol_name": "Account/total", "operation": "rename", "new_name": "balance" });
    let answer = client.call("edit_symbol", &rename);
    let (code, message, suggestion) = failure(&answer);
    assert_eq!(code, "INVALID_ARGUMENTS", "{message}");
    assert!(suggestion.contains("expected_count 5"), "{answer:#}");
    assert_eq!(world.texts(&TY), before);
    rename["expected_count"] = json!(5);
    let done = call(&mut client, "edit_symbol", &rename);
    assert_eq!(done["structuredContent"]["total_matches"], 5, "{done:#}");
    assert!(!world.text("main.py").contains("total"), "{done:#}");
}
