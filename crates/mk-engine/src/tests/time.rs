//! Age, idleness, expiry, tombstones.

use std::time::Duration;

use insta::assert_snapshot;
use mk_store::SessionFilter;

use super::World;
use crate::{Settings, TaskState};

#[test]
fn an_answer_shows_the_idle_time_before_its_own_access() {
    let mut world = World::new("");
    world.create("code");
    world.log();
    world.pass(240);
    world.info("sess_1");
    world.pass(60);
    world.info("sess_1");
    world.info("sess_1");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in code (💻 Code), active, age 240s, idle 240s
      - → code: no reason
    sess_1 task_1 in code (💻 Code), active, age 300s, idle 60s
      - → code: no reason
    sess_1 task_1 in code (💻 Code), active, age 300s, idle 0s
      - → code: no reason
    ");
}

#[test]
fn a_person_who_looks_does_not_keep_a_task_alive() {
    let mut world = World::new("");
    world.create("code");
    world.pass(3599);
    world.peek("sess_1");
    world.pass(2);
    world.info("sess_1");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in code (💻 Code), active
    sess_1 task_1 in code (💻 Code), active, age 3599s, idle 3599s
      - → code: no reason
    ✗ expired: Session sess_1 has expired (timeout: 3600s) (create a new task)
    ");
}

#[test]
fn every_use_keeps_a_task_alive() {
    let mut world = World::new("");
    world.create("code");
    world.pass(3000);
    world.info("sess_1");
    world.pass(3000);
    world.switch("sess_1", "ask");
    world.pass(3000);
    world.engine().tasks().touch(&world.session("sess_1"));
    world.pass(3000);
    world.log();
    world.peek("sess_1");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in ask (❓ Ask), active, age 12000s, idle 3000s
      - → code: no reason
      code → ask: no reason
    ");
}

#[test]
fn a_task_expires_after_its_time_and_not_before() {
    let mut world = World::new("");
    world.create("code");
    world.pass(3600);
    world.peek("sess_1");
    world.clock.advance(Duration::from_millis(1));
    world.log();
    world.info("sess_1");
    world.switch("sess_1", "ask");
    world.complete("sess_1", TaskState::Completed);
    world.create_below("code", "sess_1");
    world.in_force(Some("sess_1"));
    world.tasks(&SessionFilter::default());
    assert_snapshot!(world.log(), @"
    ✗ expired: Session sess_1 has expired (timeout: 3600s) (create a new task)
    ✗ expired: Session sess_1 has expired (timeout: 3600s) (create a new task)
    ✗ expired: Session sess_1 has expired (timeout: 3600s) (create a new task)
    ✗ expired: Session sess_1 has expired (timeout: 3600s) (create a new task)
    ✗ expired: Session sess_1 has expired (timeout: 3600s) (create a new task)
    1 tasks
      sess_1 task_1 in code (💻 Code), active, expired
    ");
}

#[test]
fn the_configured_timeout_is_in_the_message() {
    let mut world = World::with("", |settings: &mut Settings| {
        settings.session_timeout = Duration::from_secs(10);
    });
    world.create("code");
    world.pass(11);
    world.info("sess_1");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in code (💻 Code), active
    ✗ expired: Session sess_1 has expired (timeout: 10s) (create a new task)
    ");
}

#[test]
fn what_was_swept_is_remembered_as_expired_for_as_long_as_its_tombstone() {
    let mut world = World::new("");
    world.create("code");
    world.pass(3601);
    world.sweep();
    world.info("sess_1");
    world.create_below("code", "sess_1");
    world.complete("sess_1", TaskState::Completed);
    world.log();
    world.pass(90 * 24 * 3600);
    world.sweep();
    world.info("sess_1");
    world.pass(30 * 24 * 3600 + 1);
    world.sweep();
    world.info("sess_1");
    assert_snapshot!(world.log(), @"
    swept 0
    ✗ expired: Session sess_1 has expired (timeout: 3600s) (create a new task)
    swept 0
    ✗ no such Session: Session not found: sess_1
    ");
}

#[test]
fn a_sweep_leaves_what_is_in_use() {
    let mut world = World::new("");
    world.create("code");
    world.create("ask");
    world.pass(3000);
    world.info("sess_2");
    world.pass(1000);
    world.log();
    world.sweep();
    world.info("sess_1");
    world.peek("sess_2");
    assert_snapshot!(world.log(), @"
    swept 1
    ✗ expired: Session sess_1 has expired (timeout: 3600s) (create a new task)
    sess_2 task_2 in ask (❓ Ask), active, age 4000s, idle 1000s
      - → ask: no reason
    ");
}

#[test]
fn the_activity_of_a_child_keeps_its_parents_alive() {
    let mut world = World::new("");
    world.create("orchestrator");
    world.create_below("orchestrator", "sess_1");
    world.create_below("code", "sess_2");
    world.pass(3000);
    world.info("sess_3");
    world.pass(3000);
    world.log();
    world.sweep();
    world.peek("sess_1");
    world.peek("sess_2");
    assert_snapshot!(world.log(), @"
    swept 0
    sess_1 task_1 in orchestrator (🪃 Orchestrator), active, age 6000s, idle 3000s
      - → orchestrator: no reason
    sess_2 task_2 in orchestrator (🪃 Orchestrator), active, below task_1, age 6000s, idle 3000s
      - → orchestrator: no reason
    ");
}

#[test]
fn a_child_outlives_a_parent_that_has_finished() {
    let mut world = World::new("");
    world.create("orchestrator");
    world.create_below("code", "sess_1");
    world.complete("sess_1", TaskState::Completed);
    world.log();
    world.info("sess_2");
    assert_snapshot!(world.log(), @"
    sess_2 task_2 in code (💻 Code), active, below task_1, age 0s, idle 0s
      - → code: no reason
    ");
}

#[test]
fn a_list_with_a_limit_is_filled_from_behind_the_expired_ones() {
    let mut world = World::new("");
    world.create("ask");
    for _ in 0..20 {
        world.create("code");
    }
    world.pass(3000);
    world.info("sess_1");
    world.pass(3000);
    world.log();
    let first = |limit| SessionFilter {
        state: Some(TaskState::Active),
        limit: Some(limit),
        ..SessionFilter::default()
    };
    world.tasks(&first(1));
    world.tasks(&first(2));
    world.tasks(&first(0));
    assert_snapshot!(world.log(), @"
    1 tasks
      sess_1 task_1 in ask (❓ Ask), active
    1 tasks
      sess_1 task_1 in ask (❓ Ask), active
    0 tasks
    ");
}
