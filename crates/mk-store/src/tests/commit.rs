//! The writer thread: shared commits, failing neighbours, closing.

use std::iter;
use std::pin::Pin;
use std::sync::mpsc;

use super::{Fixture, block_on, block_on_all, new_session, switch, words};
use crate::error::Failure;
use crate::{CloseOutcome, Error, NewSession, Role, SessionFilter, Store};

type Outcome = Result<(), Error>;
type Job<'a> = Pin<Box<dyn Future<Output = Outcome> + 'a>>;

/// Runs `jobs` in one commit: the writer is held until all of them are queued.
fn together<'a>(store: &'a Store, jobs: impl IntoIterator<Item = Job<'a>>) -> Vec<Outcome> {
    let before = store.inner.shared.commits();
    let (release, released) = mpsc::channel::<()>();
    let hold: Job<'_> = Box::pin(store.write(move |_| {
        released.recv().ok();
        Ok(())
    }));
    let release: Job<'_> = Box::pin(async move {
        drop(release);
        Ok(())
    });
    let all = iter::once(hold).chain(jobs).chain(iter::once(release));
    let mut outcomes = block_on_all(all);
    let commits = store.inner.shared.commits() - before;
    assert!(commits <= 2, "{commits} commits");
    outcomes.remove(0).unwrap();
    outcomes.pop().unwrap().unwrap();
    outcomes
}

#[test]
fn a_failing_job_does_not_take_its_neighbours_with_it() {
    for fixture in Fixture::each() {
        let session = fixture.session(None);
        let switched = |from, to| -> Job<'_> {
            let job = fixture.store.switch(switch(&session.id, from, to));
            Box::pin(async { job.await.map(drop) })
        };
        let broken = fixture.store.write(|turn| {
            turn.connection.run("DELETE FROM session", &[])?;
            turn.connection.run("no SQL", &[])?;
            Ok(())
        });
        let panicking = fixture.store.write(|turn| -> Result<(), Failure> {
            turn.connection.run("DELETE FROM session", &[])?;
            panic!("as the test wants it");
        });
        let outcomes = together(
            &fixture.store,
            [
                switched("code", "ask"),
                switched("code", "debug"),
                Box::pin(broken),
                Box::pin(panicking),
                switched("ask", "architect"),
            ],
        );
        let outcomes: Vec<_> = outcomes
            .into_iter()
            .map(|outcome| match outcome {
                Ok(()) => "ok".to_owned(),
                Err(Error::Database { .. } | Error::Server { .. }) => "no SQL".to_owned(),
                Err(error) => words::<()>(Err(error)),
            })
            .collect();
        assert_eq!(
            outcomes,
            [
                "ok",
                "session `ID` is in mode `ask`, not `code`",
                "no SQL",
                "a write to the store panicked and was undone",
                "ok"
            ]
        );
        assert_eq!(fixture.now(&session).mode.as_str(), "architect");
        assert_eq!(fixture.store.mode_changes(&session.id).unwrap().len(), 3);
    }
}

#[test]
fn many_writers_share_commits_and_all_are_kept() {
    for fixture in Fixture::each() {
        let created = block_on_all((0..3000).map(|_| fixture.store.create(new_session(None))));
        assert!(created.iter().all(Result::is_ok));
        let commits = fixture.store.inner.shared.commits();
        assert!(commits < 1000, "{commits} commits for 3000 writes");
        let all = fixture.store.sessions(&SessionFilter::default()).unwrap();
        assert_eq!(all.len(), 3000);
    }
}

#[test]
fn a_full_disk_fails_the_write_and_not_the_store() {
    for fixture in Fixture::embedded() {
        let session = fixture.session(None);
        let limit = |pages: i64| {
            block_on(fixture.store.write(move |turn| {
                let pragma = format!("PRAGMA max_page_count = {pages}");
                let pages: Option<i64> = turn.connection.first(&pragma, &[], |row| row.get(0))?;
                Ok(pages)
            }))
            .unwrap()
        };
        limit(1);
        let large = NewSession {
            message: Some("x".repeat(1 << 20)),
            ..new_session(None)
        };
        let outcome = block_on(fixture.store.create(large.clone()));
        assert!(matches!(outcome, Err(Error::Full { .. })), "{outcome:?}");
        assert_eq!(fixture.now(&session), session);

        limit(1 << 30);
        let created = block_on(fixture.store.create(large)).unwrap();
        assert_eq!(fixture.now(&created), created);
    }
}

#[test]
fn a_write_lock_held_elsewhere_delays_writes_and_not_reads() {
    let fixture = Fixture::in_file();
    let session = fixture.session(None);
    let other = rusqlite::Connection::open(fixture.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (store, id) = (fixture.store.clone(), session.id.clone());
    let writer =
        std::thread::spawn(move || block_on(store.add_message(&id, Role::User, "late".to_owned())));
    for _ in 0..100 {
        assert_eq!(fixture.now(&session), session);
    }
    assert!(!writer.is_finished());
    other.execute_batch("COMMIT").unwrap();
    writer.join().unwrap().unwrap();
    assert_eq!(fixture.store.messages(&session.id).unwrap().len(), 2);
}

#[test]
fn a_closed_store_still_reads_and_refuses_writes() {
    for fixture in Fixture::each() {
        let session = fixture.session(None);
        assert_eq!(fixture.store.close(), CloseOutcome::Complete);
        assert_eq!(fixture.store.close(), CloseOutcome::Complete);
        let refused = block_on(fixture.store.create(new_session(None)));
        assert!(matches!(refused, Err(Error::Closed)));
        assert_eq!(fixture.now(&session), session);
    }
}

#[test]
fn writes_that_nobody_waits_for_are_kept_when_the_store_goes() {
    let fixture = Fixture::in_file();
    let session = fixture.session(None);
    let other = fixture.neighbour();
    {
        let mut abandoned = Box::pin(other.add_message(&session.id, Role::User, "x".to_owned()));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(abandoned.as_mut().poll(&mut context).is_pending());
    }
    drop(other);
    assert_eq!(fixture.store.messages(&session.id).unwrap().len(), 2);
}
