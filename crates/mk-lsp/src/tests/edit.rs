//! Renames as servers write them.

use std::sync::Arc;

use mk_types::AbsPath;
use serde_json::{Value, json};

use crate::FileRef;
use crate::edit::WorkspaceEdit;
use crate::position::Encoding;

const TEXT: &str = "let 😀 = name;\nname();\n";

/// What a plan says, and what becomes of the text.
#[track_caller]
fn check(edit: &Value, expected: &str) {
    let root = AbsPath::new(std::path::Path::new("/project")).expect("a path");
    let edit: WorkspaceEdit = serde_json::from_value(edit.clone()).expect("an edit");
    let readable = |file: &FileRef| {
        let FileRef::Inside(_) = file else {
            return None;
        };
        Some(Arc::from(TEXT))
    };
    let said = match edit.plan(&root, Encoding::Utf16, &readable) {
        Err(reason) => reason,
        Ok(plan) => {
            let files = plan
                .files
                .iter()
                .map(|file| format!("{}: {}", file.file, file.apply(TEXT)));
            let moves = plan
                .moves
                .iter()
                .map(|step| format!("{} -> {}", step.from, step.to));
            files.chain(moves).collect::<Vec<_>>().join("\n")
        }
    };
    assert_eq!(said, expected);
}

fn place(line: u32, start: u32, end: u32) -> Value {
    json!({"start": {"line": line, "character": start}, "end": {"line": line, "character": end}})
}

#[test]
fn both_forms_give_the_same_text() {
    let edits = json!([
        {"range": place(1, 0, 4), "newText": "other"},
        {"range": place(0, 9, 13), "newText": "other"},
    ]);
    let changed = "src/a.rs: let 😀 = other;\nother();\n";
    check(
        &json!({"changes": {"file:///project/src/a.rs": edits}}),
        changed,
    );
    check(
        &json!({"documentChanges": [
            {"textDocument": {"uri": "file:///project/src/a.rs", "version": null}, "edits": edits},
        ]}),
        changed,
    );
}

#[test]
fn a_place_that_is_named_twice_is_changed_once() {
    let twice = json!({"range": place(1, 0, 4), "newText": "other"});
    check(
        &json!({"changes": {"file:///project/a%20b.rs": [twice, twice]}}),
        "a b.rs: let 😀 = name;\nother();\n",
    );
}

#[test]
fn changes_that_overlap_are_refused() {
    check(
        &json!({"changes": {"file:///project/a.rs": [
            {"range": place(1, 0, 4), "newText": "x"},
            {"range": place(1, 2, 6), "newText": "y"},
        ]}}),
        "changes of `a.rs` overlap in line 2",
    );
}

#[test]
fn files_that_move_are_reported() {
    check(
        &json!({"documentChanges": [
            {"kind": "rename", "oldUri": "file:///project/a.rs", "newUri": "file:///project/b.rs"},
        ]}),
        "a.rs -> b.rs",
    );
}

#[test]
fn creating_and_deleting_files_is_refused() {
    check(
        &json!({"documentChanges": [{"kind": "delete", "uri": "file:///project/a.rs"}]}),
        "it wants to delete a file",
    );
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    check(
        &json!({"changes": {"file:///usr/lib/python3/os.py": []}}),
        "`/usr/lib/python3/os.py` cannot be read",
    );
}
