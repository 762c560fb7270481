//! A server that dies is replaced, and none outlives the binary.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;

use super::example::{CLANGD, Example, GOPLS, PYRIGHT, RUST_ANALYZER, TY, TYPESCRIPT};
use super::world::{World, exact_references, owned, places};
use crate::slow::process::{check_gone, servers_of, signal};
use crate::slow::together::together;
use crate::support::dice::Dice;
use crate::support::stdio::Client;
use crate::support::wait_for;

#[test]
fn a_killed_server_is_replaced_and_a_killed_binary_leaves_none() {
    let examples = [TY, PYRIGHT, TYPESCRIPT, RUST_ANALYZER, CLANGD, GOPLS];
    let seed = 20_261_117;
    eprintln!("seed {seed}");
    let mut dice = Dice::new(seed);
    let rounds = examples.map(|example| (example, Duration::from_micros(dice.roll() % 200_000)));
    together(
        &rounds,
        |(example, _)| example.server,
        |(example, moment)| {
            let world = World::new(example);
            kill_binary_at_start(&world, example, *moment);
            check_gone(|| world.running());
            kill_server_then_binary(&world, example);
            check_gone(|| world.running());
        },
    );
}

/// A moment after its server was started, in the middle of whatever it does then.
fn kill_binary_at_start(world: &World, example: &Example, moment: Duration) {
    let mut client = world.client();
    let wanted =
        json!({ "name": "find_references", "arguments": { "symbol_name": example.symbol } });
    client.post("tools/call", &wanted);
    // The binary itself is one.
    wait_for("a server", || (world.running().len() > 1).then_some(()));
    let end = Instant::now() + moment;
    while Instant::now() < end {
        std::thread::yield_now();
    }
    kill(&mut client);
}

fn kill_server_then_binary(world: &World, example: &Example) {
    let mut client = world.client();
    exact_references(&mut client, example.symbol, example.server);
    let before = servers_of(client.child().id());
    assert!(!before.is_empty(), "{}", example.server);
    for pid in &before {
        signal(*pid, Signal::KILL);
    }
    let found = exact_references(&mut client, example.symbol, example.server);
    assert_eq!(places(&found), owned(example.references), "{found:#}");
    let after = servers_of(client.child().id());
    assert!(!after.is_empty(), "{}", example.server);
    assert!(after.iter().all(|pid| !before.contains(pid)));
    kill(&mut client);
}

fn kill(client: &mut Client) {
    client.child().kill().unwrap();
    client.child().wait().unwrap();
}
