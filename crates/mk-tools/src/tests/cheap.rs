//! Answers that cost a model little: outlines that page, classes as signatures, counts instead of diffs.

use std::fmt::Write as _;
use std::fs;

use mk_engine::{CodeKind, Error};
use serde_json::json;

use super::World;

/// A class that is too long to be shown as it is.
fn long_class() -> String {
    let mut text =
        "//- /a.py\nclass Cart:\n    \"\"\"What is bought.\"\"\"\n\n    size = 1\n".to_owned();
    for number in 0..60 {
        let body = "        total = 1  # a line that says little\n".repeat(3);
        let _ = write!(
            text,
            "\n    @property\n    def part_{number}(self):\n{body}        return total\n"
        );
    }
    text
}

#[tokio::test]
async fn a_long_class_is_shown_by_its_signatures() {
    let mut world = World::new(&long_class());
    let cart = json!({ "symbol_name": "Cart" });
    let short = world.done("get_symbol_definition", cart).await;
    assert!(short.text.len() < 4_500, "{}", short.text.len());
    for part in [
        "class Cart:\n    \"\"\"What is bought.\"\"\"",
        "@property def part_59(self)",
        "body true shows all",
    ] {
        assert!(short.text.contains(part), "{part}\n{}", short.text);
    }
    assert!(!short.text.contains("a line that says little"));
    let whole = json!({ "symbol_name": "Cart", "body": true });
    let whole = world.done("get_symbol_definition", whole).await;
    assert!(whole.text.contains("a line that says little"));
    let member = json!({ "symbol_name": "Cart/part_3" });
    let member = world.done("get_symbol_definition", member).await;
    assert!(member.text.contains("a line that says little"));
}

#[tokio::test]
async fn an_overview_pages_and_shows_decorators_and_overloads() {
    let mut world =
        World::new("//- /a.py\n@cache\n@other(1)\ndef f(): ...\n\ndef f(a): ...\n\ndef g(): ...\n");
    let first = json!({ "file_path": "a.py", "max_results": 2 });
    let first = world.done("get_symbols_overview", first).await;
    insta::assert_snapshot!(first.text, @r"
    3-3: @cache @other(1) def f() [0]
    5-5: def f(a) [1]
    [0–2 of 3 shown: continue with offset 2]
    ");
    assert_eq!(first.structured["next_offset"], 2);
    let rest = json!({ "file_path": "a.py", "offset": 2 });
    let rest = world.done("get_symbols_overview", rest).await;
    assert_eq!(rest.text, "7-7: def g()");
}

const CALLS: &str = "
//- /tests/test_a.py
from a import load

load('t')
//- /a.py
def load(path):
    return path


def use():
    first = load('x')
    return [load(
        other('y'),
    ), 'load(z)']  # load(comment)
";

#[tokio::test]
async fn uses_come_with_their_definition_first_and_lines_around_them() {
    let mut world = World::new(CALLS);
    let uses = json!({ "symbol_name": "load", "context_lines": 1, "max_results": 2 });
    let uses = world.done("find_references", uses).await;
    insta::assert_snapshot!(uses.text, @r"
    5 places with load, 2 shown; source: index (by name)
    a.py
      1:5: def load(path):  [definition]
      2-     return path
      5- def use():
      6:13: first = load('x')  [in use]
      7-     return [load(
    [2 of 5 shown: raise max_results]
    [no language server for `python` is installed: install one with `modekeeper lsp install python`]
    ");
    assert_eq!(uses.structured["total"], 5);
}

#[tokio::test]
async fn calls_are_replaced_by_their_structure() {
    let mut world = World::new(CALLS);
    let mut change = json!({
        "pattern": "load($A)", "replacement": "load($A, None)", "dry_run": true,
    });
    let shown = world.done("replace_structure", change.clone()).await;
    insta::assert_snapshot!(shown.text, @r"
    Would change 3 places in 2 files
    a.py (2)
      6: first = load('x')
      7: return [load(
    tests/test_a.py (1)
      3: load('t')
    ");
    change["dry_run"] = json!(false);
    change["expected_count"] = json!(2);
    let failed = world.call("replace_structure", change.clone()).await;
    assert!(matches!(failed, Err(Error::Code(error)) if error.kind == CodeKind::InvalidArguments));
    change["expected_count"] = json!(3);
    let changed = world.done("replace_structure", change).await;
    assert!(
        changed
            .text
            .starts_with("Changed 3 places in 2 files\na.py (2)\n")
    );
    let text = fs::read_to_string(world.files.path("a.py")).unwrap();
    assert_eq!(
        text,
        "def load(path):\n    return path\n\n\ndef use():\n    first = load('x', None)\n    return [load(other('y'), None), 'load(z)']  # load(comment)\n"
    );
}

#[tokio::test]
async fn a_deletion_is_confirmed_with_the_number_of_uses() {
    let mut world = World::new(CALLS);
    let mut delete = json!({ "symbol_name": "load", "file_path": "a.py", "operation": "delete" });
    let failed = world.call("edit_symbol", delete.clone()).await;
    let Err(Error::Code(error)) = failed else {
        panic!("{failed:?}");
    };
    assert!(error.message.starts_with("`load` is used in 4 places:"));
    assert!(
        error
            .hint
            .unwrap()
            .for_model()
            .ends_with("expected_count 4")
    );
    delete["expected_count"] = json!(3);
    assert!(world.call("edit_symbol", delete.clone()).await.is_err());
    delete["expected_count"] = json!(4);
    let deleted = world.done("edit_symbol", delete).await;
    assert!(deleted.text.starts_with("Changed a.py"), "{}", deleted.text);
}

#[tokio::test]
async fn a_rename_and_a_replacement_in_many_files_answer_with_counts() {
    let mut world = World::new(CALLS);
    let rename = json!({
        "symbol_name": "load", "file_path": "a.py", "operation": "rename", "new_name": "read", "dry_run": true,
    });
    let shown = world.done("edit_symbol", rename).await;
    insta::assert_snapshot!(shown.text, @r"
    Dry run, nothing is changed
    a.py (3): lines 1, 6, 7
    tests/test_a.py (2): lines 1, 3
    5 places in 2 files: load → read; source: index (by name)
    ");
    let replace = json!({ "find": "load", "replace": "read" });
    let changed = world.done("replace_in_files", replace).await;
    let counts = "Changed 7 places in 2 files\na.py (5)\ntests/test_a.py (2)\n";
    assert!(changed.text.starts_with(counts), "{}", changed.text);
}

#[tokio::test]
async fn problems_are_asked_for_by_severity_lines_and_changed_files() {
    let mut world = World::new("//- /a.py\nx = (\n\n\ny = )\n");
    let none = world.done("get_diagnostics", json!({})).await;
    assert_eq!(
        none.text,
        "No file was changed by a tool yet: name a file_path\n"
    );
    let all = world
        .done("get_diagnostics", json!({ "file_path": "a.py" }))
        .await;
    assert!(!all.text.starts_with("No problems"), "{}", all.text);
    let after = json!({ "file_path": "a.py", "start_line": 100, "min_severity": "error" });
    let after = world.done("get_diagnostics", after).await;
    assert!(
        after.text.starts_with("No problems in a.py"),
        "{}",
        after.text
    );
    let write = json!({ "file_path": "b.py", "content": "x = 1\n" });
    world.done("write_file", write).await;
    let changed = world.done("get_diagnostics", json!({})).await;
    assert!(
        changed.text.starts_with("No problems in b.py"),
        "{}",
        changed.text
    );
}
