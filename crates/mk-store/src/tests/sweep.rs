//! What a sweep removes, and what it leaves.

use std::cell::Cell;
use std::pin::Pin;
use std::time::Duration;

use super::{Fixture, HOUR, SECOND, block_on, block_on_all, new_session, switch};
use crate::{
    ApprovalVerdict, Error, MissingSubject, NewApproval, Retention, Session, SessionFilter, Store,
    SweptSessions, TaskState,
};

const DAY: Duration = Duration::from_secs(86_400);

const KEEP: Retention = Retention {
    timeout: HOUR,
    retention: DAY,
    tombstones: DAY,
};

#[track_caller]
fn sweep(store: &Store) -> SweptSessions {
    block_on(store.sweep(KEEP)).unwrap()
}

#[track_caller]
fn check(fixture: &Fixture, session: &Session, expected: &str) {
    let found = fixture.store.session(&session.id).unwrap();
    let tombstone = fixture.store.is_tombstone(&session.id).unwrap();
    let of_task = fixture.store.is_tombstone_of_task(&session.task).unwrap();
    assert_eq!(tombstone, of_task);
    let actual = match (found.map(|session| session.expired_at), tombstone) {
        (Some(None), false) => "live",
        (Some(Some(_)), false) => "expired",
        (None, true) => "tombstone",
        (None, false) => "unknown",
        (Some(_), true) => "both",
    };
    assert_eq!(actual, expected);
}

#[test]
fn an_idle_session_expires_then_becomes_a_tombstone_and_then_unknown() {
    for fixture in Fixture::each() {
        let session = fixture.session(None);
        fixture.clock.advance(HOUR);
        assert_eq!(sweep(&fixture.store), SweptSessions::default());
        check(&fixture, &session, "live");

        fixture.clock.advance(SECOND);
        let expired = SweptSessions {
            expired: 1,
            ..SweptSessions::default()
        };
        assert_eq!(sweep(&fixture.store), expired);
        check(&fixture, &session, "expired");
        assert_eq!(fixture.store.messages(&session.id).unwrap().len(), 1);
        assert_eq!(fixture.store.mode_changes(&session.id).unwrap().len(), 1);

        fixture.clock.advance(DAY - HOUR);
        let removed = SweptSessions {
            sessions: 1,
            ..SweptSessions::default()
        };
        assert_eq!(sweep(&fixture.store), removed);
        check(&fixture, &session, "tombstone");

        fixture.clock.advance(DAY);
        assert_eq!(sweep(&fixture.store), SweptSessions::default());
        fixture.clock.advance(SECOND);
        let forgotten = SweptSessions {
            tombstones: 1,
            ..SweptSessions::default()
        };
        assert_eq!(sweep(&fixture.store), forgotten);
        check(&fixture, &session, "unknown");
    }
}

#[test]
fn changing_an_expired_session_says_expired() {
    for fixture in Fixture::each() {
        let session = fixture.session(None);
        fixture.clock.advance(HOUR + SECOND);
        sweep(&fixture.store);
        let switched = block_on(fixture.store.switch(switch(&session.id, "code", "ask")));
        let finished = fixture.finish(&session, TaskState::Completed);
        for refusal in [switched, finished] {
            assert!(matches!(
                refusal,
                Err(Error::Expired(MissingSubject::Session(_)))
            ));
        }
        let child = block_on(fixture.store.create(new_session(Some(&session))));
        assert!(matches!(
            child,
            Err(Error::Expired(MissingSubject::Task(_)))
        ));
    }
}

#[test]
fn activity_of_every_kind_keeps_a_session_and_its_ancestors() {
    for fixture in Fixture::each() {
        let top = fixture.session(None);
        let middle = fixture.session(Some(&top));
        let bottom = fixture.session(Some(&middle));
        let idle = fixture.session(Some(&top));
        fixture.clock.advance(HOUR);
        // Not flushed: the sweep has to take it into account all the same.
        fixture.store.touch(&bottom.id);
        fixture.clock.advance(SECOND);
        assert_eq!(sweep(&fixture.store).expired, 1);
        check(&fixture, &idle, "expired");
        for session in [&top, &middle, &bottom] {
            check(&fixture, session, "live");
        }
        fixture.clock.advance(HOUR + SECOND);
        assert_eq!(sweep(&fixture.store).expired, 3);
    }
}

#[test]
fn finished_sessions_are_kept_until_retention_ends() {
    for fixture in Fixture::each() {
        let session = fixture.session(None);
        fixture.finish(&session, TaskState::Completed).unwrap();
        fixture.clock.advance(DAY);
        assert_eq!(sweep(&fixture.store), SweptSessions::default());
        check(&fixture, &session, "live");
        fixture.clock.advance(SECOND);
        assert_eq!(sweep(&fixture.store).sessions, 1);
        check(&fixture, &session, "tombstone");
    }
}

#[test]
fn a_clock_that_is_wrong_for_one_sweep_changes_nothing() {
    let boot = |seconds: i64| crate::boot::SinceBoot {
        boot: "boot".to_owned(),
        millis: seconds * 1000,
    };
    for fixture in Fixture::embedded() {
        let moved = |wall: i64, since_boot| {
            let wall = mk_types::Timestamp::from_millis(wall * 1000);
            let look = fixture.store.write(move |turn| {
                crate::boot::wall_clock_moved(turn.connection, wall, &since_boot)
            });
            block_on(look).unwrap()
        };
        assert!(!moved(1_000_000, boot(100)));
        assert!(!moved(1_000_300, boot(400)));
        // Two hours ahead for a moment.
        assert!(moved(1_007_600, boot(500)));
        assert!(!moved(1_000_500, boot(600)));
        // Set right for good: believed at the second look, not at the first.
        assert!(moved(1_008_000, boot(800)));
        assert!(!moved(1_008_300, boot(1100)));
        // Back again, and a machine that was started since.
        assert!(moved(1_001_000, boot(1200)));
        let other = crate::boot::SinceBoot {
            boot: "another".to_owned(),
            millis: 5,
        };
        assert!(!moved(1_001_000, other));
    }
}

#[test]
fn this_system_tells_its_time_since_boot() {
    let first = crate::boot::SinceBoot::now().unwrap();
    let second = crate::boot::SinceBoot::now().unwrap();
    assert_eq!(first.boot, second.boot);
    assert!(first.millis > 0 && second.millis >= first.millis);
}

#[test]
fn old_records_go_with_retention() {
    for fixture in Fixture::each() {
        let conversation = fixture.conversation("one");
        let decision = super::decision::new("Edit", crate::Ruling::Deny);
        let id = block_on(fixture.store.append_decision(decision)).unwrap();
        fixture.clock.advance(DAY);
        assert_eq!(sweep(&fixture.store).records, 0);
        fixture.clock.advance(SECOND);
        assert_eq!(sweep(&fixture.store).records, 2);
        assert_eq!(fixture.store.decision(&id).unwrap(), None);
        assert_eq!(fixture.store.conversation(&conversation.id).unwrap(), None);
    }
}

#[test]
fn approvals_go_with_their_session_or_with_time() {
    for fixture in Fixture::each() {
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
        let (of_session, forgotten) = (ask(Some(&session)), ask(None));
        fixture.clock.advance(HOUR + SECOND);
        let decided = ask(None);
        block_on(
            fixture
                .store
                .decide(&decided, ApprovalVerdict::Granted, "ann"),
        )
        .unwrap();
        sweep(&fixture.store);
        let left = |id| fixture.store.approval(id).unwrap().is_some();
        assert_eq!([&of_session, &decided, &forgotten].map(left), [true; 3]);

        fixture.clock.advance(DAY - HOUR);
        assert_eq!(sweep(&fixture.store).approvals, 1);
        assert_eq!(
            [&of_session, &decided, &forgotten].map(left),
            [false, true, false]
        );
        fixture.clock.advance(HOUR + SECOND);
        assert_eq!(sweep(&fixture.store).approvals, 1);
        assert!(!left(&decided));
    }
}

#[test]
fn a_large_sweep_comes_in_batches_and_lets_others_through() {
    for fixture in Fixture::each() {
        let parent = fixture.session(None);
        block_on_all((0..1500).map(|_| fixture.store.create(new_session(Some(&parent)))));
        fixture.clock.advance(DAY + SECOND);
        let before = fixture.store.inner.shared.commits();
        let swept = Cell::new(None);
        let sweeping: Pin<Box<dyn Future<Output = usize>>> = Box::pin(async {
            swept.set(Some(fixture.store.sweep(KEEP).await.unwrap()));
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
