//! The file is removed, replaced or locked while a store has it open.

use std::fs;
use std::time::Instant;

use rusqlite::Connection;

use super::{Fixture, block_on, new_session};
use crate::{CloseOutcome, Error, Role, Store, StoreLocation};

#[test]
fn what_is_written_after_the_file_was_removed_is_there_with_what_was_before() {
    for also_the_log in [false, true] {
        let fixture = Fixture::in_file();
        let before = fixture.session(None);
        assert_eq!(fixture.now(&before), before);
        fs::remove_file(fixture.path()).unwrap();
        if also_the_log {
            for suffix in ["-wal", "-shm"] {
                fs::remove_file(format!("{}{suffix}", fixture.path().display())).unwrap();
            }
        }
        assert_eq!(fixture.now(&before), before);
        let after: Vec<_> = (0..20).map(|_| fixture.session(None)).collect();
        assert_eq!(fixture.now(&before), before);
        let neighbour = fixture.neighbour();
        for session in [before].iter().chain(&after) {
            let found = neighbour.session(&session.id).unwrap();
            assert_eq!(found.as_ref(), Some(session));
        }
        assert_eq!(fixture.store.close(), CloseOutcome::Complete);
        let reopened = fixture.neighbour();
        assert!(reopened.session(&after[19].id).unwrap().is_some());
    }
}

#[test]
fn a_first_read_after_the_file_was_removed_has_it_put_back() {
    let fixture = Fixture::in_file();
    let session = fixture.session(None);
    fs::remove_file(fixture.path()).unwrap();
    let outcome = fixture.store.session(&session.id);
    assert!(
        matches!(outcome, Err(Error::Replaced { .. })),
        "{outcome:?}"
    );
    block_on(fixture.store.write(|_| Ok(()))).unwrap();
    assert_eq!(fixture.now(&session), session);
}

#[test]
fn the_whole_directory_may_be_removed() {
    let fixture = Fixture::in_file();
    let before = fixture.session(None);
    fs::remove_dir_all(fixture.path().parent().unwrap()).unwrap();
    let after = fixture.session(None);
    for session in [before, after] {
        let found = fixture.neighbour().session(&session.id).unwrap();
        assert_eq!(found, Some(session));
    }
}

#[test]
fn a_file_in_place_of_the_old_one_is_used_by_reads_and_writes() {
    let fixture = Fixture::in_file();
    let old = fixture.session(None);
    let copy = fixture.path().with_file_name("copy.db");
    fixture.store.back_up(&copy).unwrap();
    let lost = fixture.session(None);
    fs::rename(&copy, fixture.path()).unwrap();
    let new = fixture.session(None);
    assert_eq!(fixture.now(&old), old);
    assert_eq!(fixture.now(&new), new);
    assert_eq!(fixture.store.session(&lost.id).unwrap(), None);
    let neighbour = fixture.neighbour();
    assert_eq!(neighbour.session(&new.id).unwrap(), Some(new));
    let check = Connection::open(fixture.path()).unwrap();
    let word: String = check
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(word, "ok");
}

#[test]
fn a_write_during_which_the_file_goes_is_not_acknowledged() {
    let fixture = Fixture::in_file();
    let session = fixture.session(None);
    let path = fixture.path();
    let outcome = block_on(fixture.store.write(move |turn| {
        fs::remove_file(&path).unwrap();
        turn.connection.run("DELETE FROM message", &[])?;
        Ok(())
    }));
    assert!(
        matches!(outcome, Err(Error::Replaced { .. })),
        "{outcome:?}"
    );
    let add = fixture
        .store
        .add_message(&session.id, Role::User, "next".to_owned());
    block_on(add).unwrap();
    let messages = fixture.neighbour().messages(&session.id).unwrap();
    assert_eq!(messages.len(), 2);
}

/// Nobody else can read or write.
fn lock_out(fixture: &Fixture) -> Connection {
    let other = Connection::open(fixture.path()).unwrap();
    other
        .execute_batch(
            "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM tombstone; COMMIT",
        )
        .unwrap();
    other
}

#[test]
fn a_servers_reads_do_not_wait_for_a_lock_one_after_the_other() {
    let fixture = Fixture::in_file();
    let session = fixture.session(None);
    assert_eq!(fixture.store.close(), CloseOutcome::Complete);
    let other = lock_out(&fixture);
    let server = Store::for_server(StoreLocation::File(fixture.path()), fixture.clock.clone());
    let begun = Instant::now();
    for _ in 0..50 {
        let outcome = server.session(&session.id);
        assert!(matches!(outcome, Err(Error::Busy { .. })), "{outcome:?}");
    }
    // Fifty patient reads would take minutes.
    assert!(begun.elapsed().as_secs() < 5);
    drop(other);
}

#[test]
fn closing_does_not_wait_for_another_process_for_longer_than_a_second() {
    let fixture = Fixture::in_file();
    let session = fixture.session(None);
    let other = Connection::open(fixture.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let store = fixture.neighbour();
    let mut waiting = Box::pin(store.add_message(&session.id, Role::User, "x".to_owned()));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(waiting.as_mut().poll(&mut context).is_pending());
    assert_eq!(store.close(), CloseOutcome::CutOff);
    drop(waiting);
    drop(other);
    drop(block_on(fixture.store.create(new_session(None))).unwrap());
}
