//! Servers see the whole project; agents see and change what their mode and `.rooignore` let them.

use serde_json::json;

use super::example::{GOPLS, TY};
use super::world::{World, call, exact_references, failure, places, text};

/// The example with a file that agents may not see, which uses what they ask about.
fn with_hidden_file() -> World {
    let world = World::new(&TY);
    world.sandbox.write(
        "vault.py",
        "from bank import Account, Greeter\n\n\nclass Safe(Greeter):\n    def open(self) -> int:\n        return Account().total()\n\n\nwrong: int = 'text'\n",
    );
    world.sandbox.write(
        "user.py",
        "from vault import Safe\n\nprint(Safe().open())\n",
    );
    world.sandbox.write(".rooignore", "vault.py\n");
    world
}

#[test]
fn a_mode_that_may_edit_documents_renames_no_code() {
    for example in [TY, GOPLS] {
        let world = World::new(&example);
        let mut client = world.client();
        exact_references(&mut client, example.symbol, example.server);
        let before = world.texts(&example);
        let session = client.create("architect");
        for dry_run in [true, false] {
            let rename = json!({
                "symbol_name": example.symbol, "operation": "rename", "new_name": "Balance",
                "dry_run": dry_run, "session_id": session,
            });
            let answer = client.call("edit_symbol", &rename);
            assert_eq!(answer["error"]["code"], -32006, "{answer:#}");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(
                message.contains(r"Only files matching '\.md$' are allowed"),
                "{message}"
            );
            let shown = answer["error"].to_string();
            assert!(
                shown.contains("architect") && shown.contains(example.references[0].0),
                "{shown}"
            );
            assert_eq!(world.texts(&example), before);
        }
        // Looking is allowed.
        let look = json!({ "symbol_name": example.symbol, "session_id": session });
        let found = call(&mut client, "find_references", &look);
        assert_eq!(found["structuredContent"]["source"], example.server);
    }
}

#[test]
fn a_hidden_file_is_in_no_answer() {
    let world = with_hidden_file();
    let mut client = world.client();
    let uses = exact_references(&mut client, TY.symbol, TY.server);
    assert_eq!(places(&uses).len(), TY.references.len(), "{uses:#}");
    let implementations = call(
        &mut client,
        "find_implementations",
        &json!({ "symbol_name": "Greeter" }),
    );
    assert_eq!(places(&implementations).len(), 1, "{implementations:#}");
    let mut answers = vec![uses, implementations];
    // At a use of what the hidden file defines.
    for (line, name) in [(1, "Safe"), (3, "Safe"), (3, "open")] {
        let column = world.column(("user.py", line), name);
        let place = json!({ "file_path": "user.py", "line": line, "column": column });
        answers.push(client.call("get_symbol_definition", &place)["result"].clone());
    }
    let symbols = json!({ "query": "Safe" });
    answers.push(client.call("find_symbols", &symbols)["result"].clone());
    let visible = json!({ "file_path": "user.py" });
    answers.push(call(&mut client, "get_diagnostics", &visible));
    for answer in &answers {
        let answer = answer.to_string();
        assert!(!answer.contains("vault.py"), "{answer}");
        assert!(!answer.contains("class Safe"), "{answer}");
        assert!(!answer.contains("def open"), "{answer}");
    }
}

#[test]
fn a_hidden_file_is_not_diagnosed() {
    let world = with_hidden_file();
    let mut client = world.client();
    let tried = client.call("get_diagnostics", &json!({ "file_path": "vault.py" }));
    let (code, message, _) = failure(&tried);
    assert!(
        ["PERMISSION_DENIED", "FILE_NOT_FOUND"].contains(&code),
        "{tried:#}"
    );
    for hidden in ["wrong", "'text'", "`int`", "Safe"] {
        assert!(!message.contains(hidden), "{tried:#}");
    }
}

#[test]
fn a_rename_that_would_change_a_hidden_file_changes_nothing() {
    let world = with_hidden_file();
    let mut client = world.client();
    exact_references(&mut client, TY.symbol, TY.server);
    let (before, hidden) = (world.texts(&TY), world.text("vault.py"));
    for dry_run in [true, false] {
        let rename = json!({
            "symbol_name": TY.symbol, "operation": "rename", "new_name": "balance", "dry_run": dry_run,
        });
        let answer = client.call("edit_symbol", &rename);
        let (code, message, suggestion) = failure(&answer);
        assert_eq!(code, "PERMISSION_DENIED", "{answer:#}");
        assert!(message.contains("`total`"), "{message}");
        assert!(!suggestion.is_empty(), "{answer:#}");
        assert!(!answer.to_string().contains("vault"), "{answer:#}");
        assert_eq!(world.texts(&TY), before);
        assert_eq!(world.text("vault.py"), hidden);
    }
    // What the hidden file does not use can be renamed.
    let rename =
        json!({ "symbol_name": "Basket/total", "operation": "rename", "new_name": "price" });
    let done = call(&mut client, "edit_symbol", &rename);
    assert!(text(&done).contains("total → price"), "{done:#}");
    assert_eq!(world.text("vault.py"), hidden);
}
