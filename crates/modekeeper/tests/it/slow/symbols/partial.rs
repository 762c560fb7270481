//! A server sees less than there is: what it does not count is shown beside its answer, and counted before it is changed.

use serde_json::json;

use super::example::{GOPLS, RUST_ANALYZER, TY};
use super::world::{World, call, exact_references, failure, text};

const DYNAMIC: &str = "//- /m.py
class Q:
    def get(self):
        return 1

def f(x):
    return x.get()

Q().get()
//- /n.py
def g(y):
    y.get()
";

/// The same server in another project.
fn world(programs: &[&str], files: &str) -> World {
    let world = World::bare(files);
    world.link(programs);
    world
}

#[test]
fn a_rename_leaves_what_only_has_the_name_unless_it_is_counted_too() {
    let world = world(TY.programs, DYNAMIC);
    let mut client = world.client();
    let found = exact_references(&mut client, "Q/get", TY.server);
    assert!(
        text(&found).contains("[2 by ty, then 2 by name alone"),
        "{found:#}"
    );
    let mut rename = json!({ "symbol_name": "Q/get", "operation": "rename", "new_name": "fetch" });
    let answer = client.call("edit_symbol", &rename);
    let (code, message, suggestion) = failure(&answer);
    assert_eq!(code, "INVALID_ARGUMENTS", "{message}");
    assert!(
        message.contains("ty attributes 2 places to this symbol; 2 more have the same name"),
        "{message}"
    );
    assert!(
        suggestion.contains("expected_count 2") && suggestion.contains("or 4"),
        "{suggestion}"
    );
    rename["dry_run"] = json!(true);
    let dry = call(&mut client, "edit_symbol", &rename);
    assert!(
        text(&dry).contains("m.py (1): line 6\nn.py (1): line 2\n"),
        "{dry:#}"
    );
    assert_eq!(dry["structuredContent"]["by_name_alone"], 2, "{dry:#}");
    rename["dry_run"] = json!(false);
    rename["expected_count"] = json!(3);
    failure(&client.call("edit_symbol", &rename));
    rename["expected_count"] = json!(2);
    call(&mut client, "edit_symbol", &rename);
    assert!(world.text("m.py").contains("return x.get()\n\nQ().fetch()"));
    assert!(world.text("n.py").contains("y.get()"));
}

#[test]
fn a_rename_of_all_places_takes_the_servers_edits_and_the_others() {
    let world = world(TY.programs, DYNAMIC);
    let mut client = world.client();
    exact_references(&mut client, "Q/get", TY.server);
    let rename = json!({
        "symbol_name": "Q/get", "operation": "rename", "new_name": "fetch", "expected_count": 4,
    });
    let done = call(&mut client, "edit_symbol", &rename);
    assert_eq!(done["structuredContent"]["total_matches"], 4, "{done:#}");
    let expected = DYNAMIC.replace("get", "fetch");
    let (_, n) = expected.split_once("//- /n.py\n").unwrap();
    assert_eq!(world.text("n.py"), n);
    assert!(
        expected.contains(&world.text("m.py")),
        "{}",
        world.text("m.py")
    );
}

const DEEP: &str = "//- /x/y/lib/Cargo.toml
[package]
name = \"deep\"
version = \"0.1.0\"
edition = \"2021\"
//- /x/y/lib/src/lib.rs
pub fn total() -> u32 { 1 }
pub fn twice() -> u32 { 2 * total() }
//- /loose/lib.rs
fn alone() {}
fn calls() { alone() }
";

#[test]
fn rust_analyzer_is_told_where_the_crates_are_and_asked_about_nothing_else() {
    let world = world(RUST_ANALYZER.programs, DEEP);
    let mut client = world.client();
    let found = exact_references(&mut client, "total", RUST_ANALYZER.server);
    assert_eq!(found["structuredContent"]["total"], 2, "{found:#}");
    let loose = json!({ "symbol_name": "alone", "file_path": "loose/lib.rs" });
    let found = call(&mut client, "find_references", &loose);
    assert_eq!(
        found["structuredContent"]["source"], "index (by name)",
        "{found:#}"
    );
    assert!(text(&found).contains("has Cargo.toml"), "{found:#}");
    let file = json!({ "file_path": "loose/lib.rs" });
    let problems = call(&mut client, "get_diagnostics", &file);
    assert_eq!(
        problems["structuredContent"]["source"], "syntax",
        "{problems:#}"
    );
    assert!(text(&problems).contains("has Cargo.toml"), "{problems:#}");
}

#[test]
fn gopls_without_a_module_does_not_find_everything_in_order() {
    let world = world(
        GOPLS.programs,
        "//- /a.go\npackage a\n\nfunc Used() int { return 1 }\n",
    );
    let mut client = world.client();
    let problems = call(
        &mut client,
        "get_diagnostics",
        &json!({ "file_path": "a.go" }),
    );
    assert_eq!(
        problems["structuredContent"]["source"], "syntax",
        "{problems:#}"
    );
    assert!(
        text(&problems).contains("`gopls` cannot read the project"),
        "{problems:#}"
    );
}
