//! Questions: asked, decided once, used once.

use mk_types::{ApprovalId, SessionId};

use super::{Fixture, SECOND, block_on, block_on_all, words};
use crate::row::APPROVAL_LIFE as LIFE;
use crate::{
    Approval, ApprovalState, ApprovalVerdict, Error, MissingSubject, NewApproval, StoredPlan,
};

fn question(session: Option<&SessionId>) -> NewApproval {
    NewApproval {
        session: session.cloned(),
        kind: "switch".to_owned(),
        subject: "switch to code".to_owned(),
        payload: r#"{"to":"code"}"#.to_owned(),
        conversation: None,
        plan: None,
    }
}

#[track_caller]
fn ask(fixture: &Fixture) -> Approval {
    block_on(fixture.store.ask(question(None))).unwrap()
}

#[test]
fn a_question_waits_until_somebody_decides() {
    for fixture in Fixture::each() {
        let session = fixture.session(None);
        let asked_at = fixture.clock.now();
        let asked = block_on(fixture.store.ask(question(Some(&session.id)))).unwrap();
        let other = ask(&fixture);
        let expected = Approval {
            id: asked.id.clone(),
            session: Some(session.id),
            kind: "switch".to_owned(),
            subject: "switch to code".to_owned(),
            payload: r#"{"to":"code"}"#.to_owned(),
            conversation: None,
            plan: None,
            state: ApprovalState::Pending,
            created_at: asked_at,
            expires_at: asked_at.after(LIFE),
            decided_at: None,
            decided_by: None,
        };
        assert_eq!(asked, expected);
        assert_eq!(
            fixture.store.approval(&asked.id).unwrap(),
            Some(asked.clone())
        );
        assert_eq!(
            fixture.store.pending_approvals().unwrap(),
            [asked.clone(), other.clone()]
        );

        fixture.clock.advance(SECOND);
        let decided = fixture
            .store
            .decide(&asked.id, ApprovalVerdict::Granted, "ann");
        let decided = block_on(decided).unwrap();
        let expected = Approval {
            state: ApprovalState::Granted,
            decided_at: Some(fixture.clock.now()),
            expires_at: fixture.clock.now().after(LIFE),
            decided_by: Some("ann".to_owned()),
            ..expected
        };
        assert_eq!(decided, expected);
        assert_eq!(fixture.store.pending_approvals().unwrap(), [other]);
    }
}

#[test]
fn only_the_first_decision_counts() {
    for fixture in Fixture::each() {
        let id = ask(&fixture).id;
        let verdicts = [
            ApprovalVerdict::Denied,
            ApprovalVerdict::Granted,
            ApprovalVerdict::Denied,
        ];
        let outcomes = block_on_all(verdicts.map(|it| fixture.store.decide(&id, it, "ann")));
        let outcomes: Vec<_> = outcomes
            .into_iter()
            .map(|outcome| {
                outcome
                    .map(|it| it.state)
                    .map_err(|error| words::<()>(Err(error)))
            })
            .collect();
        let refused = Err("approval `ID` is already denied".to_owned());
        assert_eq!(
            outcomes,
            [Ok(ApprovalState::Denied), refused.clone(), refused]
        );
    }
}

#[test]
fn a_granted_approval_is_good_for_one_act() {
    for fixture in Fixture::each() {
        let check = |verdict: Option<ApprovalVerdict>, expected: [&str; 2]| {
            let id = ask(&fixture).id;
            if let Some(verdict) = verdict {
                block_on(fixture.store.decide(&id, verdict, "ann")).unwrap();
            }
            let outcomes = block_on_all([(); 2].map(|()| fixture.store.consume(&id)));
            let outcomes: Vec<_> = outcomes
                .into_iter()
                .map(|outcome| match outcome {
                    Ok(approval) => approval.state.to_string(),
                    Err(error) => words::<()>(Err(error)),
                })
                .collect();
            assert_eq!(outcomes, expected);
        };
        let used = "approval `ID` is used, not granted";
        let pending = "approval `ID` is pending, not granted";
        let denied = "approval `ID` is denied, not granted";
        check(Some(ApprovalVerdict::Granted), ["used", used]);
        check(Some(ApprovalVerdict::Denied), [denied, denied]);
        check(None, [pending, pending]);
    }
}

#[test]
fn an_unknown_approval_or_session_is_not_found() {
    for fixture in Fixture::each() {
        let id = ApprovalId::random();
        let refusals = [
            block_on(fixture.store.decide(&id, ApprovalVerdict::Granted, "ann")),
            block_on(fixture.store.consume(&id)),
        ];
        for refusal in refusals {
            assert!(matches!(
                refusal,
                Err(Error::NotFound(MissingSubject::Approval(missing))) if missing == id
            ));
        }
        let refusal = block_on(fixture.store.ask(question(Some(&SessionId::random()))));
        assert!(matches!(
            refusal,
            Err(Error::NotFound(MissingSubject::Session(_)))
        ));
        assert_eq!(fixture.store.approval(&id).unwrap(), None);
    }
}

#[test]
fn the_data_version_changes_when_anybody_writes() {
    for fixture in Fixture::each() {
        let id = ask(&fixture).id;
        let before = fixture.store.data_version().unwrap();
        assert_eq!(fixture.store.data_version().unwrap(), before);
        block_on(fixture.store.decide(&id, ApprovalVerdict::Granted, "ann")).unwrap();
        assert_ne!(fixture.store.data_version().unwrap(), before);
    }
    let fixture = Fixture::in_file();
    let id = ask(&fixture).id;
    let before = fixture.store.data_version().unwrap();
    block_on(
        fixture
            .neighbour()
            .decide(&id, ApprovalVerdict::Denied, "bob"),
    )
    .unwrap();
    assert_ne!(fixture.store.data_version().unwrap(), before);
    let decided = fixture.store.approval(&id).unwrap().unwrap();
    assert_eq!(decided.state, ApprovalState::Denied);
}

#[test]
fn an_open_approval_is_granted_before_pending_and_never_another_one() {
    for fixture in Fixture::each() {
        let open = |kind: &str| {
            let question = NewApproval {
                kind: kind.to_owned(),
                ..question(None)
            };
            let found = fixture.store.open_approval(&question);
            found.unwrap().map(|it| it.id)
        };
        assert_eq!(open("switch"), None);
        let [denied, waiting, granted] = [(); 3].map(|()| ask(&fixture).id);
        block_on(
            fixture
                .store
                .decide(&denied, ApprovalVerdict::Denied, "ann"),
        )
        .unwrap();
        assert_eq!(open("switch"), Some(waiting.clone()));
        block_on(
            fixture
                .store
                .decide(&granted, ApprovalVerdict::Granted, "ann"),
        )
        .unwrap();
        assert_eq!(open("switch"), Some(granted.clone()));
        block_on(fixture.store.consume(&granted)).unwrap();
        assert_eq!(open("switch"), Some(waiting));
        assert_eq!(open("create"), None);
        let other = NewApproval {
            payload: "{}".to_owned(),
            ..question(None)
        };
        assert_eq!(fixture.store.open_approval(&other).unwrap(), None);
    }
}

#[test]
fn an_approval_is_for_one_plan_of_one_conversation() {
    for fixture in Fixture::each() {
        let with = |session: &str, hash: &str| NewApproval {
            conversation: Some(fixture.conversation(session).id),
            plan: Some(Box::new(StoredPlan {
                hash: hash.to_owned(),
                text: "diff".to_owned(),
            })),
            ..question(None)
        };
        let asked = block_on(fixture.store.ask(with("one", "h1"))).unwrap();
        block_on(
            fixture
                .store
                .decide(&asked.id, ApprovalVerdict::Granted, "ann"),
        )
        .unwrap();
        let open = |question| fixture.store.open_approval(&question).unwrap();
        let found = open(with("one", "h1")).unwrap();
        assert_eq!(found.plan.unwrap().text, "diff");
        assert_eq!(open(with("one", "h2")), None);
        assert_eq!(open(with("two", "h1")), None);
        assert_eq!(open(question(None)), None);
    }
}

#[test]
fn a_question_and_its_answer_expire() {
    for fixture in Fixture::each() {
        let [unanswered, unused] = [(); 2].map(|()| ask(&fixture).id);
        fixture.clock.advance(SECOND);
        block_on(
            fixture
                .store
                .decide(&unused, ApprovalVerdict::Granted, "ann"),
        )
        .unwrap();
        fixture.clock.advance(LIFE - SECOND);
        assert_eq!(fixture.store.pending_approvals().unwrap(), []);
        let late = block_on(
            fixture
                .store
                .decide(&unanswered, ApprovalVerdict::Granted, "ann"),
        );
        assert_eq!(words(late), "approval `ID` has expired");
        let open = || fixture.store.open_approval(&question(None)).unwrap();
        assert_eq!(open().map(|it| it.id), Some(unused.clone()));
        fixture.clock.advance(SECOND);
        assert_eq!(open(), None);
        let late = block_on(fixture.store.consume(&unused));
        assert_eq!(words(late), "approval `ID` has expired");
    }
}
