//! What survives a lost database: the modes that persons have set for projects.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::Duration;

use mk_types::Timestamp;

use super::{Fixture, block_on, new_conversation, new_mode, new_session, path, put, slug};
use crate::{CloseOutcome, Error, ModeReach, Project, Store, StoreLocation};

const EVERYONE: ModeReach = ModeReach::AllActiveSince(Timestamp::from_millis(0));

fn marking(fixture: &Fixture, store: Store) -> Store {
    store.marking_projects_in(held(fixture))
}

fn held(fixture: &Fixture) -> PathBuf {
    fixture.path().ancestors().nth(2).unwrap().join("held")
}

#[track_caller]
fn set(store: &Store, root: &str, mode: &str) -> Project {
    let new = new_mode(root, mode, EVERYONE);
    block_on(store.set_project_mode(new)).unwrap().project
}

#[test]
fn a_database_that_is_made_again_has_the_modes_that_persons_set() {
    let fixture = Fixture::in_file();
    let store = marking(&fixture, fixture.neighbour());
    set(&store, "/project", "code");
    let set_last = set(&store, "/project", "ask");
    set(&store, "/odd\n/name", "architect");
    block_on(store.open_project(&path("/never/set"))).unwrap();
    assert_eq!(store.close(), CloseOutcome::Complete);
    fs::remove_file(fixture.path()).unwrap();
    let in_memory = Store::new(StoreLocation::Memory, fixture.clock.clone());
    for store in [fixture.neighbour(), in_memory] {
        let store = marking(&fixture, store);
        let again = store.project_at(&path("/project")).unwrap().unwrap();
        assert_eq!(
            (&again.mode, &again.switching, again.mode_since),
            (&Some(slug("ask")), &set_last.switching, set_last.mode_since)
        );
        let odd = store.project_at(&path("/odd\n/name")).unwrap().unwrap();
        assert_eq!(odd.mode, Some(slug("architect")));
        assert_eq!(store.project_at(&path("/never/set")).unwrap(), None);
    }
}

#[test]
fn a_mode_that_was_taken_back_does_not_come_back() {
    let fixture = Fixture::in_file();
    let store = marking(&fixture, fixture.neighbour());
    set(&store, "/project", "ask");
    set(&store, "/other", "code");
    let project = block_on(store.unset_project_mode(&path("/project"))).unwrap();
    assert_eq!((project.mode, project.switching), (None, None));
    assert_eq!(store.close(), CloseOutcome::Complete);
    fs::remove_file(fixture.path()).unwrap();
    let store = marking(&fixture, fixture.neighbour());
    assert_eq!(store.project_at(&path("/project")).unwrap(), None);
    let other = store.project_at(&path("/other")).unwrap().unwrap();
    assert_eq!(other.mode, Some(slug("code")));
}

#[test]
fn what_is_set_in_memory_is_not_kept() {
    let fixture = Fixture::in_memory();
    let store = marking(&fixture, fixture.neighbour());
    set(&store, "/project", "ask");
    assert!(!held(&fixture).exists());
}

#[test]
fn a_database_that_is_there_is_not_changed_by_them() {
    let fixture = Fixture::in_file();
    let store = marking(&fixture, fixture.neighbour());
    set(&store, "/project", "ask");
    // One that does not keep them, as an older program.
    set(&fixture.neighbour(), "/project", "code");
    let later = marking(&fixture, fixture.neighbour());
    let project = later.project_at(&path("/project")).unwrap().unwrap();
    assert_eq!(project.mode, Some(slug("code")));
}

#[test]
fn a_database_that_was_put_back_has_what_a_person_set_since() {
    let fixture = Fixture::in_file();
    let store = marking(&fixture, fixture.neighbour());
    let project = set(&store, "/project", "code");
    let task = block_on(store.create(new_session(None))).unwrap();
    let agent = block_on(store.open_conversation(new_conversation(&project, "one"))).unwrap();
    block_on(store.set_conversation_mode(&agent.id, Some(slug("code")))).unwrap();
    assert_eq!(store.close(), CloseOutcome::Complete);
    let copy = fs::read(fixture.path()).unwrap();
    fixture.clock.advance(Duration::from_secs(60));
    let store = marking(&fixture, fixture.neighbour());
    let latest = set(&store, "/project", "ask");
    assert_eq!(store.close(), CloseOutcome::Complete);
    put(&fixture.path(), &copy);
    let store = marking(&fixture, fixture.neighbour());
    let again = store.project_at(&path("/project")).unwrap().unwrap();
    assert_eq!(
        (again.mode, again.mode_since),
        (Some(slug("ask")), latest.mode_since)
    );
    let agent = store.conversation(&agent.id).unwrap().unwrap();
    let task = store.session(&task.id).unwrap().unwrap();
    assert_eq!((agent.mode, task.mode), (Some(slug("ask")), slug("ask")));
    // What the database has since is not undone by the file.
    fixture.clock.advance(Duration::from_secs(60));
    set(&fixture.neighbour(), "/project", "code");
    let store = marking(&fixture, fixture.neighbour());
    let project = store.project_at(&path("/project")).unwrap().unwrap();
    assert_eq!(project.mode, Some(slug("code")));
}

#[test]
fn a_file_that_cannot_be_read_is_refused_where_the_database_does_not_know_the_mode() {
    let fixture = Fixture::in_file();
    let store = marking(&fixture, fixture.neighbour());
    set(&store, "/project", "ask");
    assert_eq!(store.close(), CloseOutcome::Complete);
    let directory = held(&fixture);
    let file = fs::read_dir(&directory).unwrap().next().unwrap().unwrap();
    let texts: [&[u8]; 4] = [b"", b"ask\n", b"ask\n\n1\n/another", b"\xff"];
    for text in texts {
        put(&file.path(), text);
        let store = marking(&fixture, fixture.neighbour());
        let known = store.project_at(&path("/project")).unwrap().unwrap();
        assert_eq!(known.mode, Some(slug("ask")));
    }
    fs::remove_file(fixture.path()).unwrap();
    let in_memory = Store::new(StoreLocation::Memory, fixture.clock.clone());
    for store in [fixture.neighbour(), in_memory] {
        let store = marking(&fixture, store);
        let refused = store.project_at(&path("/elsewhere"));
        assert!(matches!(refused, Err(Error::Marks { .. })), "{refused:?}");
    }
    // The way out: without the file, the person sets it again.
    fs::remove_file(file.path()).unwrap();
    set(&marking(&fixture, fixture.neighbour()), "/project", "ask");
}

#[test]
fn what_is_not_ours_is_not_looked_at() {
    let fixture = Fixture::in_file();
    let store = marking(&fixture, fixture.neighbour());
    set(&store, "/project", "ask");
    let directory = held(&fixture);
    let file = fs::read_dir(&directory).unwrap().next().unwrap().unwrap();
    let mode = file.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    put(&directory.join(".DS_Store"), b"half a");
    put(&directory.join("00.7"), b"ask\n\n1\n/left/over");
    assert_eq!(store.close(), CloseOutcome::Complete);
    fs::remove_file(fixture.path()).unwrap();
    let store = marking(&fixture, fixture.neighbour());
    let roots: Vec<_> = store.projects().unwrap();
    assert_eq!(roots.len(), 1, "{roots:?}");
}
