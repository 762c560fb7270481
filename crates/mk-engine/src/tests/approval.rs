//! Questions to a person: answered once, from anywhere, or not at all.

use std::time::Duration;

use insta::assert_snapshot;
use mk_types::ApprovalId;

use super::{MODES, World, ask_to_widen, show_error};
use crate::{ApprovalVerdict, Approvals, Settings};

/// A world in which one question is open.
fn world() -> World {
    let mut world = World::in_file(MODES, |settings: &mut Settings| {
        ask_to_widen(settings);
        settings.approval_timeout = Duration::from_secs(60);
    });
    world.create("ask");
    world.switch("sess_1", "code");
    world.log();
    world
}

fn id(world: &World) -> ApprovalId {
    ApprovalId::parse(&world.real("appr_1")).unwrap()
}

#[test]
fn a_question_is_answered_once() {
    let mut world = world();
    world.decide("appr_1", ApprovalVerdict::Granted);
    world.decide("appr_1", ApprovalVerdict::Denied);
    world.switch("sess_1", "code");
    world.decide("appr_1", ApprovalVerdict::Granted);
    assert_snapshot!(world.log(), @"
    appr_1 granted: Let the agent change from 'ask' to 'code' mode? of sess_1 by a test
    ✗ conflict: Approval `appr_1` is already granted
    sess_1 from ask to code (💻 Code)
    ✗ conflict: Approval `appr_1` is already used
    ");
}

#[test]
fn a_question_that_nobody_asked_is_not_found() {
    let mut world = world();
    world.decide("appr_0123456789ab", ApprovalVerdict::Granted);
    assert_snapshot!(world.log(), @"✗ no such Approval: Approval not found: appr_0123456789ab");
}

#[test]
fn an_answer_from_another_process_ends_the_wait() {
    for verdict in [ApprovalVerdict::Granted, ApprovalVerdict::Denied] {
        let mut world = world();
        world.start_engine();
        let id = id(&world);
        let [waiting, deciding] = world.engines.as_slice() else {
            panic!("two engines");
        };
        let (decided, answered) = world.runtime.block_on(async {
            tokio::join!(
                waiting.approvals().wait(&id),
                deciding.approvals().decide(&id, verdict, "another process")
            )
        });
        answered.unwrap();
        assert_eq!(decided.unwrap(), Some(verdict));
    }
}

#[test]
fn an_answer_that_is_there_already_is_not_waited_for() {
    let mut world = world();
    world.decide("appr_1", ApprovalVerdict::Granted);
    let id = id(&world);
    let engine = world.engine().clone();
    let decided = world.runtime.block_on(engine.approvals().wait(&id));
    assert_eq!(decided.unwrap(), Some(ApprovalVerdict::Granted));
    // Once used, it is no answer any more.
    world.switch("sess_1", "code");
    let decided = world.runtime.block_on(engine.approvals().wait(&id));
    assert_eq!(decided.unwrap(), None);
}

#[test]
fn nobody_answering_in_time_is_a_no_that_names_the_question() {
    let mut world = world();
    let (id, engine) = (id(&world), world.engine().clone());
    let (decided, waited) = world.runtime.block_on(async {
        // From here on, time passes when nothing else can happen.
        tokio::time::pause();
        let since = tokio::time::Instant::now();
        (engine.approvals().wait(&id).await, since.elapsed())
    });
    let verdict = decided.unwrap();
    assert_eq!((verdict, waited.as_secs()), (None, 60));
    let question = engine.approvals().get(&id).unwrap();
    world.say(&show_error(&Approvals::not_approved(&question, verdict)));
    world.say(&show_error(&Approvals::not_approved(
        &question,
        Some(ApprovalVerdict::Denied),
    )));
    assert_snapshot!(world.log(), @"
    ✗ denied: Approval timed out: Let the agent change from 'ask' to 'code' mode? (appr_1) (ask the user to run `modekeeper approve appr_1`, then try again)
    ✗ denied: The user declined: Let the agent change from 'ask' to 'code' mode? (appr_1)
    ");
}

#[test]
fn a_late_answer_counts_for_the_next_try() {
    let mut world = world();
    world.pass(400);
    world.decide("appr_1", ApprovalVerdict::Granted);
    world.pass(100);
    world.switch("sess_1", "code");
    assert_snapshot!(world.log(), @"
    appr_1 granted: Let the agent change from 'ask' to 'code' mode? of sess_1 by a test
    sess_1 from ask to code (💻 Code)
    ");
}

#[test]
fn waiting_for_a_question_that_is_gone_is_an_error() {
    let mut world = world();
    let gone = ApprovalId::parse("appr_0123456789ab").unwrap();
    let engine = world.engine().clone();
    let decided = world.runtime.block_on(engine.approvals().wait(&gone));
    world.say(&show_error(&decided.unwrap_err()));
    assert_snapshot!(world.log(), @"✗ no such Approval: Approval not found: appr_0123456789ab");
}

#[test]
fn of_two_tries_at_once_one_uses_the_yes() {
    let mut world = world();
    world.decide("appr_1", ApprovalVerdict::Granted);
    let id = world.real("sess_1");
    let engine = world.engine().clone();
    let caller = world.caller.clone();
    let switch = || engine.tasks().switch_mode(&caller, &id, "code", None);
    let (a, b) = world
        .runtime
        .block_on(async { tokio::join!(switch(), switch()) });
    let done = [a.unwrap(), b.unwrap()]
        .iter()
        .filter(|outcome| matches!(outcome, crate::Outcome::Done(_)))
        .count();
    // The other one finds the session in `code` already, or has to ask.
    let details = engine
        .tasks()
        .peek(&id, crate::TaskQuery::default())
        .unwrap();
    let widened = details
        .mode_changes
        .iter()
        .filter(|change| {
            change
                .from
                .as_ref()
                .is_some_and(|from| from.as_str() == "ask")
        })
        .count();
    assert_eq!(widened, 1);
    assert!(done >= 1);
}
