//! A person's mode for a project: everything at once, and never overtaken by what was decided before.

use std::pin::Pin;

use mk_types::Timestamp;

use super::{Fixture, HOUR, block_on, block_on_all, new_mode, new_session, path, slug, switch};
use crate::{
    ConversationGrounds, Error, ModeGrounds, ModeReach, ModeSwitch, NewSession, ProjectGrounds,
    Retention, Session, TaskState,
};

const EVERYONE: ModeReach = ModeReach::AllActiveSince(Timestamp::from_millis(0));

fn session_at(fixture: &Fixture, project: &str) -> Session {
    let new = NewSession {
        project: project.to_owned(),
        ..new_session(None)
    };
    block_on(fixture.store.create(new)).unwrap()
}

#[test]
fn a_persons_mode_reaches_every_task_that_has_not_ended_and_no_other() {
    for fixture in Fixture::each() {
        let live = session_at(&fixture, "/project");
        let below = session_at(&fixture, "/project/src/deep");
        let there = session_at(&fixture, "/project/own/src");
        let beside = session_at(&fixture, "/projects");
        let ended = session_at(&fixture, "/project");
        fixture.finish(&ended, TaskState::Completed).unwrap();
        fixture.set_mode("/project/own", "debug", EVERYONE);
        let set = fixture.set_mode("/project", "ask", EVERYONE);
        let mut switched = set.switched;
        switched.sort();
        let mut expected = [live.id.clone(), below.id.clone()];
        expected.sort();
        assert_eq!(switched, expected);
        let mode = |session: &Session| fixture.now(session).mode.to_string();
        assert_eq!(
            [&live, &below, &there, &beside, &ended].map(mode),
            ["ask", "ask", "debug", "code", "code"]
        );
        let history = fixture.store.mode_changes(&live.id).unwrap();
        let last = history.last().unwrap();
        assert_eq!(
            (&last.from, &last.to, last.reason.as_deref()),
            (&Some(slug("code")), &slug("ask"), Some("set by a person"))
        );
        // Those that are in the mode already get no second line.
        let again = fixture.set_mode("/project", "ask", EVERYONE);
        assert_eq!(again.switched, []);
        assert_eq!(fixture.store.mode_changes(&live.id).unwrap(), history);
    }
}

#[test]
fn a_switch_of_many_tasks_is_one_commit() {
    for fixture in Fixture::each() {
        for session in ["one", "two"] {
            fixture.conversation(session);
        }
        let new = || fixture.store.create(new_session(None));
        block_on_all((0..400).map(|_| new()));
        let before = fixture.store.inner.shared.commits();
        let set = fixture.set_mode("/project", "ask", EVERYONE);
        assert_eq!(set.switched.len(), 400);
        assert_eq!(fixture.store.inner.shared.commits(), before + 1);
    }
}

#[test]
fn an_expired_task_that_still_decides_is_switched_and_not_revived() {
    for fixture in Fixture::each() {
        let session = fixture.session(None);
        fixture.clock.advance(HOUR * 2);
        let keep = Retention {
            timeout: HOUR,
            retention: HOUR * 1000,
            tombstones: HOUR * 1000,
        };
        let swept = block_on(fixture.store.sweep(keep)).unwrap();
        assert_eq!(swept.expired, 1);
        let before = fixture.now(&session);
        let set = fixture.set_mode("/project", "ask", EVERYONE);
        assert_eq!(set.switched, std::slice::from_ref(&session.id));
        let expected = Session {
            mode: slug("ask"),
            ..before
        };
        assert_eq!(fixture.now(&session), expected);
    }
}

#[test]
fn conversations_of_projects_below_follow_unless_these_have_a_mode_of_their_own() {
    for fixture in Fixture::each() {
        let open = |root: &str| {
            let project = block_on(fixture.store.open_project(&path(root))).unwrap();
            let new = super::new_conversation(&project, root);
            block_on(fixture.store.open_conversation(new)).unwrap().id
        };
        let ids = ["/project", "/project/below", "/project/own", "/projects"].map(open);
        fixture.set_mode("/project/own", "debug", EVERYONE);
        fixture.set_mode("/project", "ask", EVERYONE);
        let modes = ids.map(|id| fixture.store.conversation(&id).unwrap().unwrap().mode);
        let modes = modes.map(|mode| mode.map_or("-".to_owned(), |mode| mode.to_string()));
        assert_eq!(modes, ["ask", "ask", "debug", "-"]);
    }
}

#[test]
fn a_mode_that_is_taken_back_frees_what_it_held_and_nothing_else() {
    for fixture in Fixture::each() {
        let open = |root: &str| {
            let project = block_on(fixture.store.open_project(&path(root))).unwrap();
            let new = super::new_conversation(&project, root);
            block_on(fixture.store.open_conversation(new)).unwrap().id
        };
        let ids = ["/project", "/project/below", "/project/own", "/projects"].map(open);
        let task = session_at(&fixture, "/project");
        for root in ["/project/own", "/project", "/projects"] {
            fixture.set_mode(root, "ask", EVERYONE);
        }
        let project = block_on(fixture.store.unset_project_mode(&path("/project"))).unwrap();
        assert_eq!((project.mode, project.mode_since), (None, None));
        let modes = ids.map(|id| fixture.store.conversation(&id).unwrap().unwrap().mode);
        let modes = modes.map(|mode| mode.map_or("-".to_owned(), |mode| mode.to_string()));
        assert_eq!(modes, ["-", "-", "ask", "ask"]);
        assert_eq!(fixture.now(&task).mode, slug("ask"));
        let nearest = fixture.store.nearest_set(&[path("/project")]).unwrap();
        assert_eq!(nearest, None);
    }
}

#[test]
fn the_nearest_mode_that_was_set_is_found() {
    for fixture in Fixture::each() {
        let among = ["/a/b/c", "/a/b", "/a", "/"].map(path);
        let nearest = || {
            let found = fixture.store.nearest_set(&among).unwrap();
            found.map(|project| project.root.to_string())
        };
        block_on(fixture.store.open_project(&path("/a/b/c"))).unwrap();
        assert_eq!(nearest(), None);
        fixture.set_mode("/a", "ask", ModeReach::NewConversations);
        assert_eq!(nearest().as_deref(), Some("/a"));
        fixture.set_mode("/a/b", "ask", ModeReach::NewConversations);
        fixture.set_mode("/b", "ask", ModeReach::NewConversations);
        assert_eq!(nearest().as_deref(), Some("/a/b"));
    }
}

/// What an agent has read before it decides.
fn grounds(fixture: &Fixture, session: &Session) -> ModeGrounds {
    let conversation = fixture.conversation("agent");
    let among = vec![path("/project"), path("/")];
    let found = fixture.store.nearest_set(&among).unwrap().map(Box::new);
    ModeGrounds {
        project: Some(ProjectGrounds { among, found }),
        conversation: Some(ConversationGrounds {
            id: conversation.id,
            mode: conversation.mode,
            to: Some(slug("code")),
        }),
        tasks: vec![(session.id.clone(), fixture.now(session).mode)],
    }
}

#[test]
fn a_change_that_was_decided_before_a_persons_act_does_not_happen_after_it() {
    for fixture in Fixture::each() {
        let narrow = NewSession {
            mode: slug("ask"),
            ..new_session(None)
        };
        let session = block_on(fixture.store.create(narrow)).unwrap();
        let check = |person: &dyn Fn(), is_overtaken: bool| {
            let grounds = grounds(&fixture, &session);
            person();
            let mode = |id| fixture.store.conversation(id).unwrap().unwrap().mode;
            let conversation = grounds.conversation.clone().unwrap().id;
            let before = mode(&conversation);
            let new = NewSession {
                grounds: grounds.clone(),
                ..new_session(None)
            };
            let created = block_on(fixture.store.create(new));
            assert_eq!(matches!(created, Err(Error::Overtaken)), is_overtaken);
            // In the same transaction, so that a refused one leaves the conversation where it was.
            let expected = if is_overtaken {
                before
            } else {
                Some(slug("code"))
            };
            assert_eq!(mode(&conversation), expected);
        };
        check(&|| {}, false);
        // The task was in that mode before, and still the person's act is the later one.
        check(
            &|| drop(fixture.set_mode("/project", "ask", EVERYONE)),
            true,
        );
        check(
            &|| drop(fixture.set_mode("/project", "debug", EVERYONE)),
            true,
        );
        check(
            &|| {
                let back = switch(&session.id, "debug", "ask");
                block_on(fixture.store.switch(back)).unwrap();
            },
            true,
        );
        check(&|| {}, false);
    }
}

#[test]
fn an_agent_that_switches_at_the_same_moment_loses() {
    for fixture in Fixture::each() {
        let sessions: Vec<Session> = (0..20).map(|_| fixture.session(None)).collect();
        let agent = |session: &Session| {
            let change = ModeSwitch {
                grounds: ModeGrounds {
                    project: Some(ProjectGrounds {
                        among: vec![path("/project")],
                        found: None,
                    }),
                    ..ModeGrounds::default()
                },
                ..switch(&session.id, "code", "orchestrator")
            };
            let store = fixture.store.clone();
            Box::pin(async move { store.switch(change).await.is_ok() })
        };
        let mut all: Vec<Pin<Box<dyn Future<Output = bool>>>> = Vec::new();
        for session in &sessions {
            all.push(agent(session));
        }
        let (person, new) = (fixture.store.clone(), new_mode("/project", "ask", EVERYONE));
        let person = async move { person.set_project_mode(new).await.is_ok() };
        all.insert(10, Box::pin(person));
        let done = block_on_all(all);
        // Those after the person are refused, and those before are switched again.
        let expected = [true; 11].into_iter().chain([false; 10]);
        assert_eq!(done, expected.collect::<Vec<_>>());
        for session in &sessions {
            assert_eq!(fixture.now(session).mode, slug("ask"));
        }
    }
}
