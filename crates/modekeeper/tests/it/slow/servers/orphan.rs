//! No server, and nothing that a server starts, outlives its project. That none outlives a killed binary is seen by
//! `symbols::lifetime`.

use super::example::{CLANGD, Example, GOPLS, PYRIGHT, RUST_ANALYZER, TY, TYPESCRIPT};
use super::world::{PATIENT, World, block_on};
use crate::slow::process::{check_gone, running_for};
use crate::slow::together::together;

const ROUNDS: usize = 2;

#[test]
fn no_process_is_left_after_a_project_is_closed() {
    let examples = [TY, PYRIGHT, TYPESCRIPT, RUST_ANALYZER, CLANGD, GOPLS];
    together(
        &examples,
        |example| example.server,
        |example| block_on(check(example)),
    );
}

async fn check(example: &Example) {
    let world = World::new(&[example]);
    let left = || running_for(world.fixture.root().as_path(), &world.search_path());
    for _ in 0..ROUNDS {
        let servers = world.servers(PATIENT);
        world.definition(&servers, example).await.unwrap();
        // A guard and a server at least; else nothing being left would mean nothing.
        let seen = left();
        assert!(seen.len() >= 2, "{seen:?}");
        drop(servers);
        check_gone(left);
    }
}
