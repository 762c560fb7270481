//! Contract 4's symbol operations on a line: its examples, its codes, its backup.

use std::fs;

use mk_engine::{Actor, Caller};
use serde_json::{Value, json};

use super::super::World;
use super::super::wire::{Wire, text};
use super::{PROJECT, check};

#[tokio::test]
async fn the_contracts_symbol_is_found_in_the_contracts_words() {
    let class = "class MyClass:\n".to_owned() + &"    value = 1\n".repeat(30);
    let world = World::new(PROJECT);
    let above = "# above\n".repeat(14);
    world
        .files
        .write("src/models.py", format!("{above}{class}"));
    let mut wire = Wire::open(&world).await;
    let query = json!({ "query": "MyClass", "symbol_type": "class", "file_pattern": "*.py" });
    let answer = wire.call("find_symbols", query).await;
    assert_eq!(
        text(&answer),
        "Found symbols:\n- MyClass in src/models.py:15-45"
    );
    let facts = &answer["result"]["structuredContent"];
    assert_eq!(facts["source"], "index", "{answer:#}");
    assert_eq!(facts["complete"], true, "{answer:#}");
    let definition = json!({ "symbol_name": "MyClass" });
    let answer = wire.call("get_symbol_definition", definition).await;
    assert!(
        text(&answer).starts_with("MyClass in src/models.py:"),
        "{answer:#}"
    );
}

#[tokio::test]
async fn a_symbol_that_is_not_there_comes_with_the_nearest_names() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    let cases = [
        ("get_symbol_definition", json!({ "symbol_name": "MyClas" })),
        ("find_references", json!({ "symbol_name": "MyClas" })),
        (
            "edit_symbol",
            json!({ "symbol_name": "MyClas", "operation": "delete" }),
        ),
    ];
    for (tool, arguments) in cases {
        let answer = wire.call(tool, arguments).await;
        check(
            &answer,
            "SYMBOL_NOT_FOUND",
            "There is no symbol `MyClas`",
            "the nearest names are: MyClass",
        );
        assert_eq!(answer["result"]["details"]["symbol_name"], "MyClas");
    }
    let place = json!({ "file_path": "src/example.py", "line": 99, "column": 1 });
    check(
        &wire.call("get_symbol_definition", place).await,
        "SYMBOL_NOT_FOUND",
        "There is no symbol at line 99, column 1 of `src/example.py`",
        "count lines and columns from 1, or list the file's symbols with get_symbols_overview",
    );
    let missing = json!({ "symbol_name": "example", "content": 7 });
    check(
        &wire.call("edit_symbol", missing).await,
        "INVALID_ARGUMENTS",
        "Parameter content must be a string",
        "tools/list shows the parameters of edit_symbol",
    );
    let outside = json!({ "symbol_name": "x", "file_path": "../x.py", "content": "x" });
    for tool in ["edit_symbol", "get_symbol_definition"] {
        let answer = wire.call(tool, outside.clone()).await;
        let result = &answer["result"];
        assert_eq!(result["error_code"], "PERMISSION_DENIED", "{answer:#}");
        assert_eq!(result["details"]["code"], -32006, "{answer:#}");
    }
}

#[tokio::test]
async fn an_edit_has_its_backup_and_a_mode_its_say() {
    let world = World::new(PROJECT);
    let mut wire = Wire::open(&world).await;
    let models = || fs::read_to_string(world.files.path("src/models.py")).expect("a file");
    let before = models();
    let edit = json!({ "symbol_name": "MyClass", "file_path": "src/models.py", "content": "class MyClass:\n    x = 1" });
    let answer = wire.call("edit_symbol", edit.clone()).await;
    assert_eq!(models(), "class MyClass:\n    x = 1\n", "{answer:#}");
    let backup = &answer["result"]["structuredContent"]["changes"][0]["backup"];
    let backup = backup.as_str().expect("a backup");
    let operator = Caller::in_project(world.files.root().clone(), Actor::Operator);
    let restored = world.engine.project(&operator).backups().restore(backup);
    restored.expect("a backup that can be restored");
    assert_eq!(models(), before);
    let created = wire
        .call("create_task", json!({ "mode_slug": "architect" }))
        .await;
    let session = &created["result"]["structuredContent"]["session_id"];
    let refused = wire.call("edit_symbol", edit.clone()).await;
    assert_eq!(refused["result"]["error_code"], "PERMISSION_DENIED");
    assert_eq!(refused["result"]["details"]["code"], -32006, "{refused:#}");
    let mut on_session = edit;
    on_session["session_id"] = session.clone();
    let refused = wire.call("edit_symbol", on_session).await;
    assert_eq!(refused["error"]["code"], -32006, "{refused:#}");
    assert_eq!(refused["result"], Value::Null);
    assert_eq!(models(), before);
}
