//! What the store refuses, in the words that a caller gets. Most of it needs two processes at odds to happen.

use insta::assert_snapshot;
use mk_store::{ApprovalState, Error as Store, MissingSubject, TaskState};
use mk_types::{ApprovalId, SessionId, TaskId};

use super::{World, show_error, slug};
use crate::Error;

#[test]
fn every_refusal_of_the_store_has_its_kind() {
    let session = SessionId::parse("sess_0123456789ab").unwrap();
    let task = TaskId::parse("task_0123456789ab").unwrap();
    let approval = ApprovalId::parse("appr_0123456789ab").unwrap();
    let state = TaskState::Completed;
    let table: Vec<String> = [
        Store::NotFound(MissingSubject::Session(session.clone())),
        Store::NotFound(MissingSubject::Task(task.clone())),
        Store::NotFound(MissingSubject::Approval(approval.clone())),
        Store::Expired(MissingSubject::Session(session.clone())),
        Store::ParentFinished {
            parent: task,
            state,
        },
        Store::Finished {
            session: session.clone(),
            state,
        },
        Store::NotAnEnd {
            state: TaskState::Active,
        },
        Store::Conflict {
            session,
            expected: slug("code"),
            actual: slug("ask"),
        },
        Store::AlreadyDecided {
            id: approval.clone(),
            state: ApprovalState::Denied,
        },
        Store::NotGranted {
            id: approval,
            state: ApprovalState::Used,
        },
        Store::Closed,
    ]
    .into_iter()
    .map(|error| show_error(&Error::from(error)))
    .collect();
    assert_snapshot!(table.join("\n"), @"
    ✗ no such Session: Session not found: sess_0123456789ab
    ✗ no such Task: Task not found: task_0123456789ab
    ✗ no such Approval: Approval not found: appr_0123456789ab
    ✗ no such Session: Session `sess_0123456789ab` has expired
    ✗ invalid call: Parent task `task_0123456789ab` is completed
    ✗ invalid call: The task of session `sess_0123456789ab` is completed
    ✗ invalid call: A task cannot be completed as `active`
    ✗ conflict: Session `sess_0123456789ab` is in mode `ask`, not `code`
    ✗ conflict: Approval `appr_0123456789ab` is already denied
    ✗ conflict: Approval `appr_0123456789ab` is used, not granted
    ✗ unavailable: the store is closed
    ");
}

#[test]
fn a_parent_that_expires_between_check_and_write_is_expired_and_not_unknown() {
    let mut world = World::new("");
    let session = SessionId::parse("sess_0123456789ab").unwrap();
    let task = TaskId::parse("task_0123456789ab").unwrap();
    for subject in [
        MissingSubject::Task(task),
        MissingSubject::Session(session.clone()),
    ] {
        let refused = world
            .engine()
            .about(Some(&session), Store::Expired(subject));
        world.say(&show_error(&refused));
    }
    assert_snapshot!(world.log(), @"
    ✗ expired: Session sess_0123456789ab has expired (timeout: 3600s) (create a new task)
    ✗ expired: Session sess_0123456789ab has expired (timeout: 3600s) (create a new task)
    ");
}

#[test]
fn a_closed_engine_still_answers_but_changes_nothing() {
    let mut world = World::new("");
    world.create("code");
    assert_eq!(world.engine().close(), crate::CloseOutcome::Complete);
    world.switch("sess_1", "ask");
    world.create("ask");
    world.info("sess_1");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in code (💻 Code), active
    ✗ unavailable: the store is closed
    ✗ unavailable: the store is closed
    sess_1 task_1 in code (💻 Code), active, age 0s, idle 0s
      - → code: no reason
    ");
}
