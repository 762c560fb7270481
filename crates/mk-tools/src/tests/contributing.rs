//! The tool that CONTRIBUTING.md shows compiles and runs.

use mk_engine::{Engine, EngineParts, Folders, Settings, StoreLocation};
use mk_types::Clock;
use serde_json::json;

use super::{World, count_lines};
use crate::{Context, ToolAnswer};

#[test]
fn contributing_shows_the_example_as_it_is_compiled() {
    let example = include_str!("count_lines.rs");
    let shown = include_str!("../../../../CONTRIBUTING.md");
    let block = format!("```rust\n{example}```\n");
    assert!(
        shown.contains(&block),
        "copy src/tests/count_lines.rs there"
    );
}

#[tokio::test]
async fn the_example_is_held_by_the_mode_like_every_tool() {
    let world = World::new("//- /a.md\none\ntwo\n//- /.rooignore\nhidden.md\n//- /hidden.md\n1\n");
    let mut own_tools = crate::own_tools();
    own_tools.push(crate::own(&count_lines::TOOL));
    let engine = Engine::new(EngineParts {
        settings: Settings::default(),
        folders: Folders::default(),
        clock: Clock::System,
        store: StoreLocation::Memory,
        own_tools,
    });
    let context = Context {
        engine: &engine,
        caller: &world.caller,
    };
    let count = async |path: &str| {
        let arguments = json!({ "file_path": path });
        let arguments = arguments.as_object().unwrap().clone();
        let call = count_lines::TOOL.parse(arguments).unwrap();
        call.run(&context).await
    };
    let Ok(ToolAnswer::Done(reply)) = count("a.md").await else {
        panic!("the mode allows it");
    };
    assert_eq!(reply.text, "2");
    assert!(
        count("hidden.md").await.is_err(),
        "an ignored file is hidden from it"
    );
}
