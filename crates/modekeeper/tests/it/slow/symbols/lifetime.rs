//! A server that dies is replaced, and none outlives the binary.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;

use super::example::{CLANGD, Example, GOPLS, PYRIGHT, RUST_ANALYZER, TY, TYPESCRIPT};
use super::world::{World, exact_references, owned, places};
use crate::slow::process::{check_gone, servers_of, signal};
use crate::support::dice::Dice;
use crate::support::wait_for;

const ROUNDS: usize = 12;

#[test]
fn after_a_server_was_killed_the_next_question_is_answered() {
    for example in [TY, TYPESCRIPT, GOPLS] {
        let world = World::new(&example);
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
    }
}

/// How a round ends.
#[derive(Debug, Clone, Copy)]
enum Moment {
    Answered,
    Starting,
}

#[test]
fn a_killed_binary_leaves_no_server() {
    let seed = 20_261_117;
    eprintln!("seed {seed}");
    let mut dice = Dice::new(seed);
    let worlds = [TY, PYRIGHT, TYPESCRIPT, RUST_ANALYZER, CLANGD, GOPLS]
        .map(|example| (World::new(&example), example));
    let turns = [Moment::Starting, Moment::Answered]
        .into_iter()
        .flat_map(|moment| worlds.iter().map(move |it| (it, moment)));
    for ((world, example), moment) in turns.cycle().take(ROUNDS) {
        round(world, example, moment, &mut dice);
        check_gone(|| world.running());
    }
}

fn round(world: &World, example: &Example, moment: Moment, dice: &mut Dice) {
    let mut client = world.client();
    match moment {
        Moment::Answered => {
            exact_references(&mut client, example.symbol, example.server);
            assert!(
                !servers_of(client.child().id()).is_empty(),
                "{}",
                example.server
            );
        }
        Moment::Starting => {
            let wanted = json!({ "name": "find_references", "arguments": { "symbol_name": example.symbol } });
            client.post("tools/call", &wanted);
            // The binary itself is one.
            wait_for("a server", || (world.running().len() > 1).then_some(()));
            let end = Instant::now() + Duration::from_micros(dice.roll() % 200_000);
            while Instant::now() < end {
                std::thread::yield_now();
            }
        }
    }
    client.child().kill().unwrap();
    client.child().wait().unwrap();
}
