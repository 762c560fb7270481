//! What survives a lost database: the modes that persons have set for projects.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use mk_types::{ConversationId, Timestamp};

use super::{Fixture, SECOND, block_on, new_conversation, new_mode, new_session, path, put, slug};
use crate::{
    CloseOutcome, Error, MarkContent, ModeReach, NewProjectMode, NewSession, Project, Session,
    Store, StoreLocation,
};

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
    let project = store.project_at(&path("/project")).unwrap();
    assert_eq!(project.and_then(|it| it.mode), None);
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
        let Err(error @ Error::Marks { content, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(content, MarkContent::Mode);
        assert!(std::error::Error::source(&error).is_some());
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

/// What a store has for `/project`, one conversation and one task there, and a task in a linked worktree.
struct Restored {
    fixture: Fixture,
    conversation: ConversationId,
    tasks: [Session; 2],
    copy: Vec<u8>,
}

impl Restored {
    /// Everything is in mode `code` when the copy is made.
    fn new() -> Self {
        let fixture = Fixture::in_file();
        let store = marking(&fixture, fixture.neighbour());
        let project = set(&store, "/project", "code");
        let task = |project: &str| {
            let new = NewSession {
                project: project.to_owned(),
                ..new_session(None)
            };
            block_on(store.create(new)).unwrap()
        };
        let tasks = ["/project", "/linked"].map(task);
        let agent = block_on(store.open_conversation(new_conversation(&project, "one"))).unwrap();
        block_on(store.set_conversation_mode(&agent.id, Some(slug("code")))).unwrap();
        assert_eq!(store.close(), CloseOutcome::Complete);
        let copy = fs::read(fixture.path()).unwrap();
        Self {
            fixture,
            conversation: agent.id,
            tasks,
            copy,
        }
    }

    /// What a person does, a second after what was before.
    fn act(&self, act: impl FnOnce(&Store)) {
        self.fixture.clock.advance(SECOND);
        let store = marking(&self.fixture, self.fixture.neighbour());
        act(&store);
        assert_eq!(store.close(), CloseOutcome::Complete);
    }

    fn set(&self, mode: &str, reach: ModeReach) {
        let new = NewProjectMode {
            worktrees: vec![path("/linked")],
            switching: Some("ask".to_owned()),
            ..new_mode("/project", mode, reach)
        };
        self.act(|store| drop(block_on(store.set_project_mode(new)).unwrap()));
    }

    fn unset(&self) {
        self.act(|store| drop(block_on(store.unset_project_mode(&path("/project"))).unwrap()));
    }

    /// The modes of the project, the conversation and the tasks, with `switching`.
    #[track_caller]
    fn check(&self, expected: &str) {
        let store = marking(&self.fixture, self.fixture.neighbour());
        let project = store.project_at(&path("/project")).unwrap().unwrap();
        let agent = store.conversation(&self.conversation).unwrap().unwrap();
        let mut modes = vec![project.mode, agent.mode];
        for task in &self.tasks {
            modes.push(Some(store.session(&task.id).unwrap().unwrap().mode));
        }
        let modes = modes
            .iter()
            .map(|it| it.as_ref().map_or("-", |it| it.as_str()));
        let modes: Vec<&str> = modes.collect();
        let switching = project.switching.as_deref().unwrap_or("-");
        assert_eq!(format!("{} {switching}", modes.join(" ")), expected);
        assert_eq!(store.close(), CloseOutcome::Complete);
    }

    /// What the acts made of it is what they make of the older copy.
    #[track_caller]
    fn check_copy(&self, expected: &str) {
        self.check(expected);
        put(&self.fixture.path(), &self.copy);
        self.check(expected);
        self.check(expected);
    }

    fn mark(&self) -> PathBuf {
        let file = fs::read_dir(held(&self.fixture)).unwrap().next();
        file.unwrap().unwrap().path()
    }
}

#[test]
fn an_older_copy_gets_everything_that_persons_did_since() {
    let restored = Restored::new();
    restored.check("code code code code -");
    restored.set("ask", EVERYONE);
    restored.check_copy("ask ask ask ask ask");
    let store = marking(&restored.fixture, restored.fixture.neighbour());
    for task in &restored.tasks {
        let history = store.mode_changes(&task.id).unwrap();
        let last = history.last().unwrap();
        assert_eq!(
            (&last.from, &last.to, last.at),
            (
                &Some(slug("code")),
                &slug("ask"),
                restored.fixture.clock.now()
            )
        );
    }
    // The mode is the same, what agents may do with it is not.
    let restored = Restored::new();
    restored.set("code", EVERYONE);
    restored.check_copy("code code code code ask");
}

#[test]
fn a_mode_for_new_conversations_stays_theirs_in_an_older_copy() {
    let restored = Restored::new();
    restored.set("debug", ModeReach::NewConversations);
    restored.check_copy("debug code code code ask");
    let since = restored.fixture.clock.now();
    // What was for all before is not forgotten for it.
    let restored = Restored::new();
    restored.set("ask", EVERYONE);
    restored.set("debug", ModeReach::NewConversations);
    restored.set("architect", ModeReach::NewConversations);
    restored.check_copy("architect ask ask ask ask");
    let store = marking(&restored.fixture, restored.fixture.neighbour());
    let project = store.project_at(&path("/project")).unwrap().unwrap();
    assert_eq!(project.mode_since, Some(since));
}

#[test]
fn a_mode_that_was_taken_back_does_not_come_back_with_an_older_copy() {
    let restored = Restored::new();
    restored.unset();
    restored.check_copy("- - code code -");
    let restored = Restored::new();
    restored.set("ask", EVERYONE);
    restored.unset();
    restored.check_copy("- - ask ask -");
    restored.set("debug", EVERYONE);
    restored.check_copy("debug debug debug debug ask");
}

#[test]
fn an_older_file_undoes_nothing_that_a_person_did_since() {
    let restored = Restored::new();
    restored.set("ask", EVERYONE);
    let older = fs::read(restored.mark()).unwrap();
    restored.set("debug", ModeReach::NewConversations);
    put(&restored.mark(), &older);
    restored.check("debug ask ask ask ask");
    restored.unset();
    put(&restored.mark(), &older);
    restored.check("- - ask ask -");
}

#[test]
fn acts_are_in_the_order_of_their_commits_whatever_the_clock_says() {
    let restored = Restored::new();
    restored.set("ask", EVERYONE);
    let between = fs::read(restored.fixture.path()).unwrap();
    let slow = Store::new(
        StoreLocation::File(restored.fixture.path()),
        mk_types::Clock::manual(Timestamp::from_millis(5)),
    );
    let slow = marking(&restored.fixture, slow);
    set(&slow, "/project", "debug");
    assert_eq!(slow.close(), CloseOutcome::Complete);
    put(&restored.fixture.path(), &between);
    restored.check("debug debug debug ask ask");
}

#[test]
fn an_act_that_is_not_committed_leaves_no_file() {
    let restored = Restored::new();
    let before = fs::read(restored.mark()).unwrap();
    let database = restored.fixture.path();
    let store = marking(&restored.fixture, restored.fixture.neighbour());
    let failed = block_on(store.write(move |turn| {
        crate::project_mode::set(turn, &new_mode("/project", "ask", EVERYONE))?;
        fs::rename(&database, database.with_extension("moved")).unwrap();
        put(&database, b"");
        Ok(())
    }));
    assert!(matches!(failed, Err(Error::Replaced { .. })), "{failed:?}");
    assert_eq!(fs::read(restored.mark()).unwrap(), before);
}

#[test]
fn files_of_the_first_version_are_read() {
    let restored = Restored::new();
    let at = restored.fixture.clock.now().as_millis();
    // It noted the same act a little later.
    put(
        &restored.mark(),
        format!("code\n\n{}\n/project", at + 1).as_bytes(),
    );
    restored.check("code code code code -");
    put(
        &restored.mark(),
        format!("ask\nask\n{}\n/project", at + 1).as_bytes(),
    );
    restored.check("ask ask ask code ask");
}

/// Changes when the directory says it was last changed, to a time long ago.
fn settle(directory: &std::path::Path, second: u64) {
    let changed = UNIX_EPOCH + Duration::from_secs(second);
    let directory = fs::File::open(directory).unwrap();
    directory.set_modified(changed).unwrap();
}

#[test]
fn files_that_were_compared_are_not_read_again() {
    let restored = Restored::new();
    let directory = held(&restored.fixture);
    settle(&directory, 1);
    restored.check("code code code code -");
    let compared = fs::read(restored.fixture.path()).unwrap();
    // Written in place, which changes nothing of the directory.
    let at = restored.fixture.clock.now().as_millis() + 1;
    put(
        &restored.mark(),
        format!("ask\n\n{at}\nall 0\n/project").as_bytes(),
    );
    restored.check("code code code code -");
    settle(&directory, 2);
    restored.check("ask ask ask code -");
    // A copy that was compared with what was there before.
    put(&restored.fixture.path(), &compared);
    restored.check("ask ask ask code -");
    // One that was saved from a damaged file may lack what it was compared with.
    crate::recover(&restored.fixture.path()).unwrap();
    put(
        &restored.mark(),
        format!("debug\n\n{}\nall 0\n/project", at + 1).as_bytes(),
    );
    restored.check("debug debug debug code -");
}

#[test]
fn a_directory_that_has_just_changed_is_compared_again() {
    let restored = Restored::new();
    restored.check("code code code code -");
    let at = restored.fixture.clock.now().as_millis() + 1;
    put(
        &restored.mark(),
        format!("ask\n\n{at}\nall 0\n/project").as_bytes(),
    );
    restored.check("ask ask ask code -");
}

#[test]
fn what_killed_processes_left_is_removed() {
    let restored = Restored::new();
    let directory = held(&restored.fixture);
    let name = restored.mark().file_name().unwrap().to_owned();
    let name = name.into_string().unwrap();
    let left = [format!("{name}.17"), format!("{name}.modes.17")];
    let kept = [
        format!("{name}.18"),
        format!("{name}.modes"),
        "note.17".to_owned(),
    ];
    for file in left.iter().chain(&kept) {
        put(&directory.join(file), b"half");
        if !file.ends_with("18") {
            settle(&directory.join(file), 1);
        }
    }
    restored.check("code code code code -");
    for file in &left {
        assert!(!directory.join(file).exists(), "{file}");
    }
    for file in &kept {
        assert!(directory.join(file).exists(), "{file}");
    }
}

#[test]
fn rights_that_cannot_be_read_are_told_apart_from_modes() {
    let restored = Restored::new();
    let mut file = restored.mark().into_os_string();
    file.push(".modes");
    put(file.as_ref(), b"no time");
    let store = marking(&restored.fixture, restored.fixture.neighbour());
    let error = store.last_rights(&path("/project")).unwrap_err();
    let words = error.to_string();
    assert!(
        words.contains("keeps what the modes of a project may do"),
        "{words}"
    );
    assert!(!error.hint().unwrap().contains("set the modes"));
}
