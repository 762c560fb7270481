//! Permits, taken once and in time, and records of commands.

use mk_types::CommandId;

use super::decision::new;
use super::{Fixture, HOUR, SECOND, block_on, block_on_all, path, slug};
use crate::{
    CommandFilter, CommandPermit, DecisionFilter, NewCommandPermit, NewCommandRecord, Ruling,
};

fn permit(fixture: &Fixture, session: &str, line: &str) -> CommandPermit {
    let new = NewCommandPermit {
        conversation: fixture.conversation(session).id,
        directory: path("/project/src"),
        line_hash: line.to_owned(),
        mode: slug("ask"),
        rights: "{}".to_owned(),
        expires_at: fixture.clock.now().after(HOUR),
    };
    block_on(fixture.store.store_permit(new)).unwrap()
}

#[test]
fn a_decision_and_its_permits_are_one_commit() {
    for fixture in Fixture::each() {
        let conversation = fixture.conversation("one").id;
        let permit = |line: &str| NewCommandPermit {
            conversation: conversation.clone(),
            directory: path("/project"),
            line_hash: line.to_owned(),
            mode: slug("ask"),
            rights: "{}".to_owned(),
            expires_at: fixture.clock.now().after(HOUR),
        };
        let append = |permits| {
            let store = &fixture.store;
            block_on(store.append_decision_with(new("Bash", Ruling::Allow), permits))
        };
        let found = |line| {
            let permits = fixture.store.permits_for(None, &path("/project"), line);
            let decisions = fixture.store.decisions(&DecisionFilter::default()).unwrap();
            (decisions.len(), permits.unwrap().len())
        };
        assert_eq!(found("one"), (0, 0));
        let before = fixture.store.inner.shared.commits();
        append(vec![permit("one"), permit("two")]).unwrap();
        assert_eq!(fixture.store.inner.shared.commits(), before + 1);
        assert_eq!((found("one"), found("two")), ((1, 1), (1, 1)));
    }
}

#[test]
fn a_permit_is_taken_by_one_of_many() {
    for fixture in Fixture::each() {
        let stored = permit(&fixture, "one", "line");
        let taken = block_on_all((0..20).map(|_| fixture.store.take_permit(&stored.id)));
        let taken: Vec<_> = taken.into_iter().filter_map(Result::unwrap).collect();
        assert_eq!(taken.len(), 1);
        assert_eq!(taken[0].taken_at, Some(fixture.clock.now()));
    }
}

#[test]
fn two_processes_do_not_take_the_same_permit() {
    let fixture = Fixture::in_file();
    for _ in 0..20 {
        let stored = permit(&fixture, "one", "line");
        let neighbour = fixture.neighbour();
        let start = std::sync::Barrier::new(2);
        let take = |store: &crate::Store| {
            start.wait();
            block_on(store.take_permit(&stored.id)).unwrap()
        };
        let (mine, theirs) = std::thread::scope(|scope| {
            let theirs = scope.spawn(|| take(&neighbour));
            (take(&fixture.store), theirs.join().unwrap())
        });
        assert!(mine.is_some() != theirs.is_some());
    }
}

#[test]
fn permits_are_found_by_line_directory_and_conversation_until_they_expire() {
    for fixture in Fixture::each() {
        let one = permit(&fixture, "one", "line");
        let two = permit(&fixture, "two", "line");
        permit(&fixture, "one", "another line");
        let found = |conversation, directory, line| {
            let found = fixture
                .store
                .permits_for(conversation, &path(directory), line);
            found
                .unwrap()
                .into_iter()
                .map(|it| it.id)
                .collect::<Vec<_>>()
        };
        let of_one = found(Some(&one.conversation), "/project/src", "line");
        assert_eq!(of_one, std::slice::from_ref(&one.id));
        let of_all = found(None, "/project/src", "line");
        assert_eq!(of_all, [one.id.clone(), two.id.clone()]);
        assert!(found(None, "/project", "line").is_empty());
        assert!(found(None, "/project/src", "other").is_empty());
        fixture.clock.advance(HOUR);
        assert!(found(None, "/project/src", "line").is_empty());
        assert_eq!(block_on(fixture.store.take_permit(&one.id)).unwrap(), None);
    }
}

#[test]
fn what_a_command_did_is_found_by_its_permit_and_listed() {
    for fixture in Fixture::each() {
        let stored = permit(&fixture, "one", "line");
        let new = NewCommandRecord {
            permit: Some(stored.id.clone()),
            conversation: Some(stored.conversation.clone()),
            project: Some(fixture.project().id),
            mode: slug("ask"),
            argv_hash: "h".to_owned(),
            first_word: "make".to_owned(),
            exit_code: Some(2),
            refusals: "[]".to_owned(),
            written: r#"["a"]"#.to_owned(),
            guests: "[]".to_owned(),
            started_at: fixture.clock.now(),
        };
        fixture.clock.advance(SECOND);
        let record = block_on(fixture.store.record_command(new.clone())).unwrap();
        assert_eq!(record.ended_at.since(record.started_at), SECOND);
        let found = fixture.store.command_of_permit(&stored.id).unwrap();
        assert_eq!(found.as_ref(), Some(&record));
        assert_eq!(fixture.store.command(&record.id).unwrap(), found);
        let filter = CommandFilter {
            conversation: Some(stored.conversation),
            ..CommandFilter::default()
        };
        assert_eq!(
            fixture.store.commands(&filter).unwrap(),
            std::slice::from_ref(&record)
        );
        let after = |id: Option<&CommandId>| fixture.store.commands_after(id, &filter).unwrap();
        assert_eq!(after(None), std::slice::from_ref(&record));
        assert_eq!(after(Some(&record.id)), []);
        assert_eq!(after(Some(&CommandId::random())), []);
        let next = NewCommandRecord {
            permit: None,
            ..new
        };
        let next = block_on(fixture.store.record_command(next)).unwrap();
        assert_eq!(after(Some(&record.id)), [next]);
    }
}
