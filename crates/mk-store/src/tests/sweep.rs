//! What a sweep removes, and what it leaves.

use std::cell::Cell;
use std::pin::Pin;
use std::time::Duration;

use super::{Fixture, HOUR, SECOND, block_on, block_on_all, new_session, switch};
use crate::{
    Error, NewApproval, Session, SessionFilter, Store, Subject, Swept, TaskState, Verdict,
};

const DAY: Duration = Duration::from_secs(86_400);

#[track_caller]
fn sweep(store: &Store) -> Swept {
    block_on(store.sweep(HOUR, DAY)).unwrap()
}

#[track_caller]
fn check(fixture: &Fixture, session: &Session, expected: &str) {
    let found = fixture.store.session(&session.id).unwrap().is_some();
    let tombstone = fixture.store.is_tombstone(&session.id).unwrap();
    let of_task = fixture.store.is_tombstone_of_task(&session.task).unwrap();
    assert_eq!(tombstone, of_task);
    let actual = match (found, tombstone) {
        (true, false) => "live",
        (false, true) => "tombstone",
        (false, false) => "unknown",
        (true, true) => "both",
    };
    assert_eq!(actual, expected);
}

#[test]
fn an_idle_session_becomes_a_tombstone_and_then_unknown() {
    for fixture in Fixture::both() {
        let session = fixture.session(None);
        fixture.clock.advance(HOUR);
        assert_eq!(sweep(&fixture.store), Swept::default());
        check(&fixture, &session, "live");

        fixture.clock.advance(SECOND);
        let swept = sweep(&fixture.store);
        assert_eq!(
            swept,
            Swept {
                sessions: 1,
                ..Swept::default()
            }
        );
        check(&fixture, &session, "tombstone");
        assert!(fixture.store.messages(&session.id).unwrap().is_empty());
        assert!(fixture.store.mode_changes(&session.id).unwrap().is_empty());

        fixture.clock.advance(DAY);
        assert_eq!(sweep(&fixture.store), Swept::default());
        fixture.clock.advance(SECOND);
        let swept = sweep(&fixture.store);
        assert_eq!(
            swept,
            Swept {
                tombstones: 1,
                ..Swept::default()
            }
        );
        check(&fixture, &session, "unknown");
    }
}

#[test]
fn changing_an_expired_session_says_expired() {
    for fixture in Fixture::both() {
        let session = fixture.session(None);
        fixture.clock.advance(HOUR + SECOND);
        sweep(&fixture.store);
        let switched = block_on(fixture.store.switch(switch(&session.id, "code", "ask")));
        let finished = fixture.finish(&session, TaskState::Completed);
        for refusal in [switched, finished] {
            assert!(matches!(refusal, Err(Error::Expired(Subject::Session(_)))));
        }
        let child = block_on(fixture.store.create(new_session(Some(&session))));
        assert!(matches!(child, Err(Error::Expired(Subject::Task(_)))));
    }
}

#[test]
fn activity_of_every_kind_keeps_a_session_and_its_ancestors() {
    for fixture in Fixture::both() {
        let top = fixture.session(None);
        let middle = fixture.session(Some(&top));
        let bottom = fixture.session(Some(&middle));
        let idle = fixture.session(Some(&top));
        fixture.clock.advance(HOUR);
        // Not flushed: the sweep has to take it into account all the same.
        fixture.store.touch(&bottom.id);
        fixture.clock.advance(SECOND);
        assert_eq!(sweep(&fixture.store).sessions, 1);
        check(&fixture, &idle, "tombstone");
        for session in [&top, &middle, &bottom] {
            check(&fixture, session, "live");
        }
        fixture.clock.advance(HOUR + SECOND);
        assert_eq!(sweep(&fixture.store).sessions, 3);
    }
}

#[test]
fn finished_sessions_expire_too() {
    for fixture in Fixture::both() {
        let session = fixture.session(None);
        fixture.finish(&session, TaskState::Completed).unwrap();
        fixture.clock.advance(HOUR + SECOND);
        assert_eq!(sweep(&fixture.store).sessions, 1);
        check(&fixture, &session, "tombstone");
    }
}

#[test]
fn approvals_go_with_their_session_or_with_time() {
    for fixture in Fixture::both() {
        let session = fixture.session(None);
        let question = |session: Option<&Session>| NewApproval {
            session: session.map(|it| it.id.clone()),
            kind: "kind".to_owned(),
            subject: "subject".to_owned(),
            payload: "{}".to_owned(),
            conversation: None,
            plan: None,
        };
        let ask = |session| block_on(fixture.store.ask(question(session))).unwrap().id;
        let of_session = ask(Some(&session));
        let forgotten = ask(None);
        fixture.clock.advance(HOUR + SECOND);
        let decided = ask(None);
        block_on(fixture.store.decide(&decided, Verdict::Granted, "ann")).unwrap();
        sweep(&fixture.store);
        let left = |id| fixture.store.approval(id).unwrap().is_some();
        assert_eq!(
            [&of_session, &decided, &forgotten].map(left),
            [false, true, true]
        );

        fixture.clock.advance(DAY);
        assert_eq!(sweep(&fixture.store).approvals, 1);
        assert_eq!([&decided, &forgotten].map(left), [true, false]);
        fixture.clock.advance(SECOND);
        assert_eq!(sweep(&fixture.store).approvals, 1);
        assert!(!left(&decided));
    }
}

#[test]
fn a_large_sweep_comes_in_batches_and_lets_others_through() {
    for fixture in Fixture::both() {
        let parent = fixture.session(None);
        block_on_all((0..1500).map(|_| fixture.store.create(new_session(Some(&parent)))));
        fixture.clock.advance(HOUR + SECOND);
        let before = fixture.store.inner.shared.commits();
        let swept = Cell::new(None);
        let sweeping: Pin<Box<dyn Future<Output = usize>>> = Box::pin(async {
            swept.set(Some(fixture.store.sweep(HOUR, DAY).await.unwrap()));
            0
        });
        let creating: Pin<Box<dyn Future<Output = usize>>> = Box::pin(async {
            let mut created = 0;
            while swept.get().is_none() {
                fixture.store.create(new_session(None)).await.unwrap();
                created += 1;
            }
            created
        });
        let created = block_on_all([creating, sweeping])[0];
        assert_eq!(swept.get().unwrap().sessions, 1501);
        let commits = fixture.store.inner.shared.commits() - before;
        assert!(commits >= 8, "{commits} commits");
        assert!(created >= 4, "{created} created");
        let left = fixture.store.sessions(&SessionFilter::default()).unwrap();
        assert_eq!(left.len(), created);
    }
}
