//! Activity that is noted in memory and written later.

use super::{Fixture, SECOND, block_on};
use crate::{CloseOutcome, Role, SessionFilter};

#[test]
fn a_touch_shows_at_once_and_is_written_by_flush() {
    let fixture = Fixture::in_file();
    let neighbour = fixture.neighbour();
    let session = fixture.session(None);
    fixture.clock.advance(SECOND);
    fixture.store.touch(&session.id);
    let touched = fixture.clock.now();
    assert_eq!(fixture.now(&session).last_activity, touched);
    let listed = fixture.store.sessions(&SessionFilter::default()).unwrap();
    assert_eq!(listed[0].last_activity, touched);

    fixture.store.flush();
    let written = neighbour.session(&session.id).unwrap().unwrap();
    assert_eq!(written.last_activity, touched);
}

#[test]
fn a_flushed_touch_counts_for_all_ancestors_and_nobody_else() {
    for fixture in Fixture::each() {
        let top = fixture.session(None);
        let middle = fixture.session(Some(&top));
        let bottom = fixture.session(Some(&middle));
        let sibling = fixture.session(Some(&middle));
        let start = fixture.clock.now();
        fixture.clock.advance(SECOND);
        fixture.store.touch(&bottom.id);
        fixture.store.flush();
        let touched = fixture.clock.now();
        let activity = [&top, &middle, &bottom, &sibling].map(|it| fixture.now(it).last_activity);
        assert_eq!(activity, [touched, touched, touched, start]);
    }
}

#[test]
fn more_touches_than_one_commit_takes_are_all_flushed() {
    for fixture in Fixture::each() {
        let sessions: Vec<_> = (0..600).map(|_| fixture.session(None)).collect();
        fixture.clock.advance(SECOND);
        for session in &sessions {
            fixture.store.touch(&session.id);
        }
        fixture.store.flush();
        assert_eq!(fixture.store.inner.shared.waiting_touches(), 0);
        for session in &sessions {
            assert_eq!(fixture.now(session).last_activity, fixture.clock.now());
        }
    }
}

#[test]
fn dropping_the_last_handle_writes_touches() {
    let fixture = Fixture::in_file();
    let session = fixture.session(None);
    let other = fixture.neighbour();
    let clone = other.clone();
    fixture.clock.advance(SECOND);
    other.touch(&session.id);
    drop(other);
    drop(clone);
    assert_eq!(fixture.now(&session).last_activity, fixture.clock.now());
}

#[test]
fn a_write_takes_waiting_touches_along() {
    let fixture = Fixture::in_file();
    let (touched, written) = (fixture.session(None), fixture.session(None));
    fixture.clock.advance(SECOND);
    fixture.store.touch(&touched.id);
    let message = String::new();
    block_on(fixture.store.add_message(&written.id, Role::User, message)).unwrap();
    let neighbour = fixture.neighbour();
    for session in [touched, written] {
        let session = neighbour.session(&session.id).unwrap().unwrap();
        assert_eq!(session.last_activity, fixture.clock.now());
    }
}

#[test]
fn activity_never_goes_back() {
    for fixture in Fixture::each() {
        let session = fixture.session(None);
        let shared = &fixture.store.inner.shared;
        let before = fixture.clock.now().before(SECOND);
        block_on(fixture.store.write({
            let id = session.id.clone();
            move |turn| crate::session::mark_active(turn.connection, &id, before)
        }))
        .unwrap();
        assert_eq!(fixture.now(&session).last_activity, fixture.clock.now());
        assert_eq!(shared.touched(&session.id), None);
    }
}

#[test]
fn touching_what_does_not_exist_or_a_closed_store_does_nothing() {
    for fixture in Fixture::each() {
        let session = fixture.session(None);
        fixture.store.touch(&mk_types::SessionId::random());
        fixture.store.flush();
        assert_eq!(fixture.store.close(), CloseOutcome::Complete);
        fixture.store.touch(&session.id);
        assert_eq!(fixture.store.inner.shared.waiting_touches(), 0);
    }
}
