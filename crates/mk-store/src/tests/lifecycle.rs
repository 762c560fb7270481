//! Sessions from creation to their end.

use mk_types::{SessionId, TaskId};

use super::{Fixture, SECOND, block_on, block_on_all, new_session, slug, switch, words};
use crate::{
    Error, MissingSubject, NewSession, Role, Session, SessionFilter, StoredMessage,
    StoredModeChange, TaskState,
};

#[test]
fn a_new_session_is_active_with_its_message_and_its_mode() {
    for fixture in Fixture::each() {
        let now = fixture.clock.now();
        let created = fixture.session(None);
        let expected = Session {
            id: created.id.clone(),
            task: created.task.clone(),
            mode: slug("code"),
            state: TaskState::Active,
            parent: None,
            project: "/project".to_owned(),
            conversation: None,
            created_at: now,
            last_activity: now,
            finished_at: None,
            expired_at: None,
            result: None,
        };
        assert_eq!(created, expected);
        assert_eq!(fixture.now(&created), expected);
        assert_eq!(
            fixture.store.session_of_task(&created.task).unwrap(),
            Some(expected)
        );
        assert_eq!(
            fixture.store.messages(&created.id).unwrap(),
            [StoredMessage {
                role: Role::User,
                content: "hello".to_owned(),
                at: now
            }]
        );
        assert_eq!(
            fixture.store.mode_changes(&created.id).unwrap(),
            [StoredModeChange {
                from: None,
                to: slug("code"),
                reason: None,
                at: now
            }]
        );
    }
}

#[test]
fn a_session_may_begin_without_a_first_message() {
    for fixture in Fixture::each() {
        let silent = NewSession {
            message: None,
            ..new_session(None)
        };
        let session = block_on(fixture.store.create(silent)).unwrap();
        assert!(fixture.store.messages(&session.id).unwrap().is_empty());
        assert_eq!(fixture.store.mode_changes(&session.id).unwrap().len(), 1);
    }
}

#[test]
fn what_does_not_exist_is_none_or_empty() {
    for fixture in Fixture::each() {
        let (session, task) = (SessionId::random(), TaskId::random());
        assert_eq!(fixture.store.session(&session).unwrap(), None);
        assert_eq!(fixture.store.session_of_task(&task).unwrap(), None);
        assert!(!fixture.store.is_tombstone(&session).unwrap());
        assert!(!fixture.store.is_tombstone_of_task(&task).unwrap());
        assert!(fixture.store.children(&task).unwrap().is_empty());
        assert!(fixture.store.messages(&session).unwrap().is_empty());
        assert!(fixture.store.mode_changes(&session).unwrap().is_empty());
    }
}

#[test]
fn messages_keep_their_order_and_their_text() {
    for fixture in Fixture::each() {
        let session = fixture.session(None);
        let long = "ü\n".repeat(100_000);
        let spoken = [
            (Role::Assistant, "{\"tool\":\"read_file\"}"),
            (Role::User, ""),
            (Role::Assistant, long.as_str()),
        ];
        for (role, content) in spoken {
            let content = content.to_owned();
            block_on(fixture.store.add_message(&session.id, role, content)).unwrap();
        }
        let kept = fixture.store.messages(&session.id).unwrap();
        let kept: Vec<_> = kept
            .iter()
            .map(|it| (it.role, it.content.as_str()))
            .collect();
        assert_eq!(kept[1..], spoken);
    }
}

#[test]
fn a_switch_is_recorded_even_to_the_same_mode() {
    for fixture in Fixture::each() {
        let session = fixture.session(None);
        let steps = [
            ("code", "architect"),
            ("architect", "architect"),
            ("architect", "ask"),
        ];
        for (from, to) in steps {
            fixture.clock.advance(SECOND);
            let switched = block_on(fixture.store.switch(switch(&session.id, from, to))).unwrap();
            assert_eq!(switched.mode, slug(to));
            assert_eq!(switched.last_activity, fixture.clock.now());
        }
        let history = fixture.store.mode_changes(&session.id).unwrap();
        let history: Vec<_> = history
            .iter()
            .filter_map(|change| Some((change.from.as_ref()?.as_str(), change.to.as_str())))
            .collect();
        assert_eq!(history, steps);
        assert_eq!(fixture.now(&session).mode, slug("ask"));
    }
}

#[test]
fn of_two_switches_from_the_same_mode_one_conflicts() {
    for fixture in Fixture::each() {
        let session = fixture.session(None);
        let outcomes = block_on_all(
            ["ask", "debug"].map(|to| fixture.store.switch(switch(&session.id, "code", to))),
        );
        assert!(outcomes[0].is_ok());
        let Err(Error::Conflict {
            actual, expected, ..
        }) = &outcomes[1]
        else {
            panic!("{:?}", outcomes[1]);
        };
        assert_eq!((expected, actual), (&slug("code"), &slug("ask")));
        assert_eq!(fixture.store.mode_changes(&session.id).unwrap().len(), 2);
    }
}

#[test]
fn a_finished_task_stays_readable_and_unchangeable() {
    for fixture in Fixture::each() {
        for state in [
            TaskState::Completed,
            TaskState::Failed,
            TaskState::Cancelled,
        ] {
            let session = fixture.session(None);
            fixture.clock.advance(SECOND);
            let result = Some("done".to_owned());
            let finished =
                block_on(fixture.store.finish(&session.id, state, result.clone())).unwrap();
            assert_eq!(finished.state, state);
            assert_eq!(finished.result, result);
            assert_eq!(finished.finished_at, Some(fixture.clock.now()));
            assert_eq!(fixture.now(&session), finished);

            let change = switch(&session.id, "code", "ask");
            let message = fixture
                .store
                .add_message(&session.id, Role::User, String::new());
            let refusals = [
                words(fixture.finish(&session, TaskState::Completed)),
                words(block_on(fixture.store.switch(change))),
                words(block_on(message)),
            ];
            for refusal in refusals {
                assert_eq!(refusal, format!("the task of session `ID` is {state}"));
            }
            assert_eq!(fixture.now(&session), finished);
        }
    }
}

#[test]
fn active_is_no_way_to_finish() {
    let fixture = Fixture::in_memory();
    let session = fixture.session(None);
    let refusal = words(fixture.finish(&session, TaskState::Active));
    insta::assert_snapshot!(refusal, @"a task cannot be completed as `active`");
}

#[test]
fn changing_an_unknown_session_is_not_found() {
    for fixture in Fixture::each() {
        let id = SessionId::random();
        let refusals = [
            block_on(fixture.store.switch(switch(&id, "code", "ask"))).map(drop),
            block_on(fixture.store.finish(&id, TaskState::Failed, None)).map(drop),
            block_on(fixture.store.add_message(&id, Role::User, String::new())),
        ];
        for refusal in refusals {
            assert!(
                matches!(&refusal, Err(Error::NotFound(MissingSubject::Session(missing))) if *missing == id),
                "{refusal:?}"
            );
        }
    }
}

#[test]
fn children_are_listed_in_order_and_know_their_parent() {
    for fixture in Fixture::each() {
        let parent = fixture.session(None);
        fixture.clock.advance(SECOND);
        let children: Vec<_> = (0..5).map(|_| fixture.session(Some(&parent))).collect();
        let grandchild = fixture.session(Some(&children[2]));
        let tasks: Vec<_> = children.iter().map(|it| it.task.clone()).collect();
        assert_eq!(fixture.store.children(&parent.task).unwrap(), tasks);
        assert_eq!(
            fixture.store.children(&children[2].task).unwrap(),
            [grandchild.task]
        );
        assert_eq!(children[0].parent, Some(parent.task.clone()));
        assert_eq!(fixture.now(&parent).last_activity, fixture.clock.now());
    }
}

#[test]
fn a_parent_must_exist_and_be_active() {
    for fixture in Fixture::each() {
        let parent = fixture.session(None);
        fixture.finish(&parent, TaskState::Cancelled).unwrap();
        let finished = block_on(fixture.store.create(new_session(Some(&parent))));
        assert_eq!(words(finished), "parent task `ID` is cancelled");

        let unknown = NewSession {
            parent: Some(TaskId::random()),
            ..new_session(None)
        };
        let unknown = block_on(fixture.store.create(unknown));
        assert_eq!(words(unknown), "task `ID` does not exist");
        let all = fixture.store.sessions(&SessionFilter::default()).unwrap();
        assert_eq!(all.len(), 1, "a refused session leaves nothing behind");
    }
}

#[test]
fn lists_are_filtered_and_newest_first() {
    for fixture in Fixture::each() {
        let made: Vec<_> = ["/a", "/b", "/a", "/a"]
            .into_iter()
            .map(|project| {
                let new = NewSession {
                    project: project.to_owned(),
                    ..new_session(None)
                };
                block_on(fixture.store.create(new)).unwrap()
            })
            .collect();
        fixture.finish(&made[2], TaskState::Completed).unwrap();
        let check = |filter: SessionFilter, expected: &[usize]| {
            let found = fixture.store.sessions(&filter).unwrap();
            let found: Vec<_> = found.iter().map(|it| &it.id).collect();
            let expected: Vec<_> = expected.iter().map(|index| &made[*index].id).collect();
            assert_eq!(found, expected, "{filter:?}");
        };
        let all = SessionFilter::default;
        let in_a = || SessionFilter {
            project: Some("/a".to_owned()),
            ..all()
        };
        let first = |limit: usize, filter: SessionFilter| SessionFilter {
            limit: Some(limit),
            ..filter
        };
        let only = |state: TaskState, filter: SessionFilter| SessionFilter {
            state: Some(state),
            ..filter
        };
        check(all(), &[3, 2, 1, 0]);
        check(first(2, all()), &[3, 2]);
        check(first(0, all()), &[]);
        check(only(TaskState::Active, all()), &[3, 1, 0]);
        check(in_a(), &[3, 2, 0]);
        check(first(1, only(TaskState::Active, in_a())), &[3]);
        check(only(TaskState::Failed, in_a()), &[]);
    }
}
