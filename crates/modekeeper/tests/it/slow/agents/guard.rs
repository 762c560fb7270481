//! What happens when the guard itself fails, in the middle of a turn: the store is locked, the hook dies, says nonsense,
//! or is gone. And what a product's own rules still refuse then, where `--floor` has put some underneath.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::support::sandbox::{overwrite, run, set_mode};

use super::agent::{OwnRules, Starter};
use super::course::Report;
use super::trial::{Looks, Outcome, Trace, Trial};
use super::world::World;

type Act = Box<dyn FnOnce() + Send>;
/// Held by the test, so that it is released when the test ends.
type Lock = Arc<Mutex<Option<rusqlite::Connection>>>;

const FLOOR: &str = "floor";
const LOCKED: &str = "the store is locked";
const KILLED: &str = "the hook is killed";
const NONSENSE: &str = "the hook says nonsense";
const GONE: &str = "the program is gone";

/// One turn in `ask`, in which everything of ours breaks, one thing after the other.
#[track_caller]
pub(super) fn run_broken(world: &World) -> Report {
    world.sandbox.ok(&["mode", "ask"]);
    let cases = [LOCKED, KILLED, NONSENSE, GONE];
    let lock = Lock::default();
    let (program, database) = (world.program(), world.sandbox.database());
    let held = Arc::clone(&lock);
    let between = Box::new(move |at: usize| {
        let (program, database, lock) = (program.clone(), database.clone(), Arc::clone(&held));
        let act: Act = match cases[at] {
            LOCKED => Box::new(move || *lock.lock().unwrap() = Some(exclusive(&database))),
            KILLED => Box::new(move || {
                lock.lock().unwrap().take();
                replace(&program, "#!/bin/sh\nkill -9 $$\n");
            }),
            NONSENSE => Box::new(move || replace(&program, "#!/bin/sh\necho nonsense\n")),
            _ => Box::new(move || std::fs::remove_file(program).unwrap()),
        };
        Some(act)
    });
    let trials = cases.map(|what| (what, format!("src/{}.rs", what.replace(' ', "_"))));
    turn(world, &trials, between, "fails")
}

/// Whether the product's own rules refuse when the hook is dead from the start.
#[track_caller]
pub(super) fn run_floor(world: &World) -> Report {
    world.restore_program();
    world.agent.allow_sandbox(world);
    let slug = world.agent.slug();
    let mut install = world
        .sandbox
        .command(&["install", slug, "--yes", "--floor", "ask"]);
    let ran = run(install.env("PATH", world.search_path()));
    assert!(ran.status.success(), "{ran:#?}");
    replace(&world.program(), "#!/bin/sh\nkill -9 $$\n");
    let trials = [("with `--floor ask`", "src/floor.rs".to_owned())];
    turn(world, &trials, Box::new(|_| None), FLOOR)
}

fn turn(
    world: &World,
    cases: &[(&'static str, String)],
    between: super::trial::Between,
    mode: &'static str,
) -> Report {
    let rules = match mode {
        FLOOR => OwnRules::Kept,
        _ => OwnRules::Bypassed,
    };
    let mut trials: Vec<Trial> = cases
        .iter()
        .map(|(what, name)| Trial {
            mode,
            what,
            step: world.agent.write(&world.path(name), "fn broken() {}\n"),
            trace: Trace::Made(PathBuf::from(world.path(name))),
            child: None,
        })
        .collect();
    let looks = Looks::new(&world.model);
    let steps = looks.steps(&mut trials, between);
    let heard = world.run_with(steps, rules, Starter::Itself);
    let outcomes = looks.outcomes(&trials, &heard.results);
    let rows = trials.iter().zip(outcomes);
    Report {
        agent: world.agent,
        rows: rows
            .map(|(trial, outcome)| (trial.mode, trial.what, outcome))
            .collect(),
        results: heard.results,
        ended: heard.ended,
    }
}

/// Another process that writes and does not end.
fn exclusive(database: &Path) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(database).unwrap();
    connection.execute_batch("BEGIN EXCLUSIVE").unwrap();
    connection
}

/// A running copy goes on with its old file.
fn replace(program: &Path, script: &str) {
    let new = program.with_extension("new");
    overwrite(&new, script.as_bytes());
    set_mode(&new, 0o755);
    std::fs::rename(new, program).unwrap();
}

/// Nothing may be written while the store is locked: that is our own answer, in every product.
#[track_caller]
pub(super) fn check(report: &Report) {
    let locked = report.rows.iter().find(|(_, what, _)| *what == LOCKED);
    let (_, _, outcome) = locked.unwrap();
    assert_eq!(*outcome, Outcome::Refused, "{report:#?}");
}
