//! What a server remembers is what the database says.

use super::{Fixture, block_on, switch};
use crate::{Store, StoreLocation, in_one_moment};

#[test]
fn a_server_sees_each_commit_of_others_at_the_next_read() {
    let fixture = Fixture::in_file();
    let session = fixture.session(None);
    let server = Store::for_server(StoreLocation::File(fixture.path()), fixture.clock.clone());
    let mode = || server.session(&session.id).unwrap().unwrap().mode;
    for round in 0..200 {
        let (from, to) = match round % 2 {
            0 => ("code", "ask"),
            _ => ("ask", "code"),
        };
        assert_eq!(mode().as_str(), from);
        assert_eq!(mode().as_str(), from);
        block_on(fixture.store.switch(switch(&session.id, from, to))).unwrap();
        assert_eq!(mode().as_str(), to);
    }
}

#[test]
fn a_server_sees_its_own_commits_at_the_next_read() {
    let fixture = Fixture::in_file();
    let session = fixture.session(None);
    let server = Store::for_server(StoreLocation::File(fixture.path()), fixture.clock.clone());
    let mode = || server.session(&session.id).unwrap().unwrap().mode;
    assert_eq!(mode().as_str(), "code");
    block_on(server.switch(switch(&session.id, "code", "ask"))).unwrap();
    assert_eq!(mode().as_str(), "ask");
}

#[test]
fn a_decision_goes_by_one_moment_and_the_next_one_sees_the_commit() {
    let fixture = Fixture::in_file();
    let session = fixture.session(None);
    let server = Store::for_server(StoreLocation::File(fixture.path()), fixture.clock.clone());
    let mode = || server.session(&session.id).unwrap().unwrap().mode;
    // Opens the database, then remembers.
    assert_eq!((mode().as_str(), mode().as_str()), ("code", "code"));
    in_one_moment(|| {
        assert_eq!(mode().as_str(), "code");
        block_on(fixture.store.switch(switch(&session.id, "code", "ask"))).unwrap();
        assert_eq!(mode().as_str(), "code");
    });
    in_one_moment(|| assert_eq!(mode().as_str(), "ask"));
    assert_eq!(mode().as_str(), "ask");
}
