//! The chain over decisions: what is sealed, what tampering shows, what retention leaves.

use std::time::Duration;

use super::decision::new;
use super::{Fixture, HOUR, block_on};
use crate::{DecisionFilter, Retention, Ruling};

const DAY: Duration = Duration::from_secs(86_400);

fn fill(fixture: &Fixture) {
    for tool in ["Read", "Edit", "Bash"] {
        block_on(fixture.store.append_decision(new(tool, Ruling::Allow))).unwrap();
        fixture.store.record_decision(new(tool, Ruling::Deny));
        fixture.store.flush();
    }
}

#[track_caller]
fn check(fixture: &Fixture, sealed: u64, is_whole: bool) {
    let chain = fixture.neighbour().check_chain().unwrap();
    assert_eq!(chain.sealed, sealed, "{chain:?}");
    assert_eq!(chain.broken.is_none(), is_whole, "{chain:?}");
}

/// Changes the database behind the store's back.
fn tamper(fixture: &Fixture, statement: &str) {
    let connection = rusqlite::Connection::open(fixture.path()).unwrap();
    assert!(
        connection.execute(statement, []).unwrap() > 0,
        "{statement}"
    );
}

#[test]
fn whoever_appends_the_chain_goes_on() {
    let fixture = Fixture::in_file();
    fill(&fixture);
    check(&fixture, 6, true);
    let neighbour = fixture.neighbour();
    block_on(neighbour.append_decision(new("Read", Ruling::Allow))).unwrap();
    fill(&fixture);
    check(&fixture, 13, true);
}

#[test]
fn a_row_that_is_changed_added_or_taken_out_shows() {
    for statement in [
        "UPDATE decision SET verdict = 'allow' WHERE tool = 'Edit' AND verdict = 'deny'",
        "UPDATE decision SET reason = 'x' WHERE key = 4",
        "DELETE FROM decision WHERE key = 3",
        "DELETE FROM decision WHERE key = (SELECT max(key) FROM decision)",
        "DELETE FROM seal WHERE key = 3",
        "INSERT INTO decision SELECT 100, 'dec_0123456789abcdef', at, conversation, client, project, mode, tool,
             target, verdict, rule, reason, hint, policy_hash, input, input_length, tool_use
         FROM decision WHERE key = 1",
    ] {
        let fixture = Fixture::in_file();
        fill(&fixture);
        tamper(&fixture, statement);
        let chain = fixture.neighbour().check_chain().unwrap();
        assert!(chain.broken.is_some(), "{statement}: {chain:?}");
    }
}

#[test]
fn retention_leaves_a_checkpoint_from_which_the_chain_goes_on() {
    let fixture = Fixture::in_file();
    fill(&fixture);
    let before = fixture.store.check_chain().unwrap().head;
    fixture.clock.advance(DAY + HOUR);
    fill(&fixture);
    let keep = Retention {
        timeout: HOUR,
        retention: DAY,
        tombstones: DAY,
    };
    assert_eq!(block_on(fixture.store.sweep(keep)).unwrap().records, 6);
    let left = fixture.store.decisions(&DecisionFilter::default()).unwrap();
    assert_eq!(left.len(), 6);
    check(&fixture, 6, true);
    assert_ne!(fixture.store.check_chain().unwrap().head, before);
    tamper(&fixture, "UPDATE decision SET rule = 'x' WHERE key = 8");
    check(&fixture, 1, false);
}
