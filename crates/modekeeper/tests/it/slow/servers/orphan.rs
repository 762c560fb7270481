//! No server, and nothing that a server starts, outlives its project. That none outlives a killed binary is seen by
//! `symbols::lifetime`.

use super::example::{CLANGD, GOPLS, PYRIGHT, RUST_ANALYZER, TY, TYPESCRIPT};
use super::world::{PATIENT, World};
use crate::slow::process::{check_gone, running_for};

const ROUNDS: usize = 3;

#[tokio::test]
async fn no_process_is_left_after_a_project_is_closed() {
    for example in [TY, PYRIGHT, TYPESCRIPT, RUST_ANALYZER, CLANGD, GOPLS] {
        let world = World::new(&[&example]);
        let left = || running_for(world.fixture.root().as_path(), &world.search_path());
        for _ in 0..ROUNDS {
            let servers = world.servers(PATIENT);
            world.definition(&servers, &example).await.unwrap();
            // A guard and a server at least; else nothing being left would mean nothing.
            let seen = left();
            assert!(seen.len() >= 2, "{seen:?}");
            drop(servers);
            check_gone(left);
        }
    }
}
