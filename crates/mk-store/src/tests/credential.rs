//! Credentials: found by their hash only, good once or until they end.

use std::time::Duration;

use super::{Fixture, block_on, slug};
use crate::{AccessRole, CredentialKind, NewAct, NewCredential};

fn new(kind: CredentialKind, hash: &str) -> NewCredential {
    NewCredential {
        kind,
        hash: hash.to_owned(),
        name: "ci".to_owned(),
        role: AccessRole::Operator,
        mode: Some(slug("ask")),
        projects: vec!["/a".to_owned(), "/b c".to_owned()],
        expires_at: None,
    }
}

#[test]
fn a_credential_is_found_until_it_is_revoked() {
    for fixture in Fixture::each() {
        let store = &fixture.store;
        let made = block_on(store.create_credential(new(CredentialKind::Token, "h"))).unwrap();
        assert_eq!(store.credential("h").unwrap().as_ref(), Some(&made));
        assert_eq!(store.credential("other").unwrap(), None);
        assert_eq!(
            store.credentials(CredentialKind::Token).unwrap(),
            std::slice::from_ref(&made)
        );
        assert!(
            store
                .credentials(CredentialKind::Session)
                .unwrap()
                .is_empty()
        );
        assert!(block_on(store.revoke_credential(&made.id)).unwrap());
        assert!(!block_on(store.revoke_credential(&made.id)).unwrap());
        assert!(
            !store
                .credential("h")
                .unwrap()
                .unwrap()
                .is_good(fixture.clock.now())
        );
    }
}

#[test]
fn a_link_makes_one_session_with_its_own_rights() {
    for fixture in Fixture::each() {
        let store = &fixture.store;
        let session = |hash: &str| NewCredential {
            role: AccessRole::Admin,
            mode: None,
            ..new(CredentialKind::Session, hash)
        };
        let redeem =
            |hash: &str| block_on(store.redeem_link("l".to_owned(), session(hash))).unwrap();
        assert_eq!(redeem("s0"), None, "there is no link yet");
        let link = NewCredential {
            expires_at: Some(fixture.clock.now().after(Duration::from_secs(60))),
            ..new(CredentialKind::Link, "l")
        };
        block_on(store.create_credential(link)).unwrap();
        let made = redeem("s1").unwrap();
        assert_eq!(
            (made.role, made.mode),
            (AccessRole::Operator, Some(slug("ask")))
        );
        assert_eq!(redeem("s2"), None, "it is used up");
        assert!(store.credential("s2").unwrap().is_none());
    }
}

#[test]
fn a_session_is_opened_with_a_good_token_only_and_ends_with_it() {
    for fixture in Fixture::each() {
        let store = &fixture.store;
        let make = |hash: &str| {
            block_on(store.create_credential(new(CredentialKind::Token, hash))).unwrap()
        };
        let (token, other) = (make("t"), make("o"));
        let open = |token, hash: &str| {
            let session = new(CredentialKind::Session, hash);
            block_on(store.open_session(token, session)).unwrap()
        };
        let made = open(&token.id, "s").unwrap();
        assert_eq!(open(&made.id, "x"), None, "a session opens no other");
        open(&other.id, "p").unwrap();
        assert!(block_on(store.revoke_credential(&token.id)).unwrap());
        let is_good = |hash| {
            let found = store.credential(hash).unwrap().unwrap();
            assert_eq!(
                store.credential_by_id(&found.id).unwrap().as_ref(),
                Some(&found)
            );
            found.is_good(fixture.clock.now())
        };
        assert_eq!(
            ["t", "s", "o", "p"].map(is_good),
            [false, false, true, true]
        );
        assert_eq!(open(&token.id, "y"), None);
        assert!(store.credential("y").unwrap().is_none());
    }
}

#[test]
fn changes_are_listed_newest_first() {
    for fixture in Fixture::each() {
        for action in ["approve", "undo"] {
            let act = NewAct {
                who: "ci (tok_1)".to_owned(),
                origin: "127.0.0.1".to_owned(),
                action: action.to_owned(),
                subject: "x".to_owned(),
            };
            block_on(fixture.store.record_act(act)).unwrap();
        }
        let acts = fixture.store.acts(10).unwrap();
        let actions: Vec<&str> = acts.iter().map(|act| act.action.as_str()).collect();
        assert_eq!(actions, ["undo", "approve"]);
    }
}
