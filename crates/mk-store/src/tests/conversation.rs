//! Conversations and projects: found again, held to their first root, set by a person.

use super::{Fixture, HOUR, SECOND, block_on, new_conversation, new_mode, path, slug};
use crate::{Error, MissingSubject, ModeReach, NewProjectMode, ProcessIdentity, RootDirectory};

const PROCESS: ProcessIdentity = ProcessIdentity {
    id: 4711,
    started: 99,
};

#[test]
fn a_client_finds_its_conversation_again_with_the_root_of_its_first_event() {
    for fixture in Fixture::each() {
        let first = fixture.conversation("one");
        let mut again = new_conversation(&fixture.project(), "one");
        again.root = RootDirectory {
            path: path("/elsewhere"),
            device: 1,
            inode: 1,
        };
        again.mode = Some(slug("code"));
        fixture.clock.advance(SECOND);
        let found = block_on(fixture.store.open_conversation(again)).unwrap();
        assert_eq!(found.id, first.id);
        assert_eq!((&found.root, &found.mode), (&first.root, &None));
        assert!(found.last_active > first.last_active);
        assert_ne!(fixture.conversation("two").id, first.id);
        let by_client = fixture.store.conversation_of_client(&first.client).unwrap();
        assert_eq!(by_client, Some(found));
    }
}

#[test]
fn conversations_of_a_process_are_those_of_that_very_process() {
    for fixture in Fixture::each() {
        let mut new = new_conversation(&fixture.project(), "one");
        new.process = Some(PROCESS);
        let one = block_on(fixture.store.open_conversation(new)).unwrap();
        let two = fixture.conversation("two");
        block_on(fixture.store.touch_conversation(&two.id, Some(PROCESS))).unwrap();
        let of = |process| {
            let found = fixture
                .store
                .conversations_of_processes(&[process])
                .unwrap();
            found.into_iter().map(|it| it.id).collect::<Vec<_>>()
        };
        assert_eq!(of(PROCESS), [one.id.clone(), two.id.clone()]);
        let later = ProcessIdentity {
            started: 100,
            ..PROCESS
        };
        assert!(of(later).is_empty());
        block_on(fixture.store.end_conversation(&one.id)).unwrap();
        assert_eq!(of(PROCESS), [two.id]);
    }
}

#[test]
fn the_last_agent_is_looked_for_among_those_that_were_active_since() {
    for fixture in Fixture::each() {
        let mut new = new_conversation(&fixture.project(), "one");
        new.process = Some(PROCESS);
        let agent = block_on(fixture.store.open_conversation(new)).unwrap();
        let last = |since| fixture.store.last_agent_active(since).unwrap();
        assert_eq!(last(agent.last_active), Some(agent.last_active));
        assert_eq!(last(agent.last_active.after(SECOND)), None);
        block_on(fixture.store.end_conversation(&agent.id)).unwrap();
        assert_eq!(last(agent.last_active), None);
    }
}

#[test]
fn a_persons_mode_reaches_live_conversations_or_only_new_ones() {
    for fixture in Fixture::each() {
        let project = fixture.project();
        let idle = fixture.conversation("idle");
        let ended = fixture.conversation("ended");
        block_on(fixture.store.end_conversation(&ended.id)).unwrap();
        fixture.clock.advance(HOUR);
        let live = fixture.conversation("live");
        let since = fixture.clock.now().before(SECOND);
        let set = |mode, reach| fixture.set_mode("/project", mode, reach).project;
        let mode = |id| {
            let found = fixture.store.conversation(id).unwrap().unwrap();
            found.mode.map(|mode| mode.to_string())
        };
        let after = set("ask", ModeReach::AllActiveSince(since));
        assert_eq!(after.mode, Some(slug("ask")));
        assert_eq!(
            [&idle.id, &ended.id, &live.id].map(mode),
            [None, None, Some("ask".to_owned())]
        );
        set("code", ModeReach::NewConversations);
        assert_eq!(mode(&live.id), Some("ask".to_owned()));
        // It followed the project, and keeps what the project's mode was.
        assert_eq!(mode(&idle.id), Some("ask".to_owned()));
        let live_now = fixture
            .store
            .live_conversations(&project.id, since)
            .unwrap();
        assert_eq!(live_now.len(), 1);
    }
}

#[test]
fn a_conversation_that_was_away_comes_back_in_the_mode_that_a_person_set_meanwhile() {
    for fixture in Fixture::each() {
        let everyone = |mode| {
            let since = fixture.clock.now().before(SECOND);
            fixture.set_mode("/project", mode, ModeReach::AllActiveSince(since));
        };
        let (idle, ended) = (fixture.conversation("idle"), fixture.conversation("ended"));
        everyone("code");
        block_on(fixture.store.end_conversation(&ended.id)).unwrap();
        fixture.clock.advance(HOUR);
        everyone("ask");
        for name in ["idle", "ended"] {
            let found = fixture.conversation(name);
            assert!([&idle.id, &ended.id].contains(&&found.id));
            assert_eq!(found.mode, Some(slug("ask")), "{name}");
        }
    }
}

#[test]
fn modes_and_directories_of_single_conversations_can_be_set() {
    for fixture in Fixture::each() {
        let child = {
            let parent = fixture.conversation("parent");
            let mut new = new_conversation(&fixture.project(), "child");
            new.parent = Some(parent.id);
            block_on(fixture.store.open_conversation(new)).unwrap()
        };
        assert!(child.parent.is_some());
        let directory = Some(path("/project/src"));
        let moved = fixture
            .store
            .set_conversation_directory(&child.id, directory);
        assert_eq!(
            block_on(moved).unwrap().directory,
            Some(path("/project/src"))
        );
        let set = fixture
            .store
            .set_conversation_mode(&child.id, Some(slug("ask")));
        assert_eq!(block_on(set).unwrap().mode, Some(slug("ask")));
        let nobody = mk_types::ConversationId::random();
        let outcome = block_on(fixture.store.set_conversation_mode(&nobody, None));
        let expected = Error::NotFound(MissingSubject::Conversation(nobody)).to_string();
        assert_eq!(outcome.unwrap_err().to_string(), expected);
    }
}

#[test]
fn a_project_is_one_row_and_keeps_what_a_person_set() {
    for fixture in Fixture::each() {
        assert_eq!(fixture.store.project_at(&path("/project")).unwrap(), None);
        let project = fixture.project();
        assert_eq!(fixture.project(), project);
        let until = fixture.clock.now();
        for word in ["locked", "free"] {
            let new = NewProjectMode {
                switching: Some(word.to_owned()),
                ..new_mode("/project", "ask", ModeReach::NewConversations)
            };
            block_on(fixture.store.set_project_mode(new)).unwrap();
        }
        block_on(fixture.store.pause_project(&project.id, Some(until))).unwrap();
        let found = fixture
            .store
            .project_at(&path("/project"))
            .unwrap()
            .unwrap();
        assert_eq!(found.switching.as_deref(), Some("locked"));
        assert_eq!(found.paused_until, Some(until));
        assert_eq!(fixture.store.projects().unwrap(), [found]);
    }
}

#[test]
fn trust_is_for_one_text_of_one_mode_of_one_project() {
    for fixture in Fixture::each() {
        let project = fixture.project().id;
        let other = block_on(fixture.store.open_project(&path("/other")))
            .unwrap()
            .id;
        block_on(fixture.store.trust_mode(&project, &slug("code"), "h1")).unwrap();
        let trusted = |project, mode, hash| {
            fixture
                .store
                .is_trusted(project, &slug(mode), hash)
                .unwrap()
        };
        assert!(trusted(&project, "code", "h1"));
        assert!(!trusted(&project, "code", "h2"));
        assert!(!trusted(&project, "ask", "h1"));
        assert!(!trusted(&other, "code", "h1"));
        assert_eq!(fixture.store.trusted_modes(&project).unwrap().len(), 1);
        assert_eq!(
            block_on(fixture.store.distrust_mode(&project, &slug("code"))).unwrap(),
            1
        );
        assert!(!trusted(&project, "code", "h1"));
    }
}

#[test]
fn the_last_good_text_of_a_mode_file_stays() {
    for fixture in Fixture::each() {
        let file = path("/project/.roomodes");
        assert_eq!(fixture.store.last_good_mode_file(&file).unwrap(), None);
        let keep = |hash, text| {
            fixture.store.keep_mode_file(&file, hash, text).unwrap();
            // Writes keep their order: after this one, the one before is there.
            block_on(fixture.store.open_project(&file)).unwrap();
        };
        keep("h1", "one");
        // The same hash is the same text.
        keep("h1", "other");
        let text = fixture.store.last_good_mode_file(&file).unwrap();
        assert_eq!(text.as_deref(), Some("one"));
        keep("h2", "two");
        let text = fixture.store.last_good_mode_file(&file).unwrap();
        assert_eq!(text.as_deref(), Some("two"));
    }
}
