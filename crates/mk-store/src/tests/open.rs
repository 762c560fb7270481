//! Opening: new files, old schemas, and files that are not ours to touch.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use mk_types::{Clock, SessionId, lock};
use rusqlite::Connection;

use super::{Fixture, block_on, new_session, put, words};
use crate::error::Failure;
use crate::link::{Row, params};
use crate::open::{ConnectionPurpose, MIGRATIONS, Migration, open_with};
use crate::row::first;
use crate::{CloseOutcome, Error, SessionFilter, Store, StoreLocation, Thread};

/// A command's, a hook's and that of `exec`.
const OPEN_BRIEFLY: [fn(StoreLocation, Clock) -> Store; 3] =
    [Store::for_a_moment, Store::alone, Store::for_notes];

#[test]
fn nothing_is_opened_before_the_first_use() {
    let fixture = Fixture::in_file();
    fixture.store.flush();
    assert!(!fixture.path().parent().unwrap().exists());
    assert_eq!(fixture.store.close(), CloseOutcome::Complete);
    assert!(!fixture.path().parent().unwrap().exists());
}

#[test]
fn folder_and_files_belong_to_the_user_alone() {
    let fixture = Fixture::in_file();
    fixture.session(None);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(fixture.path().parent().unwrap()), 0o700);
    let files: Vec<_> = fs::read_dir(fixture.path().parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(files.len(), 3, "{files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn everything_is_there_after_reopening() {
    let mut fixture = Fixture::in_file();
    let session = fixture.session(None);
    let history = fixture.store.mode_changes(&session.id).unwrap();
    fixture.store = fixture.neighbour();
    assert_eq!(fixture.now(&session), session);
    assert_eq!(fixture.store.mode_changes(&session.id).unwrap(), history);
    assert_eq!(fixture.store.messages(&session.id).unwrap().len(), 1);
}

#[test]
fn processes_that_end_soon_leave_a_log_and_never_a_long_one() {
    let fixture = Fixture::in_file();
    let log = fixture.path().with_extension("db-wal");
    let length = || fs::metadata(&log).map_or(0, |it| it.len());
    let (mut longest, mut sessions) = (0, Vec::new());
    for open in OPEN_BRIEFLY.into_iter().cycle().take(60) {
        let moment = open(fixture.location.clone(), fixture.clock.clone());
        let session = block_on(moment.create(new_session(None))).unwrap();
        assert_eq!(moment.session(&session.id).unwrap(), Some(session.clone()));
        assert_eq!(moment.close(), CloseOutcome::Complete);
        longest = longest.max(length());
        sessions.push(session);
    }
    for session in sessions {
        assert_eq!(fixture.now(&session), session);
    }
    assert!(longest > 0, "nothing was left to others");
    assert!(longest < 512 * 1024, "{longest} bytes were left");
}

/// A process that forks must not take a connection along: locks stay with the process that has them.
#[test]
#[cfg(target_os = "linux")]
fn a_store_for_a_moment_holds_no_file_after_it_is_closed() {
    let fixture = Fixture::in_file();
    let session = fixture.session(None);
    let open_files = || {
        let open = fs::read_dir("/proc/self/fd").unwrap().flatten();
        let open = open.filter_map(|fd| fs::read_link(fd.path()).ok());
        let folder = fixture.path().parent().unwrap().to_owned();
        open.filter(|path| path.starts_with(&folder)).count()
    };
    assert_eq!(fixture.store.close(), CloseOutcome::Complete);
    let before = open_files();
    for open in OPEN_BRIEFLY {
        let moment = open(fixture.location.clone(), fixture.clock.clone());
        assert_eq!(moment.session(&session.id).unwrap(), Some(session.clone()));
        assert!(open_files() > before);
        assert_eq!(moment.close(), CloseOutcome::Complete);
        assert_eq!(open_files(), before);
    }
}

#[test]
fn only_notes_are_written_without_a_sync() {
    for (open, expected) in OPEN_BRIEFLY.into_iter().zip([2, 2, 1]) {
        let fixture = Fixture::in_file();
        fixture.session(None);
        let store = open(fixture.location.clone(), fixture.clock.clone());
        let synchronous = block_on(store.write(|turn| {
            let level = |row: &Row<'_>| row.get::<i64>(0);
            first(turn.connection, "PRAGMA synchronous", params![], level)
        }));
        assert_eq!(synchronous.unwrap(), Some(expected));
    }
}

#[test]
fn a_store_alone_writes_without_a_thread() {
    let fixture = Fixture::in_file();
    let alone = Store::alone(fixture.location.clone(), fixture.clock.clone());
    let session = block_on(alone.create(new_session(None))).unwrap();
    assert!(matches!(*lock(&alone.inner.thread), Thread::NotStarted));
    assert_eq!(fixture.now(&session), session);
    // A write that fails or panics is undone, and the next one works.
    let broken = block_on(alone.write(|turn| {
        turn.connection.run("DELETE FROM session", &[])?;
        turn.connection.run("no SQL", &[])
    }));
    assert!(matches!(broken, Err(Error::Database { .. })), "{broken:?}");
    let panicking = block_on(alone.write(|turn| -> Result<(), Failure> {
        turn.connection.run("DELETE FROM session", &[])?;
        panic!("as the test wants it");
    }));
    assert!(matches!(panicking, Err(Error::Panicked)), "{panicking:?}");
    assert_eq!(fixture.now(&session), session);
    let next = block_on(alone.create(new_session(None))).unwrap();
    assert_eq!(fixture.now(&next), next);
    assert_eq!(alone.close(), CloseOutcome::Complete);
    assert!(matches!(
        block_on(alone.create(new_session(None))),
        Err(Error::Closed)
    ));
}

#[test]
fn two_stores_on_one_file_see_each_others_writes() {
    let fixture = Fixture::in_file();
    let neighbour = fixture.neighbour();
    for _ in 0..20 {
        let mine = fixture.session(None);
        assert_eq!(neighbour.session(&mine.id).unwrap(), Some(mine));
        let theirs = block_on(neighbour.create(new_session(None))).unwrap();
        assert_eq!(fixture.now(&theirs), theirs);
    }
}

#[test]
fn two_stores_in_memory_are_private() {
    let fixture = Fixture::in_memory();
    let session = fixture.session(None);
    assert_eq!(fixture.neighbour().session(&session.id).unwrap(), None);
}

#[test]
fn eight_threads_may_create_the_same_database_at_once() {
    for _ in 0..10 {
        let fixture = Fixture::in_file();
        let stores: Vec<_> = (0..8).map(|_| fixture.neighbour()).collect();
        let start = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            for store in &stores {
                scope.spawn(|| {
                    start.wait();
                    // The reader creates the database, the writer's thread opens it again.
                    store.session(&SessionId::random()).unwrap();
                    block_on(store.create(new_session(None))).unwrap();
                });
            }
        });
        let all = fixture.store.sessions(&SessionFilter::default()).unwrap();
        assert_eq!(all.len(), 8);
    }
}

const KNOWN: i64 = MIGRATIONS.len().cast_signed() as i64;

fn version(path: &Path) -> (i64, String) {
    let connection = Connection::open(path).unwrap();
    let version = connection.query_row("SELECT version FROM schema_version", [], |row| row.get(0));
    let journal = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0));
    (version.unwrap(), journal.unwrap())
}

#[test]
fn an_empty_file_gets_todays_schema() {
    let fixture = Fixture::in_file();
    put(&fixture.path(), b"");
    fixture.session(None);
    assert_eq!(version(&fixture.path()), (KNOWN, "wal".to_owned()));
}

#[test]
fn a_database_of_version_1_keeps_its_content() {
    let fixture = Fixture::in_file();
    put(&fixture.path(), b"");
    let old = Connection::open(fixture.path()).unwrap();
    old.execute_batch(MIGRATIONS[0].sql).unwrap();
    old.execute_batch("PRAGMA user_version = 1").unwrap();
    drop(old);
    put_row(&fixture.path());
    let id = SessionId::parse("sess_000000000001").unwrap();
    assert!(fixture.store.session(&id).unwrap().is_some());
    fixture.session(None);
}

#[test]
fn an_older_program_goes_on_with_a_migrated_file() {
    let fixture = Fixture::in_file();
    let location = StoreLocation::File(fixture.path());
    let version_1 = &MIGRATIONS[..1];
    let old = open_with(&location, ConnectionPurpose::Write, version_1).unwrap();
    fixture.session(None);
    let insert = "INSERT INTO session (id, task, mode, state, project, created_at, last_activity)
         VALUES (?1, ?2, 'code', 'active', '/p', 1, 2)";
    old.execute(insert, ["sess_000000000001", "task_000000000001"])
        .unwrap();
    let reopened = open_with(&location, ConnectionPurpose::Write, version_1).unwrap();
    reopened
        .execute(insert, ["sess_000000000002", "task_000000000002"])
        .unwrap();
    let all = fixture.store.sessions(&SessionFilter::default()).unwrap();
    assert_eq!(all.len(), 3);
}

#[test]
fn a_file_that_older_programs_may_not_use_is_refused_by_them() {
    let fixture = Fixture::in_file();
    let location = StoreLocation::File(fixture.path());
    let sql = "CREATE TABLE later (word TEXT) STRICT";
    let mut later = MIGRATIONS.to_vec();
    later.push(Migration {
        sql,
        oldest: KNOWN + 1,
    });
    drop(open_with(&location, ConnectionPurpose::Write, &later).unwrap());
    let outcome = block_on(fixture.store.create(new_session(None)));
    assert!(matches!(outcome, Err(Error::Newer { found, .. }) if found == KNOWN + 1));
}

#[test]
fn a_copy_is_kept_before_a_migration_and_is_the_users_alone() {
    let fixture = Fixture::in_file();
    let location = StoreLocation::File(fixture.path());
    drop(open_with(&location, ConnectionPurpose::Write, &MIGRATIONS[..1]).unwrap());
    put_row(&fixture.path());
    fixture.session(None);
    let copy = fixture.path().with_file_name("modekeeper.db.v1");
    let mode = fs::metadata(&copy).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    let old = Connection::open(&copy).unwrap();
    let count = |query| {
        old.query_row(query, [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    assert_eq!(count("SELECT count(*) FROM session"), 1);
    assert_eq!(
        count("SELECT count(*) FROM sqlite_schema WHERE name = 'decision'"),
        0
    );
    let files = fs::read_dir(fixture.path().parent().unwrap()).unwrap();
    let names: Vec<_> = files.map(|it| it.unwrap().file_name()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
}

#[test]
fn a_backup_is_a_whole_database() {
    for fixture in Fixture::embedded() {
        let session = fixture.session(None);
        let target = fixture.path().with_file_name("copy.db");
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fixture.store.back_up(&target).unwrap();
        let copy = Store::new(StoreLocation::File(target), fixture.clock.clone());
        assert_eq!(copy.session(&session.id).unwrap(), Some(session));
    }
}

fn put_row(path: &Path) {
    let connection = Connection::open(path).unwrap();
    let insert = "INSERT INTO session (id, task, mode, state, project, created_at, last_activity)
         VALUES ('sess_000000000001', 'task_000000000001', 'code', 'active', '/p', 1, 2)";
    connection.execute_batch(insert).unwrap();
}

#[test]
fn later_migrations_are_applied_once_and_in_order() {
    let fixture = Fixture::in_file();
    let session = fixture.session(None);
    assert_eq!(fixture.store.close(), CloseOutcome::Complete);
    let location = StoreLocation::File(fixture.path());
    let mut later = MIGRATIONS.to_vec();
    for sql in [
        "CREATE TABLE later (word TEXT) STRICT",
        "INSERT INTO later SELECT id FROM session",
    ] {
        later.push(Migration { sql, oldest: 1 });
    }
    for _ in 0..2 {
        let connection = open_with(&location, ConnectionPurpose::Write, &later).unwrap();
        let words: Vec<String> = connection
            .prepare("SELECT word FROM later")
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(words, [session.id.as_str()]);
    }
    assert_eq!(version(&fixture.path()).0, KNOWN + 2);
}

#[test]
fn a_migration_that_fails_leaves_the_old_schema() {
    let fixture = Fixture::in_file();
    let session = fixture.session(None);
    let location = StoreLocation::File(fixture.path());
    let mut broken = MIGRATIONS.to_vec();
    broken.push(Migration {
        sql: "CREATE TABLE later (word TEXT); nonsense",
        oldest: 1,
    });
    let outcome = open_with(&location, ConnectionPurpose::Write, &broken);
    assert!(matches!(outcome, Err(Error::Database { .. })));
    assert_eq!(version(&fixture.path()).0, KNOWN);
    assert_eq!(fixture.now(&session), session);
}

/// Reads and writes fail alike with `expected`, and the file is as it was.
#[track_caller]
fn check_refused(prepare: impl FnOnce(&Path), expected: &str) {
    let fixture = Fixture::in_file();
    prepare(&fixture.path());
    let before = fs::read(fixture.path()).ok();
    let read = words(fixture.store.session(&SessionId::random()));
    let written = words(block_on(fixture.store.create(new_session(None))));
    assert_eq!([read.as_str(), written.as_str()], [expected; 2]);
    assert_eq!(fs::read(fixture.path()).ok(), before);
}

#[track_caller]
fn put_database(path: &Path, statements: &str) {
    put(path, b"");
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(statements).unwrap();
}

#[test]
fn a_newer_schema_is_refused_and_not_touched() {
    check_refused(
        |path| {
            put_database(path, MIGRATIONS[0].sql);
            put_database_version(path, 99);
        },
        "the database `…modekeeper.db` has schema 99, this program supports up to 6",
    );
}

fn put_database_version(path: &Path, version: i64) {
    let connection = Connection::open(path).unwrap();
    connection
        .pragma_update(None, "user_version", version)
        .unwrap();
}

#[test]
fn a_database_of_another_program_is_refused_and_not_touched() {
    let expected = "`…modekeeper.db` belongs to another program";
    check_refused(
        |path| put_database(path, "CREATE TABLE theirs (x)"),
        expected,
    );
    check_refused(
        |path| put_database(path, "CREATE TABLE theirs (x); PRAGMA user_version = 1"),
        expected,
    );
}

#[test]
fn a_file_that_is_no_database_is_refused_and_not_touched() {
    let text = "This is not a database. ".repeat(1000);
    check_refused(
        |path| put(path, text.as_bytes()),
        "`…modekeeper.db` is damaged or not a database",
    );
}

#[test]
fn a_folder_in_place_of_the_file_is_refused() {
    check_refused(
        |path| fs::create_dir_all(path).unwrap(),
        "could not open the database `…modekeeper.db`",
    );
}

#[test]
fn a_file_in_place_of_the_folder_is_refused() {
    check_refused(
        |path| put(path.parent().unwrap(), b"file"),
        "could not create `…state`",
    );
}

#[test]
fn a_damaged_page_is_an_error_with_the_path() {
    let fixture = Fixture::in_file();
    let session = fixture.session(None);
    assert_eq!(fixture.store.close(), CloseOutcome::Complete);
    let mut fixture = fixture;
    fixture.store = fixture.neighbour();
    drop(Connection::open(fixture.path()).unwrap());
    let mut bytes = fs::read(fixture.path()).unwrap();
    assert!(bytes.len() > 8192, "the log was checkpointed on close");
    bytes[4096..].fill(0x5a);
    put(&fixture.path(), &bytes);
    let outcome = fixture.store.session(&session.id);
    let error = outcome.unwrap_err();
    assert!(matches!(error, Error::Corrupt { .. }), "{error:?}");
    assert!(error.to_string().contains("modekeeper.db"));
    assert_eq!(fs::read(fixture.path()).unwrap(), bytes);
}

#[test]
fn a_place_where_nothing_can_be_created_is_an_error_with_the_path() {
    // Nobody, root included, creates folders there.
    let location = StoreLocation::File("/proc/modekeeper/modekeeper.db".into());
    let store = Store::new(location, Clock::System);
    let outcome = store.session(&SessionId::random());
    let error = outcome.unwrap_err();
    assert_eq!(error.to_string(), "could not create `/proc/modekeeper`");
    assert!(std::error::Error::source(&error).is_some());
    assert!(error.hint().is_some());
}

#[test]
fn a_failed_opening_is_tried_again() {
    let fixture = Fixture::in_file();
    put(fixture.path().parent().unwrap(), b"file");
    assert!(block_on(fixture.store.create(new_session(None))).is_err());
    assert!(fixture.store.session(&SessionId::random()).is_err());
    fs::remove_file(fixture.path().parent().unwrap()).unwrap();
    let session = fixture.session(None);
    assert_eq!(fixture.now(&session), session);
}
