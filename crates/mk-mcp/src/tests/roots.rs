//! The project of a call where nobody has named one: the client's roots before the working directory.

use mk_engine::StartDirectory;
use mk_testkit::Fixture;
use serde_json::{Value, json};

use super::World;
use super::wire::{Wire, call, text};
use crate::McpServer;

/// Where the server was started.
const STARTED: &str = "
//- /where.md
the working directory
";

fn found() -> World {
    started(StartDirectory::Found)
}

fn started(start: fn(mk_types::AbsPath) -> StartDirectory) -> World {
    let mut world = World::new(STARTED);
    let project = world.files.root().clone();
    world.server = McpServer::new(world.engine.clone(), "9.9.9", start(project));
    world
}

fn workspace() -> Fixture {
    Fixture::new(
        "
//- /where.md
the client's root
//- /with space/where.md
a folder with a space
//- /.roomodes
customModes: [{slug: writer, name: Writer, roleDefinition: Writes, groups: [read]}]
",
    )
}

fn address(folder: &Fixture) -> String {
    format!("file://{}", folder.root())
}

async fn reads(wire: &mut Wire) -> String {
    let answer = wire.call("read_file", where_am_i()).await;
    text(&answer).trim_end().to_owned()
}

fn where_am_i() -> Value {
    json!({ "file_path": "where.md" })
}

/// Calls a tool, answers the question for roots that comes first, and returns what was read.
async fn reads_after_answering(wire: &mut Wire, roots: &[&str]) -> String {
    wire.send(call(77, "read_file", where_am_i())).await;
    answer_roots(wire, roots).await;
    let answer = wire.answer(json!(77)).await;
    text(&answer).trim_end().to_owned()
}

async fn answer_roots(wire: &mut Wire, roots: &[&str]) {
    let question = wire.expect_request("roots/list").await;
    let roots: Vec<Value> = roots.iter().map(|uri| json!({ "uri": uri })).collect();
    wire.send(json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "roots": roots } }))
        .await;
}

#[tokio::test]
async fn the_first_root_that_is_a_folder_is_the_project() {
    let (world, there) = (found(), workspace());
    let mut wire = Wire::open_with(&world, json!({ "roots": {} })).await;
    let roots = ["https://example.com", "file:///no/such", &address(&there)];
    let read = reads_after_answering(&mut wire, &roots).await;
    assert_eq!(read, "the client's root");
    assert_eq!(reads(&mut wire).await, "the client's root", "asked once");
}

#[tokio::test]
async fn the_address_of_a_root_is_decoded() {
    let (world, there) = (found(), workspace());
    let mut wire = Wire::open_with(&world, json!({ "roots": {} })).await;
    let root = format!("{}/with%20space", address(&there));
    let read = reads_after_answering(&mut wire, &[&root]).await;
    assert_eq!(read, "a folder with a space");
}

#[tokio::test]
async fn the_modes_are_those_of_the_root() {
    let (world, there) = (found(), workspace());
    let mut wire = Wire::open_with(&world, json!({ "roots": {} })).await;
    wire.send(call(7, "list_modes", json!({}))).await;
    answer_roots(&mut wire, &[&address(&there)]).await;
    let answer = wire.answer(json!(7)).await;
    assert!(text(&answer).contains("writer"), "{answer}");
}

#[tokio::test]
async fn other_roots_make_another_project() {
    let (world, first, second) = (
        found(),
        workspace(),
        Fixture::new("//- /where.md\nsecond\n"),
    );
    let mut wire = Wire::open_with(&world, json!({ "roots": { "listChanged": true } })).await;
    reads_after_answering(&mut wire, &[&address(&first)]).await;
    wire.notify("notifications/roots/list_changed", json!({}))
        .await;
    answer_roots(&mut wire, &[&address(&second)]).await;
    wire.expect_notification("notifications/resources/list_changed")
        .await;
    assert_eq!(reads(&mut wire).await, "second");
}

#[tokio::test]
async fn a_client_without_roots_works_in_the_working_directory() {
    let world = found();
    let mut wire = Wire::open(&world).await;
    assert_eq!(reads(&mut wire).await, "the working directory");
}

#[tokio::test]
async fn a_client_that_has_roots_and_names_none_works_in_the_working_directory() {
    let world = found();
    let mut wire = Wire::open_with(&world, json!({ "roots": {} })).await;
    let read = reads_after_answering(&mut wire, &[]).await;
    assert_eq!(read, "the working directory");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_tells_its_roots_is_served_all_the_same() {
    let world = found();
    let mut wire = Wire::open_with(&world, json!({ "roots": {} })).await;
    assert_eq!(reads(&mut wire).await, "the working directory");
}

#[tokio::test]
async fn a_named_project_is_not_asked_for() {
    let world = started(StartDirectory::Named);
    let mut wire = Wire::open_with(&world, json!({ "roots": {} })).await;
    assert_eq!(reads(&mut wire).await, "the working directory");
}

#[tokio::test]
async fn a_root_is_activated_without_asking_anybody() {
    let (world, there) = (started(StartDirectory::Named), workspace());
    let mut wire = Wire::open_with(&world, json!({ "roots": {} })).await;
    let folder = json!({ "project_root": there.root().as_str() });
    wire.send(call(7, "activate_project", folder)).await;
    answer_roots(&mut wire, &[&address(&there)]).await;
    let answer = wire.answer(json!(7)).await;
    assert!(text(&answer).starts_with("Project activated"), "{answer}");
    assert_eq!(reads(&mut wire).await, "the client's root");
}

#[tokio::test]
async fn nowhere_no_file_is_touched() {
    let world = started(StartDirectory::Nowhere);
    let mut wire = Wire::open(&world).await;
    let answer = wire.call("read_file", where_am_i()).await;
    let result = &answer["result"];
    assert_eq!(
        result["structuredContent"]["error_code"],
        "PROJECT_NOT_ACTIVE"
    );
    assert!(
        result["structuredContent"]["details"]["suggestion"]
            .as_str()
            .is_some_and(|suggestion| suggestion.contains("activate_project")),
        "{result}"
    );
}

#[tokio::test]
async fn from_nowhere_a_folder_is_not_activated_without_a_person() {
    let world = started(StartDirectory::Nowhere);
    let mut wire = Wire::open_with(&world, json!({ "elicitation": {} })).await;
    let inside = json!({ "project_root": world.files.root().as_str() });
    wire.send(call(7, "activate_project", inside)).await;
    let question = wire.expect_request("elicitation/create").await;
    let yes = json!({ "action": "accept", "content": { "approve": true } });
    wire.send(json!({ "jsonrpc": "2.0", "id": question["id"], "result": yes }))
        .await;
    wire.answer(json!(7)).await;
    assert_eq!(reads(&mut wire).await, "the working directory");
}
