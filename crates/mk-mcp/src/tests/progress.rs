//! What a client with a token learns of work that takes a while.

use serde_json::{Value, json};

use super::World;
use super::wire::{Wire, call};

/// So many files of so many functions keep an index busy for longer than it takes to say so.
const FILES: usize = 1_500;
const FUNCTIONS: usize = 40;

fn plant(world: &World) {
    for file in 0..FILES {
        let text: String = (0..FUNCTIONS)
            .map(|one| {
                format!(
                    "pub fn part_{file}_{one}(left: u32, right: u32) -> u32 {{ left.max(right) }}\n"
                )
            })
            .collect();
        world.files.write(&format!("src/m{file}.rs"), &text);
    }
}

#[tokio::test]
async fn who_waits_for_the_index_learns_how_far_it_is() {
    let world = World::new("");
    plant(&world);
    let mut wire = Wire::open(&world).await;
    let mut wants = call(7, "find_symbols", json!({ "query": "part_3_4" }));
    wants["params"]["_meta"] = json!({ "progressToken": "t" });
    wire.send(wants).await;
    let report = wire.expect_notification("notifications/progress").await;
    let params = &report["params"];
    assert_eq!(params["progressToken"], "t");
    assert_eq!(params["total"], json!(1_500.0), "{report}");
    assert_eq!(params["message"], "Indexing files");
    let answer = wire.answer(json!(7)).await;
    let facts = &answer["result"]["structuredContent"];
    assert!(facts["source"] == "index", "{answer}");
}

#[tokio::test]
async fn without_a_token_nothing_is_said() {
    let world = World::new("");
    plant(&world);
    let mut wire = Wire::open(&world).await;
    wire.send(call(7, "find_symbols", json!({ "query": "part_3_4" })))
        .await;
    let first: Value = wire.next().await;
    assert_eq!(first["id"], 7, "{first}");
}
