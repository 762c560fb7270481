//! Changing files: what an answer tells, what is refused because it was not seen or not clear, and the way back.

use std::fs;

use mk_engine::{Actor, Caller};
use serde_json::{Value, json};

use super::super::World;
use super::super::wire::{Wire, text};

/// What a file holds after all that was done to it; nothing where it must not be.
#[track_caller]
fn check(world: &World, path: &str, expected: Option<&str>) {
    let found = fs::read_to_string(world.files.path(path)).ok();
    assert_eq!(found.as_deref(), expected, "{path}");
}

fn operator(world: &World) -> Caller {
    Caller::in_project(world.files.root().clone(), Actor::Operator)
}

/// Undoes a call by the backup that its answer names.
fn undo(world: &World, answer: &Value) {
    let changes = answer["result"]["structuredContent"]["changes"].as_array();
    let backup = changes
        .into_iter()
        .flatten()
        .find_map(|change| change["backup"].as_str());
    let backup = backup.unwrap_or_else(|| panic!("no backup in {answer:#}"));
    assert!(text(answer).contains(&format!("Undo: modekeeper backups restore {backup}")));
    let operator = operator(world);
    let restored = world.engine.project(&operator).backups().restore(backup);
    restored.expect("a backup that can be restored");
}

#[tokio::test]
async fn a_writer_with_a_stale_revision_is_told_what_it_did_not_see() {
    let world = World::new("//- /a.txt\none\ntwo\n");
    let mut first = Wire::open(&world).await;
    let mut second = Wire::open(&world).await;
    let read = first
        .call("read_file", json!({ "file_path": "a.txt" }))
        .await;
    let revision = read["result"]["structuredContent"]["revision"].clone();
    let seen =
        json!({ "file_path": "a.txt", "content": "one\n2\n", "expected_revision": revision });
    second.call("write_file", seen).await;
    let stale =
        json!({ "file_path": "a.txt", "content": "1\ntwo\n", "expected_revision": revision });
    let answer = first.call("write_file", stale).await;
    assert_eq!(answer["result"]["isError"], true, "{answer:#}");
    assert_eq!(answer["result"]["error_code"], "INVALID_ARGUMENTS");
    assert!(text(&answer).starts_with("Error: `a.txt` has changed since it was read"));
    assert!(text(&answer).contains("-two\n+2"), "{answer:#}");
    let details = &answer["result"]["details"];
    assert_ne!(details["revision"], revision);
    check(&world, "a.txt", Some("one\n2\n"));
    let fresh = json!({ "file_path": "a.txt", "content": "1\n2\n", "expected_revision": details["revision"] });
    first.call("write_file", fresh).await;
    check(&world, "a.txt", Some("1\n2\n"));
}

#[tokio::test]
async fn a_task_need_not_name_the_revision_it_has_read() {
    let world = World::new("//- /a.txt\none\n");
    let mut first = Wire::open(&world).await;
    let mut second = Wire::open(&world).await;
    for wire in [&mut first, &mut second] {
        wire.call("create_task", json!({ "mode_slug": "code" }))
            .await;
        wire.call("read_file", json!({ "file_path": "a.txt" }))
            .await;
    }
    let write = |content: &str| json!({ "file_path": "a.txt", "content": content });
    first.call("write_file", write("first\n")).await;
    let answer = second.call("write_file", write("second\n")).await;
    assert!(text(&answer).contains("-one\n+first"), "{answer:#}");
    check(&world, "a.txt", Some("first\n"));
    // Its own change is one that it has seen.
    first.call("write_file", write("again\n")).await;
    check(&world, "a.txt", Some("again\n"));
}

#[tokio::test]
async fn an_ambiguous_replacement_is_refused_with_its_lines() {
    let world = World::new("//- /a.txt\nx\ny\nx\n");
    let mut wire = Wire::open(&world).await;
    let mut arguments = json!({ "file_path": "a.txt", "find": "x", "replace": "z" });
    let answer = wire.call("replace_content", arguments.clone()).await;
    let expected = "Error: `x` occurs 2 times in `a.txt` (lines 1, 3)";
    assert!(text(&answer).starts_with(expected), "{answer:#}");
    assert_eq!(answer["result"]["error_code"], "INVALID_ARGUMENTS");
    check(&world, "a.txt", Some("x\ny\nx\n"));
    arguments["all"] = json!(true);
    let answer = wire.call("replace_content", arguments).await;
    assert!(
        text(&answer).starts_with("Changed a.txt (+2 −2)"),
        "{answer:#}"
    );
    check(&world, "a.txt", Some("z\ny\nz\n"));
    undo(&world, &answer);
    check(&world, "a.txt", Some("x\ny\nx\n"));
}

#[tokio::test]
async fn a_replacement_in_many_files_is_shown_first_and_undone_as_one() {
    let world = World::new("//- /a.txt\nword\n//- /b/c.txt\nword word\n//- /d.txt\nother\n");
    let mut wire = Wire::open(&world).await;
    let mut arguments = json!({ "find": "word", "replace": "term", "dry_run": true });
    let answer = wire.call("replace_in_files", arguments.clone()).await;
    assert!(
        text(&answer).starts_with("Would change 3 places in 2 files\n"),
        "{answer:#}"
    );
    assert_eq!(
        answer["result"]["structuredContent"],
        json!({
            "dry_run": true,
            "total_matches": 3,
            "files": [
                { "file_path": "a.txt", "count": 1 },
                { "file_path": "b/c.txt", "count": 2 },
            ],
            "text": text(&answer),
        })
    );
    check(&world, "a.txt", Some("word\n"));
    arguments["dry_run"] = json!(false);
    arguments["expected_count"] = json!(2);
    let answer = wire.call("replace_in_files", arguments.clone()).await;
    let expected = "Error: Expected 2 matches, found 3";
    assert!(text(&answer).starts_with(expected), "{answer:#}");
    arguments["expected_count"] = json!(3);
    let answer = wire.call("replace_in_files", arguments).await;
    check(&world, "a.txt", Some("term\n"));
    check(&world, "b/c.txt", Some("term term\n"));
    check(&world, "d.txt", Some("other\n"));
    undo(&world, &answer);
    check(&world, "a.txt", Some("word\n"));
    check(&world, "b/c.txt", Some("word word\n"));
}

#[tokio::test]
async fn moved_deleted_and_created_files_come_back_as_they_were() {
    let world = World::new("//- /a.txt\none\n//- /b.txt\ntwo\n");
    let mut wire = Wire::open(&world).await;
    let moved = json!({ "from_path": "a.txt", "to_path": "new/a.txt" });
    let answer = wire.call("move_file", moved).await;
    check(&world, "a.txt", None);
    check(&world, "new/a.txt", Some("one\n"));
    undo(&world, &answer);
    check(&world, "a.txt", Some("one\n"));
    check(&world, "new/a.txt", None);

    let answer = wire
        .call("delete_file", json!({ "file_path": "b.txt" }))
        .await;
    check(&world, "b.txt", None);
    undo(&world, &answer);
    check(&world, "b.txt", Some("two\n"));

    let created = json!({ "file_path": "c.txt", "content": "three\n" });
    let answer = wire.call("write_file", created).await;
    check(&world, "c.txt", Some("three\n"));
    undo(&world, &answer);
    check(&world, "c.txt", None);
}

#[tokio::test]
async fn a_move_onto_a_file_is_refused() {
    let world = World::new("//- /a.txt\none\n//- /b.txt\ntwo\n");
    let mut wire = Wire::open(&world).await;
    let onto = json!({ "from_path": "a.txt", "to_path": "b.txt" });
    let answer = wire.call("move_file", onto).await;
    assert!(text(&answer).starts_with("Error: `b.txt` already exists"));
    check(&world, "a.txt", Some("one\n"));
    check(&world, "b.txt", Some("two\n"));
}
