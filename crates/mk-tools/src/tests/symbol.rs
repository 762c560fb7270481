//! Symbols: what is found while files change, what a mode lets happen, and what an edit does and says.

use std::fs;

use mk_engine::IndexProgress;
use mk_engine::{Actor, Caller, CodeKind, Error};
use serde_json::{Value, json};

use super::World;
use crate::symbols::indexed;
use crate::{ToolAnswer, ToolReply};

const SHAPES: &str = r#"
//- /src/shape.py
"""Shapes."""


class Shape:
    """What has an area."""

    def area(self):
        return 0


class Square(Shape):
    def area(self):
        return self.side ** 2


def unused():
    return unused
//- /src/draw.py
from shape import Square


def draw(square):
    # Square is drawn here
    return Square, square.area()
//- /notes.md
# Shapes

## Square
"#;

/// The names that a query finds, best first.
#[track_caller]
fn check(found: &ToolReply, expected: &[&str]) {
    let symbols = found.structured["symbols"].as_array().expect("symbols");
    let names: Vec<String> = symbols
        .iter()
        .map(|symbol| {
            let text = |key: &str| symbol[key].as_str().unwrap_or_default().to_owned();
            format!("{} {}", text("file_path"), text("name_path"))
        })
        .collect();
    assert_eq!(names, expected, "{}", found.text);
    assert_eq!(found.structured["complete"], true);
    assert_eq!(found.structured["source"], "index");
}

async fn find(world: &mut World, query: &str) -> ToolReply {
    world.done("find_symbols", json!({ "query": query })).await
}

#[track_caller]
fn file(world: &World, path: &str) -> String {
    fs::read_to_string(world.files.path(path)).expect("a file")
}

/// The way in which a call failed: kind, message, hint.
#[track_caller]
fn failure(failed: Result<ToolAnswer, Error>) -> (CodeKind, String, String) {
    match failed {
        Err(Error::Code(code)) => {
            let hint = code.hint.as_ref().map(|step| step.for_model().into_owned());
            (code.kind, code.message, hint.unwrap_or_default())
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn symbols_are_found_by_name_path_kind_and_file() {
    let mut world = World::new(SHAPES);
    check(
        &find(&mut world, "Shape/area").await,
        &["src/shape.py Shape/area"],
    );
    check(
        &find(&mut world, "Squar").await,
        &["src/shape.py Square", "notes.md Shapes/Square"],
    );
    let headings = json!({ "query": "Square", "symbol_type": "heading" });
    check(
        &world.done("find_symbols", headings).await,
        &["notes.md Shapes/Square"],
    );
    let in_python = json!({ "query": "area", "file_pattern": "*.py", "max_results": 1 });
    let found = world.done("find_symbols", in_python).await;
    check(&found, &["src/shape.py Shape/area"]);
    assert_eq!(
        found.text,
        "Found symbols:\n- Shape/area in src/shape.py:7-8 (method)\n[1 of 2 shown]"
    );
    let nothing = find(&mut world, "xyzzy").await;
    assert_eq!(nothing.text, "Found no symbols");
    let (kind, message, _) = failure(
        world
            .call(
                "find_symbols",
                json!({ "query": "a", "symbol_type": "verb" }),
            )
            .await,
    );
    assert_eq!(kind, CodeKind::InvalidArguments);
    assert!(message.starts_with("Parameter symbol_type must be one of: class, struct"));
}

#[tokio::test]
async fn what_changes_outside_is_noticed_at_the_next_look() {
    let mut world = World::new(SHAPES);
    check(&find(&mut world, "/Square").await, &["src/shape.py Square"]);
    world
        .files
        .save("src/shape.py", "class Circle:\n    pass\n");
    world.files.write("src/new.py", "class Square:\n    pass\n");
    world.wait(2);
    check(&find(&mut world, "/Square").await, &["src/new.py Square"]);
    check(&find(&mut world, "Circle").await, &["src/shape.py Circle"]);
    let moved = world.files.path("src/moved.py");
    fs::rename(world.files.path("src/new.py"), moved).expect("a file that can be moved");
    world.files.remove("src/shape.py");
    world.wait(2);
    check(&find(&mut world, "/Square").await, &["src/moved.py Square"]);
    check(&find(&mut world, "Circle").await, &[]);
}

#[tokio::test]
async fn what_our_own_tools_change_is_noticed_at_once() {
    let mut world = World::new(SHAPES);
    find(&mut world, "Square").await;
    let write = json!({ "file_path": "src/circle.py", "content": "class Circle:\n    pass\n" });
    world.done("write_file", write).await;
    check(&find(&mut world, "Circle").await, &["src/circle.py Circle"]);
    let moved = json!({ "from_path": "src/circle.py", "to_path": "circle.py" });
    world.done("move_file", moved).await;
    check(&find(&mut world, "Circle").await, &["circle.py Circle"]);
    world
        .done("delete_file", json!({ "file_path": "circle.py" }))
        .await;
    check(&find(&mut world, "Circle").await, &[]);
}

#[tokio::test]
async fn a_definition_comes_with_its_text_by_name_and_by_place() {
    let mut world = World::new(SHAPES);
    let by_name = json!({ "symbol_name": "Shape" });
    let by_name = world.done("get_symbol_definition", by_name).await;
    insta::assert_snapshot!(by_name.text, @r#"
    Shape in src/shape.py:4-8 (class)
    class Shape:
        """What has an area."""

        def area(self):
            return 0
    "#);
    let found = &by_name.structured["definitions"][0];
    assert_eq!(found["signature"], "class Shape");
    assert_eq!(found["docs"], "What has an area.");
    // The second word of `return Square, …` is a use of the class.
    let place = json!({ "file_path": "src/draw.py", "line": 6, "column": 13 });
    let by_place = world.done("get_symbol_definition", place).await;
    assert_eq!(by_place.structured["definitions"][0]["name_path"], "Square");
    let (kind, message, hint) = failure(
        world
            .call("get_symbol_definition", json!({ "symbol_name": "Sqare" }))
            .await,
    );
    assert_eq!(kind, CodeKind::SymbolNotFound);
    assert_eq!(message, "There is no symbol `Sqare`");
    assert!(hint.starts_with("the nearest names are: Square"), "{hint}");
    let (kind, _, hint) = failure(
        world
            .call(
                "get_symbol_definition",
                json!({ "symbol_name": "Shape", "file_path": "src/shapes.py" }),
            )
            .await,
    );
    assert_eq!(kind, CodeKind::FileNotFound);
    assert_eq!(hint, "did you mean src/shape.py?");
    let (kind, _, _) = failure(world.call("get_symbol_definition", json!({})).await);
    assert_eq!(kind, CodeKind::InvalidArguments);
}

#[tokio::test]
async fn an_overview_is_a_tree_of_signatures() {
    let mut world = World::new(SHAPES);
    let overview = json!({ "file_path": "src/shape.py" });
    let all = world.done("get_symbols_overview", overview).await;
    insta::assert_snapshot!(all.text, @r"
    4-8: class Shape
      7-8: def area(self)
    11-13: class Square(Shape)
      12-13: def area(self)
    16-17: def unused()
    ");
    assert_eq!(all.structured["language"], "python");
    let top = json!({ "file_path": "src/shape.py", "depth": 0 });
    let top = world.done("get_symbols_overview", top).await;
    assert_eq!(top.text.lines().count(), 3);
}

#[tokio::test]
async fn uses_are_found_by_name_and_say_so() {
    let mut world = World::new(SHAPES);
    let uses = json!({ "symbol_name": "Square" });
    let uses = world.done("find_references", uses).await;
    insta::assert_snapshot!(uses.text, @r"
    3 places with Square; source: index (by name)
    src/shape.py
      11:7: class Square(Shape):  [definition]
    src/draw.py
      1:19: from shape import Square
      6:12: return Square, square.area()  [in draw]
    [no language server for `python` is installed: install one with `modekeeper lsp install python`]
    ");
    let (kind, _, _) = failure(
        world
            .call("find_references", json!({ "symbol_name": "Sqare" }))
            .await,
    );
    assert_eq!(kind, CodeKind::SymbolNotFound);
}

#[tokio::test]
async fn the_map_keeps_to_its_tokens() {
    let mut world = World::new(SHAPES);
    let map = loop {
        let map = world.done("get_repository_map", json!({})).await;
        if !map.text.contains("[Indexing in progress") {
            break map;
        }
    };
    assert!(map.text.contains("src/shape.py\n"), "{}", map.text);
    assert!(map.text.contains("class Square(Shape)"), "{}", map.text);
    let small = json!({ "max_tokens": 12 });
    let small = world.done("get_repository_map", small).await;
    assert!(small.text.len() <= 48, "{}", small.text);
}

#[tokio::test]
async fn what_an_ignore_file_hides_has_no_symbols() {
    let mut world = World::new(SHAPES);
    world.files.write(".rooignore", "src/shape.py\n");
    check(&find(&mut world, "/Shape").await, &[]);
    let uses = json!({ "symbol_name": "Square" });
    let uses = world.done("find_references", uses).await;
    assert!(!uses.text.contains("shape.py\n"), "{}", uses.text);
    let map = world.done("get_repository_map", json!({})).await;
    assert!(!map.text.contains("shape.py"), "{}", map.text);
    for tool in ["get_symbols_overview", "edit_symbol"] {
        let arguments =
            json!({ "file_path": "src/shape.py", "symbol_name": "Shape", "content": "" });
        let refused = world.call(tool, arguments).await;
        assert!(matches!(refused, Err(Error::Denied { .. })), "{refused:?}");
    }
}

#[tokio::test]
async fn a_mode_that_reads_some_files_sees_their_symbols() {
    let mut world = World::new(SHAPES);
    let modes = "customModes:\n  - slug: writer\n    name: Writer\n    roleDefinition: Writes.\n    groups:\n      - - read\n        - fileRegex: \\.md$\n";
    world.files.write(".roomodes", modes);
    world.create("writer").await;
    check(
        &find(&mut world, "Square").await,
        &["notes.md Shapes/Square"],
    );
    let hidden = json!({ "file_path": "src/shape.py" });
    let refused = world.call("get_symbols_overview", hidden).await;
    assert!(matches!(refused, Err(Error::Denied { .. })), "{refused:?}");
}

#[tokio::test]
async fn architect_edits_headings_and_no_code() {
    let mut world = World::new(SHAPES);
    world.create("architect").await;
    let code = json!({ "symbol_name": "unused", "operation": "delete" });
    let refused = world.call("edit_symbol", code).await;
    assert!(matches!(refused, Err(Error::Denied { .. })), "{refused:?}");
    let rename = json!({ "symbol_name": "unused", "operation": "rename", "new_name": "other", "dry_run": true });
    let refused = world.call("edit_symbol", rename).await;
    assert!(matches!(refused, Err(Error::Denied { .. })), "{refused:?}");
    let heading = json!({ "symbol_name": "Shapes/Square", "operation": "insert_after", "content": "## Circle" });
    let edited = world.done("edit_symbol", heading).await;
    assert!(file(&world, "notes.md").contains("## Circle"), "{edited:?}");
    world.create("ask").await;
    let nothing = json!({ "symbol_name": "no such", "operation": "delete" });
    let refused = world.call("edit_symbol", nothing).await;
    assert!(matches!(refused, Err(Error::Denied { .. })), "{refused:?}");
}

#[tokio::test]
async fn a_replacement_is_shown_first_and_undone_by_its_backup() {
    let mut world = World::new(SHAPES);
    let before = file(&world, "src/shape.py");
    let mut arguments = json!({
        "symbol_name": "Square/area",
        "content": "def area(self):\n    return self.side * self.side",
        "dry_run": true,
    });
    let shown = world.done("edit_symbol", arguments.clone()).await;
    assert!(shown.text.starts_with("Dry run"), "{}", shown.text);
    assert!(shown.text.contains("+        return self.side * self.side"));
    assert_eq!(file(&world, "src/shape.py"), before);
    arguments["dry_run"] = json!(false);
    let edited = world.done("edit_symbol", arguments).await;
    let after = before.replace("self.side ** 2", "self.side * self.side");
    assert_eq!(file(&world, "src/shape.py"), after);
    assert_eq!(edited.structured["syntax_errors"], json!([]));
    let backup = edited.structured["changes"][0]["backup"].as_str();
    let operator = Caller::in_project(world.files.root().clone(), Actor::Operator);
    let restored = world
        .engine
        .project(&operator)
        .backups()
        .restore(backup.expect("a backup"));
    restored.expect("a backup that can be restored");
    assert_eq!(file(&world, "src/shape.py"), before);
}

#[tokio::test]
async fn an_edit_that_breaks_the_syntax_says_where() {
    let mut world = World::new(SHAPES);
    let arguments = json!({ "symbol_name": "unused", "content": "def unused(:\n    return 1" });
    let edited = world.done("edit_symbol", arguments).await;
    let errors = edited.structured["syntax_errors"].as_array();
    let first = errors.and_then(|errors| errors.first()).expect("an error");
    assert_eq!(first["line"], 16, "{edited:?}");
    assert!(
        edited.text.contains("Syntax error at src/shape.py:16:"),
        "{}",
        edited.text
    );
}

#[tokio::test]
async fn what_is_used_is_not_deleted() {
    let mut world = World::new(SHAPES);
    let used = json!({ "symbol_name": "/Square", "operation": "delete" });
    let (kind, message, _) = failure(world.call("edit_symbol", used).await);
    assert_eq!(kind, CodeKind::InvalidArguments);
    assert_eq!(
        message,
        "`Square` is used in 2 places:\n- src/draw.py:1: from shape import Square\n- src/draw.py:6: return Square, square.area()"
    );
    // It uses itself, which keeps nothing alive.
    let unused = json!({ "symbol_name": "unused", "operation": "delete" });
    world.done("edit_symbol", unused).await;
    let after = file(&world, "src/shape.py");
    assert!(after.ends_with("return self.side ** 2\n"), "{after}");
}

#[tokio::test]
async fn a_rename_changes_every_file_and_no_comment() {
    let mut world = World::new(SHAPES);
    let rename = |symbol: &str, dry_run: bool, count: Value| {
        json!({
            "symbol_name": symbol, "operation": "rename", "new_name": "Box",
            "file_path": "src/shape.py", "dry_run": dry_run, "expected_count": count,
        })
    };
    let shown = world
        .done("edit_symbol", rename("Square", true, Value::Null))
        .await;
    assert_eq!(shown.structured["total_matches"], 3, "{}", shown.text);
    let places = "src/draw.py (2): lines 1, 6\nsrc/shape.py (1): line 11\n";
    assert!(shown.text.contains(places), "{}", shown.text);
    assert!(file(&world, "src/shape.py").contains("class Square"));
    // A heading has the name too, and only the name is known.
    let doubtful = world
        .call("edit_symbol", rename("Square", false, Value::Null))
        .await;
    let (_, message, hint) = failure(doubtful);
    assert!(
        message.contains("`Square` is also defined at notes.md:3"),
        "{message}"
    );
    assert_eq!(
        hint,
        "look at them with dry_run, then repeat with expected_count 3"
    );
    let (_, message, _) = failure(
        world
            .call("edit_symbol", rename("Square", false, json!(4)))
            .await,
    );
    assert_eq!(message, "Expected 4 matches, found 3");
    let renamed = world
        .done("edit_symbol", rename("Square", false, json!(3)))
        .await;
    assert_eq!(renamed.structured["source"], "index (by name)");
    let changes = renamed.structured["changes"].as_array().expect("changes");
    assert_eq!(changes.len(), 2);
    assert_eq!(changes[0]["backup"], changes[1]["backup"]);
    let draw = file(&world, "src/draw.py");
    assert!(draw.contains("import Box"), "{draw}");
    assert!(draw.contains("# Square is drawn here"), "{draw}");
    assert!(draw.contains("return Box, square.area()"), "{draw}");
    check(&find(&mut world, "Box").await, &["src/shape.py Box"]);
}

#[tokio::test]
async fn a_rename_that_breaks_the_syntax_says_where() {
    let mut world = World::new(SHAPES);
    let rename = json!({ "symbol_name": "unused", "operation": "rename", "new_name": "class", "dry_run": true });
    let shown = world.done("edit_symbol", rename).await;
    assert!(
        shown.text.contains("Syntax error at src/shape.py:16:"),
        "{}",
        shown.text
    );
    let errors = &shown.structured["syntax_errors"];
    assert_eq!(errors[0]["file_path"], "src/shape.py", "{errors}");
}

#[tokio::test]
async fn a_name_that_nothing_else_has_is_renamed_without_asking() {
    let mut world = World::new(SHAPES);
    world.files.write(
        "ü.py",
        "import shape\r\nü = [shape.unused, shape.unused]\r\n",
    );
    let rename = json!({ "symbol_name": "unused", "operation": "rename", "new_name": "nothing" });
    world.done("edit_symbol", rename).await;
    assert!(file(&world, "src/shape.py").contains("def nothing():\n    return nothing\n"));
    assert_eq!(
        file(&world, "ü.py"),
        "import shape\r\nü = [shape.nothing, shape.nothing]\r\n"
    );
    let bad = json!({ "symbol_name": "nothing", "operation": "rename", "new_name": "a b" });
    let (kind, message, _) = failure(world.call("edit_symbol", bad).await);
    assert_eq!(kind, CodeKind::InvalidArguments);
    assert_eq!(message, "`a b` is not an identifier");
    let none = json!({ "symbol_name": "nothing", "operation": "rename" });
    let (_, message, _) = failure(world.call("edit_symbol", none).await);
    assert_eq!(
        message,
        "Missing required parameter for edit_symbol rename: new_name"
    );
}

#[tokio::test]
async fn a_type_is_renamed_together_with_the_blocks_that_add_to_it() {
    let mut world = World::new(
        "//- /src/lib.rs\npub struct Old;\n\nimpl Old {\n    pub fn new() -> Self {\n        Old\n    }\n}\n",
    );
    let rename = json!({ "symbol_name": "Old", "operation": "rename", "new_name": "New" });
    let renamed = world.done("edit_symbol", rename).await;
    assert_eq!(renamed.structured["total_matches"], 3, "{}", renamed.text);
    check(
        &find(&mut world, "New").await,
        &[
            "src/lib.rs New",
            "src/lib.rs New/new",
            "src/lib.rs impl New",
        ],
    );
}

#[tokio::test]
async fn a_name_that_several_symbols_have_is_not_guessed_at() {
    let mut world = World::new(SHAPES);
    let arguments = json!({ "symbol_name": "area", "content": "pass" });
    let (kind, message, hint) = failure(world.call("edit_symbol", arguments).await);
    assert_eq!(kind, CodeKind::InvalidArguments);
    assert_eq!(
        message,
        "`area` names 2 symbols\n- src/shape.py:7 Shape/area\n- src/shape.py:12 Square/area"
    );
    assert_eq!(
        hint,
        "name the file, or add the container (`A/b`) or the index (`b[1]`)"
    );
}

#[test]
fn an_answer_says_how_complete_the_index_was() {
    let parsing = IndexProgress::Parsing {
        done: 120,
        total: 900,
    };
    assert_eq!(
        indexed::note(parsing).as_deref(),
        Some("[Indexing in progress, 120 of 900 files: results may be incomplete]")
    );
    assert_eq!(
        indexed::facts("index", parsing),
        json!({ "source": "index", "complete": false, "files_indexed": 120, "files_to_index": 900 })
    );
    assert_eq!(indexed::note(IndexProgress::Ready), None);
    assert!(indexed::note(IndexProgress::Listing).is_some());
}

/// A class that is too long to be shown as a whole.
fn long_class() -> String {
    let method = |number: usize| {
        format!(
            "    def method_{number}(self):\n        return {number}  # long enough to be left out\n\n"
        )
    };
    let methods: String = (0..200).map(method).collect();
    format!("class Long:\n{methods}")
}

#[tokio::test]
async fn an_excerpt_given_back_changes_nothing() {
    let mut world = World::new("");
    let text = long_class();
    world.files.write("long.py", &text);
    let shown = world
        .done("get_symbol_definition", json!({ "symbol_name": "Long" }))
        .await;
    let (_, excerpt) = shown.text.split_once('\n').expect("a head");
    assert!(excerpt.len() < text.len() / 2, "{excerpt}");
    let edit = json!({ "symbol_name": "Long", "content": excerpt });
    match world.call("edit_symbol", edit).await {
        Err(Error::Code(error)) => assert!(error.message.contains("body true"), "{error:?}"),
        other => panic!("{other:?}"),
    }
    let kept = fs::read_to_string(world.files.path("long.py")).expect("the file");
    assert_eq!(kept, text);
}

#[tokio::test]
async fn macros_make_no_problems_and_open_brackets_do() {
    let mut world = World::new("");
    let macros = "class A\n{\n  MY_PRIVATE_UNLESS_TESTED:\n    int b = 16 KB;\n};\n";
    world.files.write("a.hpp", macros);
    let file = json!({ "file_path": "a.hpp" });
    let found = world.done("get_diagnostics", file.clone()).await;
    assert_eq!(found.structured["total"], 0, "{}", found.text);
    assert!(
        found.text.contains("only brackets were checked"),
        "{}",
        found.text
    );
    world.files.write("a.hpp", macros.replace("};", ""));
    let found = world.done("get_diagnostics", file).await;
    assert_eq!(found.structured["total"], 1, "{}", found.text);
    assert!(
        found.text.contains("a.hpp:2:1: error: `{` is not closed"),
        "{}",
        found.text
    );
    // Where nothing is hidden, the grammar's word counts.
    world.files.write("b.c", "int a = ;\n");
    let found = world
        .done("get_diagnostics", json!({ "file_path": "b.c" }))
        .await;
    assert_eq!(found.structured["total"], 1, "{}", found.text);
}

#[tokio::test]
async fn a_name_that_the_language_uses_is_not_renamed() {
    let files = [
        ("a.swift", "A/init", "class A {\n  init() {}\n}\n"),
        (
            "a.py",
            "A/__init__",
            "class A:\n    def __init__(self): ...\n",
        ),
        (
            "a.ts",
            "A/constructor",
            "class A {\n  constructor() {}\n}\n",
        ),
        ("a.go", "main", "package main\n\nfunc main() {}\n"),
    ];
    let mut world = World::new("");
    for (file, name, text) in files {
        world.files.write(file, text);
        let rename = json!({
            "symbol_name": name, "file_path": file, "operation": "rename", "new_name": "other", "expected_count": 1,
        });
        match world.call("edit_symbol", rename).await {
            Err(Error::Code(error)) => {
                assert_eq!(error.kind, CodeKind::InvalidArguments, "{error:?}");
                assert!(
                    error.message.contains("reserved by the language"),
                    "{error:?}"
                );
            }
            other => panic!("{file} {other:?}"),
        }
        let kept = fs::read_to_string(world.files.path(file)).expect("the file");
        assert_eq!(kept, text);
    }
}
