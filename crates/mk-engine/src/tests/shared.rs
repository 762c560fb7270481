//! Two engines on one database, as a server and a command line beside it.

use insta::assert_snapshot;
use mk_store::SessionFilter;

use super::{MODES, World, ask_to_widen};
use crate::{ApprovalVerdict, TaskState};

#[test]
fn what_one_engine_does_the_other_sees() {
    let mut world = World::in_file(MODES, |_| {});
    world.create_task("docs", None, Some("Write."));
    world.start_engine();
    world.peek("sess_1");
    world.switch_because("sess_1", "ask", Some("From the other one."));
    world.use_engine(0);
    world.in_force(Some("sess_1"));
    world.complete("sess_1", TaskState::Completed);
    world.use_engine(0);
    world.info("sess_1");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in docs (Docs), active
    sess_1 task_1 in docs (Docs), active, age 0s, idle 0s
      - → docs: no reason
    sess_1 from docs to ask (❓ Ask): From the other one.
    in force: ask of sess_1
    sess_1 task_1 in ask (❓ Ask), completed: the result
    sess_1 task_1 in ask (❓ Ask), completed: the result, age 0s, idle 0s
      - → docs: no reason
      docs → ask: From the other one.
      user: Write.
    ");
}

#[test]
fn a_task_outlives_the_process_that_created_it() {
    let mut world = World::in_file(MODES, |_| {});
    world.create("docs");
    assert_eq!(world.engine().close(), crate::CloseOutcome::Complete);
    world.engines.clear();
    world.start_engine();
    world.tasks(&SessionFilter::default());
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in docs (Docs), active
    1 tasks
      sess_1 task_1 in docs (Docs), active
    ");
}

#[test]
fn what_is_noted_in_one_process_keeps_a_task_alive_in_the_other() {
    let mut world = World::in_file(MODES, |_| {});
    world.create("docs");
    world.pass(3000);
    world.info("sess_1");
    world.store.flush();
    world.start_engine();
    world.pass(3000);
    world.log();
    world.peek("sess_1");
    world.sweep();
    world.pass(601);
    world.sweep();
    world.use_engine(0);
    world.info("sess_1");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in docs (Docs), active, age 6000s, idle 3000s
      - → docs: no reason
    swept 0
    swept 1
    ✗ expired: Session sess_1 has expired (timeout: 3600s) (create a new task)
    ");
}

#[test]
fn a_question_of_one_process_is_answered_in_the_other() {
    let mut world = World::in_file(MODES, ask_to_widen);
    world.create("ask");
    world.switch("sess_1", "code");
    world.start_engine();
    world.approvals();
    world.switch("sess_1", "code");
    world.decide("appr_1", ApprovalVerdict::Granted);
    world.use_engine(0);
    world.switch("sess_1", "code");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in ask (❓ Ask), active
    asks appr_1 pending: Let the agent change from 'ask' to 'code' mode? of sess_1
    1 questions
      appr_1 pending: Let the agent change from 'ask' to 'code' mode? of sess_1
    asks appr_1 pending: Let the agent change from 'ask' to 'code' mode? of sess_1
    appr_1 granted: Let the agent change from 'ask' to 'code' mode? of sess_1 by a test
    sess_1 from ask to code (💻 Code)
    ");
}

#[test]
fn of_two_processes_that_end_a_task_one_is_refused() {
    let mut world = World::in_file(MODES, |_| {});
    world.create("ask");
    world.start_engine();
    world.complete("sess_1", TaskState::Failed);
    world.use_engine(0);
    world.complete("sess_1", TaskState::Completed);
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in ask (❓ Ask), active
    sess_1 task_1 in ask (❓ Ask), failed: the result
    ✗ invalid session_id: Task of session sess_1 is already failed
    ");
}
