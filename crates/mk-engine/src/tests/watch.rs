//! Files that change under a running engine, with the real watcher.

use std::time::{Duration, Instant};

use insta::assert_snapshot;
use tokio::sync::broadcast::Receiver;

use super::{MODES, World};
use crate::{EngineChange, ProjectWatching};

/// Far more than it takes, for machines that are busy.
const LONG: Duration = Duration::from_secs(10);
/// Longer than a burst can last: after it, silence means that nothing comes.
const QUIET: Duration = Duration::from_millis(600);

fn world(files: &str) -> (World, Receiver<EngineChange>) {
    let mut world = World::with(files, |settings| settings.watching = ProjectWatching::On);
    let changes = world.engine().changes();
    world.modes();
    (world, changes)
}

/// Does something to the files, and waits until the modes are such that `done`.
#[track_caller]
fn check(
    world: &mut World,
    changes: &mut Receiver<EngineChange>,
    act: impl FnOnce(&World),
    done: impl Fn(&[&str]) -> bool,
) -> Duration {
    let since = Instant::now();
    act(world);
    loop {
        let change = world
            .runtime
            .block_on(async { tokio::time::timeout(LONG, changes.recv()).await });
        let project = world.caller.project.clone();
        assert_eq!(
            change.expect("a change").unwrap(),
            EngineChange::Modes { project }
        );
        let catalogue = world.engine().modes().catalogue(&world.caller);
        let slugs: Vec<&str> = catalogue
            .modes()
            .iter()
            .map(|mode| mode.slug.as_str())
            .collect();
        if done(&slugs) {
            return since.elapsed();
        }
    }
}

#[test]
fn a_saved_mode_file_is_live_within_a_second() {
    let (mut world, mut changes) = world(MODES);
    let took = check(
        &mut world,
        &mut changes,
        |world| {
            let text =
                "customModes:\n  - {slug: new, name: New, roleDefinition: x, groups: [read]}\n";
            world.fixture.save(".roomodes", text);
        },
        |slugs| slugs.contains(&"new"),
    );
    assert!(took < Duration::from_secs(1), "{took:?}");
    world.create("new");
    assert_snapshot!(world.log(), @r#"
    2 custom modes: ["docs", "scribe"]
    sess_1 task_1 in new (New), active
    "#);
}

#[test]
fn a_mode_file_is_created_broken_mended_and_deleted() {
    let (mut world, mut changes) = world("");
    let mut step = |act: &dyn Fn(&World), docs: bool| {
        check(&mut world, &mut changes, act, |slugs| {
            slugs.contains(&"docs") == docs
        });
        world.modes();
    };
    let text = MODES.split_once(".roomodes\n").unwrap().1;
    step(&|world| world.fixture.write(".roomodes", text), true);
    step(
        &|world| world.fixture.write(".roomodes", "customModes: ["),
        true,
    );
    step(&|world| world.fixture.write(".roomodes", text), true);
    step(&|world| world.fixture.remove(".roomodes"), false);
    assert_snapshot!(world.log(), @r#"
    0 custom modes: []
    2 custom modes: ["docs", "scribe"]
    2 custom modes: ["docs", "scribe"]
    .roomodes:1:14: error: unclosed bracket '[' (the modes of the last readable version stay in force)
    2 custom modes: ["docs", "scribe"]
    0 custom modes: []
    "#);
}

#[test]
fn modes_in_a_folder_that_appears_later_are_found() {
    let (mut world, mut changes) = world("");
    let text = MODES.split_once(".roomodes\n").unwrap().1;
    check(
        &mut world,
        &mut changes,
        |world| world.fixture.write(".bob/custom_modes.yaml", text),
        |slugs| slugs.contains(&"docs"),
    );
    check(
        &mut world,
        &mut changes,
        |world| world.fixture.remove(".bob"),
        |slugs| !slugs.contains(&"docs"),
    );
}

#[test]
fn a_task_whose_mode_is_taken_away_may_do_nothing() {
    let (mut world, mut changes) = world(MODES);
    world.create("docs");
    world.call(Some("sess_1"), "write_to_file", "a.md");
    check(
        &mut world,
        &mut changes,
        |world| world.fixture.remove(".roomodes"),
        |slugs| !slugs.contains(&"docs"),
    );
    world.call(Some("sess_1"), "write_to_file", "a.md");
    assert_snapshot!(world.log(), @r#"
    2 custom modes: ["docs", "scribe"]
    sess_1 task_1 in docs (Docs), active
    ✓ write_to_file [a.md]
    ✗ no such Mode: Mode not found: docs. Available: code, architect, ask, debug, orchestrator. The missing mode holds here, so every call is denied (ask the user to set one with `modekeeper mode <slug>`)
    "#);
}

#[test]
fn global_rules_are_announced_but_not_what_else_is_kept_beside_them() {
    let (world, mut changes) = world(
        "
//- /global/config/rules-docs/a.md
//- /global/config/state.db
",
    );
    let mut announced = |path: &str, patience: Duration| {
        world.fixture.write(path, "changed\n");
        let change = world
            .runtime
            .block_on(async { tokio::time::timeout(patience, changes.recv()).await });
        change.is_ok()
    };
    assert!(!announced("global/config/state.db", QUIET));
    assert!(!announced("global/config/new.db-wal", QUIET));
    assert!(announced("global/config/rules-docs/a.md", LONG));
    assert!(announced("global/config/rules/new.md", LONG));
    assert!(announced("global/config/modes.yaml", LONG));
}

#[test]
fn a_switch_is_announced() {
    let mut world = World::new("");
    let mut changes = world.engine().changes();
    world.create("code");
    world.switch("sess_1", "ask");
    let change = world.runtime.block_on(changes.recv()).unwrap();
    let session = world.session("sess_1");
    assert_eq!(change, EngineChange::Switched { session });
}

#[test]
fn an_engine_that_ends_takes_its_watchers_along() {
    let (mut world, mut changes) = world(MODES);
    world.engines.clear();
    world.fixture.write(".roomodes", "customModes: []\n");
    // The sender is gone with the engine, unless a watcher kept it.
    let ended = world
        .runtime
        .block_on(async { tokio::time::timeout(LONG, changes.recv()).await });
    assert!(ended.expect("an end").is_err());
}
