//! Opens the database: creates folder and file, waits for locks, brings the schema up to date.
//!
//! Nothing here deletes or repairs; a database that is not ours or too new is left as it is.

mod copy;
mod patience;

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mk_types::lock;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::StoreLocation;
use crate::error::{Error, Failure};
use crate::mark::{self, ProjectMarks};
use crate::recent::RecentAnswers;
pub(crate) use copy::{copy_to, put_back};
use patience::Patience;

/// One step of the schema. It only adds, so that programs of an older version, hooks above all,
/// go on working with what they know after another program was updated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Migration {
    pub(crate) sql: &'static str,
    /// The oldest version whose programs may still use the file. The file stores it as
    /// `user_version`; its own version is a row of `schema_version`, from version 2 on.
    pub(crate) oldest: i64,
}

/// Append only: a released migration never changes.
pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        sql: include_str!("../migrations/0001_sessions_and_approvals.sql"),
        oldest: 1,
    },
    Migration {
        sql: include_str!("../migrations/0002_conversations_and_decisions.sql"),
        oldest: 1,
    },
    Migration {
        sql: include_str!("../migrations/0003_clock.sql"),
        oldest: 1,
    },
    Migration {
        sql: include_str!("../migrations/0004_credentials_and_seals.sql"),
        oldest: 1,
    },
    Migration {
        sql: include_str!("../migrations/0005_mode_since.sql"),
        oldest: 1,
    },
    Migration {
        sql: include_str!("../migrations/0006_marks.sql"),
        oldest: 1,
    },
];

/// "MKpr", as the first migration sets it.
const APPLICATION_ID: i64 = 0x4d4b_7072;

const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// How long locks of other processes are waited for before the answer is [`Error::Busy`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LockWaits {
    /// In all, while a connection is opened and the schema brought up to date.
    pub(crate) open: Duration,
    /// For each statement afterwards.
    pub(crate) statement: Duration,
}

/// Who uses a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoreUse {
    /// A program that has nothing else to do.
    Plain,
    /// A server: others wait for the thread that reads.
    Server,
    /// A process that ends soon: one connection serves reads and writes, and the log is left to the next.
    Brief,
    /// The same, and it does one thing at a time: a thread for its writes would cost more than they do.
    Alone,
    /// The same, and it only notes what has happened.
    Notes,
}

impl StoreUse {
    /// The connection of a process that ends soon, which has only one.
    pub(crate) const fn only_connection(self) -> Option<ConnectionPurpose> {
        match self {
            Self::Brief | Self::Alone => Some(ConnectionPurpose::Brief),
            Self::Notes => Some(ConnectionPurpose::Notes),
            Self::Plain | Self::Server => None,
        }
    }

    /// How long its reads wait for locks.
    pub(crate) const fn waits(self) -> LockWaits {
        match self {
            Self::Server => LockWaits::BRIEF,
            Self::Plain | Self::Brief | Self::Alone | Self::Notes => LockWaits::PATIENT,
        }
    }
}

impl LockWaits {
    /// For those who have nothing else to do: the writer's thread, a command, a hook.
    pub(crate) const PATIENT: Self = Self {
        open: LONGEST_WAIT,
        statement: LONGEST_WAIT,
    };
    /// For reads on a thread that serves others.
    pub(crate) const BRIEF: Self = Self {
        open: Duration::from_millis(500),
        statement: Duration::from_millis(50),
    };
}

/// What a file is, whatever its name: device and inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DatabaseIdentity(u64, u64);

impl DatabaseIdentity {
    /// `None` if there is no such file, or no such thing as an identity on this system.
    #[cfg(unix)]
    pub(crate) fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let metadata = std::fs::metadata(path).ok()?;
        Some(Self(metadata.dev(), metadata.ino()))
    }

    #[cfg(not(unix))]
    pub(crate) fn of(_path: &Path) -> Option<Self> {
        None
    }
}

/// A connection, and which file it is to.
#[derive(Debug)]
pub(crate) struct OpenedDatabase {
    pub(crate) connection: Connection,
    pub(crate) identity: Option<DatabaseIdentity>,
    pub(crate) recent: RecentAnswers,
}

/// Statements each connection keeps prepared; there are fewer than this.
const PREPARED: usize = 96;

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConnectionPurpose {
    Read,
    /// Writing and, in memory, reading too.
    Write,
    /// Both, in a process that ends soon.
    Brief,
    /// The same in one that only notes what has happened.
    Notes,
}

/// A log longer than this is moved into the database by a process that ends soon, too: the next one has to read it
/// when it opens. Moving it at every end cost a hook a third of its time. SQLite's own limit does not help, because what
/// it knows of the log ends with the last process.
const LONGEST_LOG_LEFT: u64 = 256 * 1024;

/// Opens `location` with today's schema.
pub(crate) fn open(
    location: &StoreLocation,
    purpose: ConnectionPurpose,
    waits: LockWaits,
    marks: &ProjectMarks,
) -> Result<OpenedDatabase, Error> {
    let schema = Schema {
        migrations: MIGRATIONS,
        marks,
    };
    let connection = open_waiting(location, purpose, schema, waits)?;
    // Asked afterwards: if the file was replaced meanwhile, this connection's has another identity
    // than the name's, or it has none, and the next use opens again.
    let identity = match location {
        StoreLocation::Memory | StoreLocation::Postgres(_) => None,
        StoreLocation::File(path) => DatabaseIdentity::of(path),
    };
    Ok(OpenedDatabase {
        connection,
        identity,
        recent: RecentAnswers::default(),
    })
}

/// [`open`] with a given list of migrations, so that tests can add to it.
#[cfg(test)]
pub(crate) fn open_with(
    location: &StoreLocation,
    purpose: ConnectionPurpose,
    migrations: &[Migration],
) -> Result<Connection, Error> {
    let marks = &ProjectMarks::default();
    let schema = Schema { migrations, marks };
    open_waiting(location, purpose, schema, LockWaits::PATIENT)
}

/// What a database is brought up to, and what persons have set meanwhile.
#[derive(Debug, Clone, Copy)]
struct Schema<'a> {
    migrations: &'a [Migration],
    marks: &'a ProjectMarks,
}

fn open_waiting(
    location: &StoreLocation,
    purpose: ConnectionPurpose,
    schema: Schema<'_>,
    waits: LockWaits,
) -> Result<Connection, Error> {
    let opened = match location {
        StoreLocation::Memory => Connection::open_in_memory(),
        StoreLocation::File(path) => {
            create_file(path)?;
            // Without CREATE: the file is there, with our permissions and not the umask's.
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            Connection::open_with_flags(path, flags)
        }
        StoreLocation::Postgres(_) => {
            let location = location.clone();
            return Err(Error::NotAFile { location });
        }
    };
    let mut connection = opened.map_err(|source| Error::from_sqlite(location, source))?;
    // Never a new wait: opening waits once for all.
    let mut patience = Patience::of(waits.open);
    let opened = connection
        .busy_handler(Some(move |_| patience.wait(1)))
        .map_err(Failure::from)
        .and_then(|()| bring_up(&mut connection, location, schema))
        .and_then(|()| prepare(&connection, location, purpose))
        .and_then(|()| {
            let mut patience = Patience::of(waits.statement);
            Ok(connection.busy_handler(Some(move |attempt| patience.wait(attempt)))?)
        });
    opened.map_err(|failure| failure.at(location))?;
    Ok(connection)
}

/// Today's schema, and what persons have set.
fn bring_up(
    connection: &mut Connection,
    location: &StoreLocation,
    schema: Schema<'_>,
) -> Result<(), Failure> {
    connection.set_prepared_statement_cache_capacity(PREPARED);
    // Plans must not depend on bound values: otherwise SQLite, built with STAT4, prepares a joining
    // statement again at every use, which took 29 µs instead of 4.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    let known = i64::try_from(schema.migrations.len()).unwrap_or(i64::MAX);
    // Looked at before anything is set: a database that is not for us stays byte for byte the same.
    let version = check_version(connection, location, known)?;
    if version < known {
        use_write_ahead_log(connection)?;
        if let StoreLocation::File(path) = location
            && version > 0
        {
            copy::before_migration(connection, path, version)?;
        }
        migrate(connection, location, schema.migrations)?;
    }
    if let Some(seen) = schema.marks.bring_into(connection, location)? {
        mark::remember(connection, &seen);
    }
    Ok(())
}

/// From here on, only the log is waited for.
fn prepare(
    connection: &Connection,
    location: &StoreLocation,
    purpose: ConnectionPurpose,
) -> Result<(), Failure> {
    match purpose {
        ConnectionPurpose::Read => {
            connection.execute_batch("PRAGMA cache_size = -2000; PRAGMA query_only = ON")?;
        }
        // FULL syncs the log at every commit, so what was acknowledged survives power loss, not
        // only kill -9 (which NORMAL would survive too). Measured on a virtual disk: 0.30 ms for
        // a commit of one row against 0.02 ms with NORMAL. Up to 128 jobs share that price, and
        // the wait is on the writer's thread, never on a server's runtime.
        ConnectionPurpose::Write | ConnectionPurpose::Brief => {
            use_write_ahead_log(connection)?;
            // Writes go to the end of tables and to random places of indexes, for which no cache is large enough: pages
            // beyond these would be kept in every server for nothing.
            let cache = match purpose {
                ConnectionPurpose::Write => 512,
                _ => 2000,
            };
            connection.execute_batch(&format!(
                "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -{cache};
                 PRAGMA journal_size_limit = 4194304",
            ))?;
        }
        // What it writes has happened already and was promised to no one: it survives kill -9, and after a power
        // failure the last commands may be missing, and the permit of one may be good until it expires. A sync at each would take a tenth of a command's time. That the
        // database has a log was seen to when it was made.
        ConnectionPurpose::Notes => {
            connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")?;
        }
    }
    let ends_soon = matches!(purpose, ConnectionPurpose::Brief | ConnectionPurpose::Notes);
    if ends_soon && log_length(location) < LONGEST_LOG_LEFT {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    }
    Ok(())
}

/// How long the write-ahead log is.
fn log_length(location: &StoreLocation) -> u64 {
    let StoreLocation::File(path) = location else {
        return 0;
    };
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).map_or(0, |it| it.len())
}

/// Creates the file with 0600 and what is missing of its folders with 0700.
fn create_file(path: &Path) -> Result<(), Error> {
    // Closing any handle of a file drops the locks that this process holds on it, SQLite's
    // included. So the file is opened here only when it is new, and one thread at a time creates.
    static CREATING: Mutex<()> = Mutex::new(());
    let _creating = lock(&CREATING);
    if matches!(path.try_exists(), Ok(true)) {
        return Ok(());
    }
    let failed = |path: &Path, source: io::Error| Error::Create {
        path: path.to_path_buf(),
        source: Arc::new(source),
    };
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        private_folders()
            .create(folder)
            .map_err(|source| failed(folder, source))?;
    }
    match private_file().open(path) {
        Ok(file) => drop(file),
        // Another process was faster, or a link points nowhere; SQLite tells the second.
        Err(source) if source.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        Err(source) => return Err(failed(path, source)),
    }
    // The name itself must survive power loss as well; file systems without this are no worse off.
    if let Some(Err(source)) = folder.map(|folder| File::open(folder).and_then(|it| it.sync_all()))
    {
        tracing::debug!(path = %path.display(), %source, "could not sync the directory of a new database");
    }
    Ok(())
}

#[cfg(unix)]
pub(crate) fn private_folders() -> DirBuilder {
    let mut builder = DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(builder.recursive(true), 0o700);
    builder
}

#[cfg(unix)]
pub(crate) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    std::os::unix::fs::OpenOptionsExt::mode(options.write(true).create_new(true), 0o600);
    options
}

#[cfg(not(unix))]
pub(crate) fn private_folders() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    builder
}

#[cfg(not(unix))]
pub(crate) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    options
}

/// The schema's version; refuses one that is too new and other programs' databases.
fn check_version(
    connection: &Connection,
    location: &StoreLocation,
    known: i64,
) -> Result<i64, Failure> {
    let mut oldest = number(connection, "PRAGMA user_version")?;
    if oldest == 0 && number(connection, "SELECT count(*) FROM sqlite_schema")? > 0 {
        // Tables without a version: not ours, unless another process created them just now. It
        // commits tables and version together, so a second look decides.
        oldest = number(connection, "PRAGMA user_version")?;
        if oldest == 0 {
            return Err(foreign(location));
        }
    }
    if oldest != 0 && number(connection, "PRAGMA application_id")? != APPLICATION_ID {
        return Err(foreign(location));
    }
    if oldest > known {
        let location = location.clone();
        let found = oldest;
        return Err(Failure::Refused(Error::Newer {
            location,
            found,
            known,
        }));
    }
    if oldest == 0 {
        return Ok(0);
    }
    version(connection)
}

/// The version of a schema that is ours.
fn version(connection: &Connection) -> Result<i64, Failure> {
    let table = "SELECT count(*) FROM sqlite_schema WHERE name = 'schema_version'";
    match number(connection, table)? {
        0 => Ok(1),
        _ => Ok(number(connection, "SELECT version FROM schema_version")?),
    }
}

fn foreign(location: &StoreLocation) -> Failure {
    let location = location.clone();
    Failure::Refused(Error::Foreign { location })
}

fn number(connection: &Connection, query: &str) -> rusqlite::Result<i64> {
    connection.query_row(query, [], |row| row.get(0))
}

/// Applies what is missing, all or nothing. Of several processes that come at once, the first
/// does the work and the others find it done.
fn migrate(
    connection: &mut Connection,
    location: &StoreLocation,
    migrations: &[Migration],
) -> Result<(), Failure> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let known = i64::try_from(migrations.len()).unwrap_or(i64::MAX);
    let version = check_version(&transaction, location, known)?;
    if version >= known {
        return Ok(());
    }
    let missing = migrations
        .iter()
        .skip(usize::try_from(version).unwrap_or(0));
    for migration in missing {
        transaction.execute_batch(migration.sql)?;
        transaction.pragma_update(None, "user_version", migration.oldest)?;
    }
    if known > 1 {
        transaction.execute("UPDATE schema_version SET version = ?1", [known])?;
    }
    transaction.commit()?;
    Ok(())
}

/// Two connections that turn the log on at once make SQLite answer "busy" without asking the busy
/// handler (waiting could be a deadlock), so here is the loop around it.
fn use_write_ahead_log(connection: &Connection) -> rusqlite::Result<()> {
    let mut patience = Patience::of(Duration::from_millis(500));
    let mut attempt = 0;
    loop {
        let outcome = connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
        let busy = outcome.as_ref().is_err_and(|error| {
            matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
            )
        });
        if !busy || !patience.wait(attempt) {
            return outcome;
        }
        attempt += 1;
    }
}
