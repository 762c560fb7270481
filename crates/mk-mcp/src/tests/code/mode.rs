//! Code tools under a mode: what is shown, what is refused and how, what a switch changes, and what a person is asked.

use std::time::Duration;

use mk_engine::{ApprovalVerdict, StartDirectory};
use mk_tools::Toolset;
use mk_types::ApprovalId;
use serde_json::{Value, json};

use super::super::World;
use super::super::wire::{Wire, call, modern, request, text};
use crate::McpServer;

const EDITS: [&str; 10] = [
    "write_file",
    "replace_content",
    "replace_in_files",
    "delete_file",
    "move_file",
    "edit_symbol",
    "write_memory",
    "edit_memory",
    "rename_memory",
    "delete_memory",
];

const FILES: &str = "
//- /README.md
old
//- /src/main.rs
fn main() {}
";

/// A refusal by the mode as a result: the number of its kind, and what it says.
#[track_caller]
fn check(answer: &Value, code: i32, reason: &str) {
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{answer:#}");
    assert_eq!(result["error_code"], "PERMISSION_DENIED", "{answer:#}");
    assert_eq!(result["details"]["code"], code, "{answer:#}");
    assert!(result["details"]["suggestion"].is_string(), "{answer:#}");
    assert!(text(answer).contains(reason), "{answer:#}");
    assert!(text(answer).starts_with("Error: "), "{answer:#}");
}

fn write(path: &str) -> Value {
    json!({ "file_path": path, "content": "new\n" })
}

fn in_session(mut arguments: Value, session: &str) -> Value {
    arguments["session_id"] = json!(session);
    arguments
}

/// A call of each tool that changes something.
fn changes() -> Vec<(&'static str, Value)> {
    let arguments = |tool: &str| match tool {
        "write_file" => write("README.md"),
        "replace_content" => json!({ "file_path": "README.md", "find": "old", "replace": "new" }),
        "replace_in_files" => json!({ "find": "no such text", "replace": "new" }),
        "delete_file" => json!({ "file_path": "README.md" }),
        "move_file" => json!({ "from_path": "README.md", "to_path": "new.md" }),
        "edit_symbol" => json!({ "symbol_name": "main", "operation": "delete" }),
        "write_memory" => json!({ "name": "a", "content": "x" }),
        "edit_memory" => json!({ "name": "a", "find": "x", "replace": "y" }),
        "rename_memory" => json!({ "old_name": "a", "new_name": "b" }),
        _ => json!({ "name": "a" }),
    };
    EDITS
        .into_iter()
        .map(|tool| (tool, arguments(tool)))
        .collect()
}

async fn listed(wire: &mut Wire) -> Vec<String> {
    let answer = wire.request(request(1, "tools/list", json!({}))).await;
    names(&answer)
}

fn names(answer: &Value) -> Vec<String> {
    let tools = answer["result"]["tools"].as_array().expect("tools");
    let name = |tool: &Value| tool["name"].as_str().expect("a name").to_owned();
    tools.iter().map(name).collect()
}

#[track_caller]
fn shows_edits(tools: &[String]) -> bool {
    let shown = EDITS
        .iter()
        .filter(|edit| tools.iter().any(|tool| tool == *edit));
    let count = shown.count();
    assert!(count == 0 || count == EDITS.len(), "{tools:?}");
    count > 0
}

#[tokio::test]
async fn architect_writes_markdown_only() {
    let world = World::new(FILES);
    let mut wire = Wire::open(&world).await;
    wire.call("create_task", json!({ "mode_slug": "architect" }))
        .await;
    let answer = wire.call("write_file", write("README.md")).await;
    assert!(text(&answer).starts_with("Changed README.md"), "{answer:#}");
    check(
        &wire.call("write_file", write("src/main.rs")).await,
        -32006,
        "Cannot edit 'src/main.rs' in 'architect' mode",
    );
    let named = in_session(write("src/main.rs"), "sess_1");
    let answer = wire.call("write_file", named.clone()).await;
    let error = &answer["error"];
    assert_eq!(error["code"], -32006, "{answer:#}");
    let message = error["message"].as_str().expect("a message");
    assert!(message.starts_with(
        "File restriction error: Cannot edit 'src/main.rs' in 'architect' mode. Only files matching"
    ));
    let data = error["data"].as_str().expect("data");
    assert!(data.starts_with("Cannot edit 'src/main.rs' in 'architect' mode."));
    let params = json!({ "name": "write_file", "arguments": named });
    let answer = wire.request(modern(2, "tools/call", params)).await;
    check(&answer, -32006, "Only files matching");
    let moved = json!({ "from_path": "README.md", "to_path": "src/lib.rs" });
    check(
        &wire.call("move_file", moved).await,
        -32006,
        "Cannot edit 'src/lib.rs'",
    );
    let found = std::fs::read_to_string(world.files.path("src/main.rs"));
    assert_eq!(found.expect("a file"), "fn main() {}\n");
}

#[tokio::test]
async fn architect_remembers_because_it_may_edit_something() {
    let world = World::new(FILES);
    let mut wire = Wire::open(&world).await;
    wire.call("create_task", json!({ "mode_slug": "architect" }))
        .await;
    let memory = json!({ "name": "plan", "content": "first" });
    let answer = wire.call("write_memory", memory).await;
    assert_eq!(text(&answer), "Memory written: plan", "{answer:#}");
}

#[tokio::test]
async fn one_file_that_the_mode_forbids_stops_the_whole_replacement() {
    let world = World::new("//- /a.md\nword\n//- /b.rs\nword\n");
    let mut wire = Wire::open(&world).await;
    wire.call("create_task", json!({ "mode_slug": "architect" }))
        .await;
    for dry_run in [true, false] {
        let everywhere = json!({ "find": "word", "replace": "term", "dry_run": dry_run });
        let answer = wire.call("replace_in_files", everywhere).await;
        check(&answer, -32006, "Cannot edit 'b.rs'");
    }
    let found = std::fs::read_to_string(world.files.path("a.md"));
    assert_eq!(found.expect("a file"), "word\n");
    let allowed = json!({ "find": "word", "replace": "term", "include": ["*.md"] });
    let answer = wire.call("replace_in_files", allowed).await;
    assert!(
        text(&answer).starts_with("Changed 1 place in 1 file\na.md (1)"),
        "{answer:#}"
    );
}

#[tokio::test]
async fn ask_mode_hides_what_changes_something_and_denies_it_when_called() {
    let world = World::new(FILES);
    let mut wire = Wire::open(&world).await;
    assert!(shows_edits(&listed(&mut wire).await));
    wire.call("create_task", json!({ "mode_slug": "ask" }))
        .await;
    assert!(!shows_edits(&listed(&mut wire).await));
    for (tool, arguments) in changes() {
        let answer = wire.call(tool, arguments).await;
        let reason = format!("Tool '{tool}' cannot be used in 'ask' mode");
        check(&answer, -32005, &reason);
    }
    let named = in_session(write("README.md"), "sess_1");
    let answer = wire.call("write_file", named).await;
    assert_eq!(answer["error"]["code"], -32005, "{answer:#}");
    let answer = wire
        .call("read_file", json!({ "file_path": "README.md" }))
        .await;
    assert_eq!(text(&answer), "old\n");
}

#[tokio::test]
async fn the_newest_revision_has_a_constant_list_and_the_same_denials() {
    let world = World::new(FILES).bound_to("ask");
    let mut wire = Wire::connect(&world);
    let answer = wire.request(modern(1, "tools/list", json!({}))).await;
    assert!(shows_edits(&names(&answer)));
    let params = json!({ "name": "write_file", "arguments": write("README.md") });
    let answer = wire.request(modern(2, "tools/call", params)).await;
    check(&answer, -32005, "cannot be used in 'ask' mode");
}

#[tokio::test]
async fn an_endpoint_is_an_upper_bound_for_every_task_on_it() {
    let world = World::new(FILES).bound_to("architect");
    let mut wire = Wire::open(&world).await;
    check(
        &wire.call("write_file", write("src/main.rs")).await,
        -32006,
        "Cannot edit 'src/main.rs'",
    );
    let other = World::new(FILES).bound_to("ask");
    let mut wire = Wire::open(&other).await;
    assert!(!shows_edits(&listed(&mut wire).await));
}

#[tokio::test]
async fn a_switch_changes_what_is_available() {
    let world = World::new(FILES);
    let mut wire = Wire::open(&world).await;
    wire.call("create_task", json!({ "mode_slug": "ask" }))
        .await;
    check(
        &wire.call("write_file", write("README.md")).await,
        -32005,
        "Tool group 'edit' is not enabled",
    );
    let switch = json!({ "session_id": "current", "new_mode_slug": "code" });
    wire.call("switch_mode", switch).await;
    wire.expect_notification("notifications/tools/list_changed")
        .await;
    assert!(shows_edits(&listed(&mut wire).await));
    let answer = wire.call("write_file", write("README.md")).await;
    assert!(text(&answer).starts_with("Changed README.md"), "{answer:#}");
}

#[tokio::test]
async fn a_protected_file_waits_for_a_person_and_is_written_after_the_yes() {
    let world = World::with(FILES, |settings| {
        settings.approval_timeout = Duration::from_millis(1);
    });
    let mut wire = Wire::open(&world).await;
    let modes = json!({ "file_path": ".roomodes", "content": "customModes: []\n" });
    let answer = wire.call("write_file", modes.clone()).await;
    check(
        &answer,
        -32005,
        "Let the agent change the protected file '.roomodes' with write_file? (appr_1)",
    );
    let suggestion = "ask the user to run `modekeeper approve appr_1`, then try again";
    assert_eq!(answer["result"]["details"]["suggestion"], suggestion);
    assert!(!world.files.path(".roomodes").exists());
    let id = ApprovalId::parse(&wire.names.real("appr_1")).expect("an id");
    let decided = world
        .engine
        .approvals()
        .decide(&id, ApprovalVerdict::Granted, "the test")
        .await;
    decided.expect("a yes");
    let other = json!({ "file_path": ".roomodes", "content": "other" });
    check(&wire.call("write_file", other).await, -32005, "(appr_2)");
    let answer = wire.call("write_file", modes.clone()).await;
    assert!(text(&answer).starts_with("Created .roomodes"), "{answer:#}");
    // A yes is for one call.
    check(&wire.call("write_file", modes).await, -32005, "(appr_3)");
}

#[tokio::test]
async fn a_folder_that_nobody_offered_needs_a_yes() {
    let world = World::with(FILES, |settings| {
        settings.approval_timeout = Duration::from_millis(1);
    });
    let elsewhere = mk_testkit::Fixture::new("//- /a.md\nthere\n");
    let mut wire = Wire::open(&world).await;
    let there = json!({ "project_root": elsewhere.root().as_str() });
    let answer = wire.call("activate_project", there.clone()).await;
    check(&answer, -32005, "Let the agent work in the directory");
    let id = ApprovalId::parse(&wire.names.real("appr_1")).expect("an id");
    let decided = world
        .engine
        .approvals()
        .decide(&id, ApprovalVerdict::Granted, "the test")
        .await;
    decided.expect("a yes");
    wire.call("activate_project", there).await;
    let answer = wire.call("read_file", json!({ "file_path": "a.md" })).await;
    assert_eq!(text(&answer), "there\n");
}

#[tokio::test]
async fn what_is_not_in_the_toolsets_is_neither_shown_nor_known() {
    let mut world = World::new(FILES);
    let project = world.files.root().clone();
    let server = McpServer::new(
        world.engine.clone(),
        "9.9.9",
        StartDirectory::Named(project),
    );
    world.server = server.with_toolsets(vec![Toolset::Modes, Toolset::Memory]);
    let mut wire = Wire::open(&world).await;
    let tools = listed(&mut wire).await;
    for (tool, shown) in [
        ("switch_mode", true),
        ("read_memory", true),
        ("read_file", false),
        ("activate_project", false),
    ] {
        assert_eq!(tools.iter().any(|name| name == tool), shown, "{tool}");
    }
    let answer = wire
        .request(call(1, "read_file", json!({ "file_path": "README.md" })))
        .await;
    let unknown = json!({ "code": -32601, "message": "Tool not found: read_file" });
    assert_eq!(answer["error"], unknown);
    let answer = wire.call("list_memories", json!({})).await;
    assert_eq!(text(&answer), "No memories yet");
}
