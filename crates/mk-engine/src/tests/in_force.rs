//! Which mode is in force: one test for each number of the list on [`crate::Engine::in_force`].

use insta::assert_snapshot;

use super::{MODES, World, slug};
use crate::TaskState;

/// A world with a task in `ask` as the connection's current one, an endpoint in `architect`, and one more task.
fn world() -> World {
    let mut world = World::with(MODES, |settings| settings.default_mode = slug("docs"));
    world.create("ask");
    world.create("debug");
    world.enter("sess_1");
    world.cap("architect");
    world.log();
    world
}

#[test]
fn rule_1_the_session_of_the_call_comes_first() {
    let mut world = world();
    world.in_force(Some("sess_2"));
    world.caller.conversation.tasks.clear();
    world.in_force(Some("sess_2"));
    assert_snapshot!(world.log(), @"
    in force: debug within architect of sess_2
    in force: debug within architect of sess_2
    ");
}

#[test]
fn rule_1_a_session_that_is_named_but_gone_is_an_error_and_not_passed_over() {
    let mut world = world();
    world.pass(3601);
    world.in_force(Some("sess_2"));
    world.in_force(Some("sess_0123456789ab"));
    assert_snapshot!(world.log(), @"
    ✗ expired: Session sess_2 has expired (timeout: 3600s) (create a new task)
    ✗ no such Session: Session not found: sess_0123456789ab
    ");
}

#[test]
fn rule_1_a_session_that_has_ended_decides_nothing_any_more() {
    let mut world = world();
    world.complete("sess_2", TaskState::Completed);
    world.in_force(Some("sess_2"));
    assert_snapshot!(world.log(), @"
    sess_2 task_2 in debug (🪲 Debug), completed: the result
    ✗ invalid session_id: Task of session sess_2 is already completed
    ");
}

#[test]
fn rule_2_then_the_current_task_while_it_is_active() {
    let mut world = world();
    world.in_force(None);
    world.complete("sess_1", TaskState::Completed);
    world.in_force(None);
    assert_snapshot!(world.log(), @"
    in force: ask within architect of sess_1
    sess_1 task_1 in ask (❓ Ask), completed: the result
    in force: architect within architect
    ");
}

#[test]
fn rule_2_a_current_task_that_has_expired_still_decides() {
    let mut world = world();
    world.pass(3601);
    world.in_force(None);
    assert_snapshot!(world.log(), @"in force: ask within architect");
}

#[test]
fn rule_3_then_the_mode_of_the_endpoint() {
    let mut world = world();
    world.caller.conversation.tasks.clear();
    world.in_force(None);
    assert_snapshot!(world.log(), @"in force: architect within architect");
}

#[test]
fn rule_4_then_the_default_mode() {
    let mut world = world();
    world.caller.conversation.tasks.clear();
    world.caller.ceilings.clear();
    world.in_force(None);
    assert_snapshot!(world.log(), @"in force: docs");
}

#[test]
fn without_configuration_the_default_is_code() {
    let mut world = World::new("");
    world.in_force(None);
    assert_snapshot!(world.log(), @"in force: code");
}

#[test]
fn a_default_or_an_endpoint_that_does_not_exist_is_an_error() {
    let mut world = World::with("", |settings| settings.default_mode = slug("gone"));
    world.in_force(None);
    world.create("code");
    let nowhere = world.engine().modes().ceiling("nowhere");
    world.say_result(nowhere, |_| "a ceiling".to_owned());
    assert_snapshot!(world.log(), @"
    ✗ no such Mode: Mode not found: gone. Available: code, architect, ask, debug, orchestrator. The missing mode holds here, so every call is denied (ask the user to set one with `modekeeper mode <slug>`)
    sess_1 task_1 in code (💻 Code), active
    ✗ no such Mode: Mode not found: nowhere. Available: code, architect, ask, debug, orchestrator
    ");
}

#[test]
fn a_store_that_cannot_be_read_does_not_open_the_default_mode() {
    let mut world = World::in_file("", |_| {});
    world.create("ask");
    world.enter("sess_1");
    // Another engine finds a folder where the database should be.
    let database = world.fixture.path("global/no/database");
    world.fixture.folder("global/no/database");
    world.location = mk_store::StoreLocation::File(database);
    world.start_engine();
    world.log();
    world.in_force(None);
    world.create("code");
    assert_snapshot!(world.log(), @"
    ✗ unavailable: could not open the database `/project/global/no/database` (check that the directory exists and is yours, or choose another one with `storage_path`)
    ✗ unavailable: could not open the database `/project/global/no/database` (check that the directory exists and is yours, or choose another one with `storage_path`)
    ");
}

#[test]
fn a_mode_that_is_gone_allows_nothing_but_leaving_it() {
    let mut world = World::new(MODES);
    world.create("docs");
    world.enter("sess_1");
    world.fixture.remove(".roomodes");
    world.start_engine_on_same_store();
    world.log();
    world.in_force(None);
    world.call(None, "read_file", "a.md");
    world.call(Some("sess_1"), "write_to_file", "a.md");
    world.info("sess_1");
    world.create("code");
    world.create_below("ask", "sess_1");
    world.switch("sess_1", "ask");
    assert_snapshot!(world.log(), @"
    ✗ no such Mode: Mode not found: docs. Available: code, architect, ask, debug, orchestrator. The missing mode holds here, so every call is denied (ask the user to set one with `modekeeper mode <slug>`)
    ✗ no such Mode: Mode not found: docs. Available: code, architect, ask, debug, orchestrator. The missing mode holds here, so every call is denied (ask the user to set one with `modekeeper mode <slug>`)
    ✗ no such Mode: Mode not found: docs. Available: code, architect, ask, debug, orchestrator. The missing mode holds here, so every call is denied (ask the user to set one with `modekeeper mode <slug>`)
    sess_1 task_1 in docs (docs), active, age 0s, idle 0s
      - → docs: no reason
    sess_2 task_2 in code (💻 Code), active
    sess_3 task_3 in ask (❓ Ask), active, below task_1
    sess_1 from docs to ask (❓ Ask)
    ");
}
