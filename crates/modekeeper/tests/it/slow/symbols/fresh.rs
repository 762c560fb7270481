//! What others do to the files while a server runs: answers and renames are about the files as they are.
//! `exact` checks it of every server, which it has started.

use serde_json::json;

use super::example::Example;
use super::world::{World, exact_references, failure, owned, places};
use crate::support::stdio::Client;
use crate::support::wait_for;

/// Of a server that has answered before.
pub(super) fn check(world: &World, client: &mut Client, example: &Example) {
    meets_a_newcomer(world, client, example);
    renames_what_has_moved(world, client, example);
}

/// A file comes and goes.
fn meets_a_newcomer(world: &World, client: &mut Client, example: &Example) {
    let Some((file, text)) = example.newcomer else {
        return;
    };
    world.sandbox.write(file, text);
    let place = (
        file.to_owned(),
        u32::try_from(text.lines().count()).unwrap(),
    );
    // Some servers take a moment to look for files.
    wait_for("the new file", || {
        let found = places(&exact_references(client, example.symbol, example.server));
        found.contains(&place).then_some(())
    });
    std::fs::remove_file(world.sandbox.project().join(file)).unwrap();
    let found = exact_references(client, example.symbol, example.server);
    assert_eq!(places(&found), owned(example.references), "{found:#}");
}

/// A file that the server has read and no one has shown it moves by two lines; its old places mean something else now.
fn renames_what_has_moved(world: &World, client: &mut Client, example: &Example) {
    let (moved, _) = example.references[example.apart()];
    let before = world.text(moved);
    world.sandbox.write(moved, format!("\n\n{before}"));
    let rename =
        json!({ "symbol_name": example.symbol, "operation": "rename", "new_name": "Balance" });
    let done = wait_for("a rename", || {
        let answer = client.call("edit_symbol", &rename);
        if answer["result"]["isError"] == true {
            let (code, message, suggestion) = failure(&answer);
            assert_eq!((code, suggestion), ("TIMEOUT", "try again"), "{message}");
            return None;
        }
        Some(answer)
    });
    let after = before.replace(example.name(), "Balance");
    assert_eq!(world.text(moved), format!("\n\n{after}"), "{done:#}");
    let parent = example.symbol.strip_suffix(example.name()).unwrap();
    let found = exact_references(client, &format!("{parent}Balance"), example.server);
    let mut expected = owned(example.references);
    expected[example.apart()].1 += 2;
    assert_eq!(places(&found), expected, "{found:#}");
}
