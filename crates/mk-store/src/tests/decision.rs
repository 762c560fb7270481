//! Decisions: appended or queued, listed by filter, followed from an id.

use mk_types::random_secret;

use super::{Fixture, block_on, slug};
use crate::{CloseOutcome, DecisionFilter, NewDecision, Ruling};

pub(super) fn new(tool: &str, ruling: Ruling) -> NewDecision {
    NewDecision {
        conversation: None,
        client: "agent".to_owned(),
        project: None,
        mode: slug("ask"),
        tool: tool.to_owned(),
        target: "src/x.rs".to_owned(),
        ruling,
        rule: "group".to_owned(),
        reason: "because".to_owned(),
        hint: None,
        policy_hash: "h".to_owned(),
        input: "{}".to_owned(),
        tool_use: Some(format!("use-{tool}")),
    }
}

fn tools(decisions: &[crate::DecisionRecord]) -> Vec<&str> {
    decisions.iter().map(|it| it.tool.as_str()).collect()
}

#[test]
fn queued_decisions_are_on_disk_after_a_flush_and_after_closing() {
    let fixture = Fixture::in_file();
    let id = fixture.store.record_decision(new("Edit", Ruling::Deny));
    fixture.store.flush();
    let found = fixture.neighbour().decision(&id).unwrap().unwrap();
    assert_eq!((found.tool.as_str(), found.ruling), ("Edit", Ruling::Deny));
    let id = fixture.store.record_decision(new("Read", Ruling::Allow));
    assert_eq!(fixture.store.close(), CloseOutcome::Complete);
    assert!(fixture.neighbour().decision(&id).unwrap().is_some());
}

#[test]
fn thousands_of_queued_decisions_keep_their_order() {
    for fixture in Fixture::each() {
        for index in 0..3000 {
            let tool = index.to_string();
            fixture.store.record_decision(new(&tool, Ruling::Allow));
        }
        fixture.store.flush();
        let all = fixture
            .store
            .decisions_after(None, &DecisionFilter::default());
        let expected: Vec<String> = (0..3000).map(|index| index.to_string()).collect();
        assert_eq!(tools(&all.unwrap()), expected);
    }
}

#[test]
fn credentials_in_a_call_are_not_kept() {
    let (ours, signed) = (
        random_secret(),
        "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl",
    );
    for fixture in Fixture::each() {
        let line = format!("curl -H 'Authorization: Bearer {ours}' -b {signed}");
        let decision = |padding: usize| NewDecision {
            target: line.clone(),
            reason: format!("'{line}' is not allowed"),
            hint: Some(line.clone()),
            // The credential stands where the text is cut.
            input: format!("{}{line}", " ".repeat(padding)),
            ..new("Bash", Ruling::Deny)
        };
        let queued = fixture.store.record_decision(decision(0));
        fixture.store.flush();
        let appended = block_on(fixture.store.append_decision(decision(16 * 1024 - 100))).unwrap();
        for id in [queued, appended] {
            let found = fixture.store.decision(&id).unwrap().unwrap();
            let shown = format!("{found:?}");
            for secret in [ours.get(..20), signed.get(..20)] {
                assert!(!shown.contains(secret.unwrap()), "{shown}");
            }
            assert_eq!(
                found.target,
                "curl -H 'Authorization: Bearer [removed]' -b [removed]"
            );
            assert!(found.has_whole_input(), "{shown}");
        }
    }
}

#[test]
fn a_call_with_a_short_password_is_kept_whole() {
    let decision = NewDecision {
        input: r#"{"command":"psql postgres://u:pw@db"}"#.to_owned(),
        ..new("Bash", Ruling::Deny)
    };
    for fixture in Fixture::each() {
        let appended = fixture.store.append_decision(decision.clone());
        let id = block_on(appended).unwrap();
        let found = fixture.store.decision(&id).unwrap().unwrap();
        let expected = r#"{"command":"psql postgres://u:[removed]@db"}"#;
        assert_eq!(found.input, expected);
        assert!(found.has_whole_input(), "{found:?}");
    }
}

#[test]
fn decisions_are_listed_by_filter_and_followed_from_an_id() {
    for fixture in Fixture::each() {
        let append = |tool, ruling| block_on(fixture.store.append_decision(new(tool, ruling)));
        let first = append("Edit", Ruling::Deny).unwrap();
        append("Read", Ruling::Allow).unwrap();
        append("Bash", Ruling::Unproven).unwrap();
        let list = |filter: DecisionFilter| fixture.store.decisions(&filter).unwrap();
        assert_eq!(
            tools(&list(DecisionFilter::default())),
            ["Bash", "Read", "Edit"]
        );
        let denied = DecisionFilter {
            ruling: Some(Ruling::Deny),
            ..DecisionFilter::default()
        };
        assert_eq!(tools(&list(denied.clone())), ["Edit"]);
        let used = DecisionFilter {
            tool_use: Some("use-Bash".to_owned()),
            ..DecisionFilter::default()
        };
        assert_eq!(tools(&list(used)), ["Bash"]);
        let after = |filter| {
            fixture
                .store
                .decisions_after(Some(&first), &filter)
                .unwrap()
        };
        assert_eq!(tools(&after(DecisionFilter::default())), ["Read", "Bash"]);
        assert!(after(denied).is_empty());
        let one = DecisionFilter {
            limit: Some(1),
            ..DecisionFilter::default()
        };
        assert_eq!(tools(&after(one)), ["Read"]);
        let unknown = mk_types::DecisionId::random();
        let after = fixture
            .store
            .decisions_after(Some(&unknown), &DecisionFilter::default());
        assert!(after.unwrap().is_empty());
    }
}

#[test]
fn a_long_input_is_cut_at_a_character_and_its_length_is_kept() {
    for fixture in Fixture::each() {
        let decision = NewDecision {
            input: "é".repeat(20_000) + "x",
            ..new("Write", Ruling::Allow)
        };
        let id = block_on(fixture.store.append_decision(decision)).unwrap();
        let found = fixture.store.decision(&id).unwrap().unwrap();
        assert_eq!(found.input_length, 40_001);
        assert_eq!(found.input.len(), 16 * 1024);
        assert!(!found.has_whole_input());
    }
}
