//! Code tools beside their wire: long answers, limits, and advice with every failure.

use std::fmt::Write as _;

use mk_engine::{CodeKind, Error};
use serde_json::{Value, json};

use super::World;
use crate::all;

/// A call fails in this way, and says what works instead.
#[track_caller]
fn check(failed: Result<crate::ToolAnswer, Error>, kind: CodeKind, message: &str, hint: &str) {
    match failed {
        Err(Error::Code(code)) => {
            assert_eq!(code.kind, kind, "{code:?}");
            assert_eq!(code.message, message);
            let shown = code.hint.as_ref().map(mk_engine::NextStep::for_model);
            assert_eq!(shown.as_deref(), Some(hint));
        }
        other => panic!("{other:?}"),
    }
}

/// All of a file, by going on where each answer says; and how many answers it took.
async fn read_on(world: &mut World, path: &str) -> (String, usize) {
    let mut whole = String::new();
    let mut start = json!(1);
    let mut answers = 0;
    while !start.is_null() {
        let arguments = json!({ "file_path": path, "start_line": start });
        let reply = world.done("read_file", arguments).await;
        let text = reply.text.split("\n[cut before line ").next();
        whole.push_str(text.expect("a first part"));
        whole.push('\n');
        start = reply.structured["next_start_line"].clone();
        answers += 1;
    }
    (whole, answers)
}

#[tokio::test]
async fn a_long_file_is_read_in_parts_that_say_how_to_go_on() {
    let mut world = World::new("");
    let mut text = String::new();
    for line in 0..20_000 {
        let _ = writeln!(text, "{line} is the number of this line");
    }
    world.files.write("long.txt", &text);
    let (whole, answers) = read_on(&mut world, "long.txt").await;
    assert!(whole == text, "parts do not make the whole");
    assert!(answers > 1);
}

#[tokio::test]
async fn a_line_that_is_too_long_is_cut_within_and_the_next_is_reached() {
    let mut world = World::new("");
    let long = "ü".repeat(400_000);
    world.files.write("one.txt", &long);
    world.files.write("two.txt", format!("{long}\nlast\n"));
    let reply = world
        .done("read_file", json!({ "file_path": "one.txt" }))
        .await;
    assert!(reply.text.contains("more bytes of line 1 do not fit"));
    assert_eq!(reply.structured["next_start_line"], Value::Null);
    let reply = world
        .done("read_file", json!({ "file_path": "two.txt" }))
        .await;
    assert!(reply.text.ends_with("continue with start_line 2]"));
    assert_eq!(reply.structured["next_start_line"], 2);
    let rest = json!({ "file_path": "two.txt", "start_line": 2 });
    assert_eq!(world.done("read_file", rest).await.text, "last");
}

#[tokio::test]
async fn a_failure_says_what_works_instead() {
    let mut world = World::new("//- /a.txt\nx\n");
    check(
        world.call("read_file", json!({})).await,
        CodeKind::InvalidArguments,
        "Missing required parameter for read_file: file_path",
        "tools/list shows the parameters of read_file",
    );
    let unknown = json!({ "session_id": "sess_000000000000" });
    check(
        world.call("list_memories", unknown).await,
        CodeKind::InvalidArguments,
        "Session not found: sess_000000000000",
        "leave session_id out, or take the one that create_task answered",
    );
    check(
        world.call("read_memory", json!({ "name": "x" })).await,
        CodeKind::MemoryMissing,
        "There is no memory `x`",
        "list the memories with list_memories",
    );
    let absent = json!({ "file_path": "a.txt", "find": "y", "replace": "z" });
    check(
        world.call("replace_content", absent).await,
        CodeKind::InvalidArguments,
        "`y` does not occur in `a.txt`",
        "read the file: the text must match exactly, with its white space",
    );
}

#[test]
fn the_limits_are_the_contracts() {
    let mut table = String::new();
    for tool in all() {
        if let Some(limit) = tool.calls_per_minute() {
            let _ = writeln!(table, "{} {limit}", tool.name);
        }
    }
    insta::assert_snapshot!("limits", table);
}
