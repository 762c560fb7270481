//! Checks a database, and saves what can still be read of a damaged one.
//!
//! Recovering moves the damaged file aside and never changes it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params_from_iter};

use crate::error::{Error, Failure};
use crate::mark::ProjectMarks;
use crate::open::{ConnectionPurpose, LockWaits, open};
use crate::{Store, StoreLocation};

/// Problems that are told; a damaged database has thousands of the same.
const MOST_PROBLEMS: usize = 20;

/// What was saved of a damaged database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveredStore {
    /// Rows that could be read, of all tables.
    pub rows: usize,
    /// Tables of which not every row could be read.
    pub damaged_tables: Vec<String>,
    /// Where the damaged file is now.
    pub kept: PathBuf,
}

impl Store {
    /// What is wrong with the database; nothing if it is whole.
    pub fn check(&self) -> Result<Vec<String>, Error> {
        let shared = &self.inner.shared;
        match shared.location {
            StoreLocation::Postgres(_) => Err(Error::NotAFile {
                location: shared.location.clone(),
            }),
            StoreLocation::File(_) | StoreLocation::Memory => shared.read_sqlite(problems),
        }
    }
}

/// Replaces a damaged database by a new one with everything that can be read of it. No process may
/// have it open.
pub fn recover(path: &Path) -> Result<RecoveredStore, Error> {
    let location = StoreLocation::File(path.to_path_buf());
    let kept = free_name(path);
    for suffix in ["", "-wal", "-shm"] {
        let (from, to) = (with_suffix(path, suffix), with_suffix(&kept, suffix));
        match fs::rename(&from, &to) {
            Err(source) if suffix.is_empty() || source.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::Create {
                    path: to,
                    source: Arc::new(source),
                });
            }
            _ => {}
        }
    }
    // What can be read brings its modes along, and is compared when it is next opened.
    let no_marks = ProjectMarks::default();
    let purpose = ConnectionPurpose::Write;
    let new = open(&location, purpose, LockWaits::PATIENT, &no_marks)?;
    let recovered = copy_tables(&new.connection, &kept);
    let (rows, damaged_tables) = recovered.map_err(|failure| failure.at(&location))?;
    Ok(RecoveredStore {
        rows,
        damaged_tables,
        kept,
    })
}

fn problems(connection: &Connection) -> Result<Vec<String>, Failure> {
    let mut statement = connection.prepare("PRAGMA integrity_check(20)")?;
    let found = statement.query_map([], |row| row.get::<_, String>(0))?;
    let mut problems: Vec<String> = found.collect::<Result<_, _>>()?;
    problems.retain(|problem| problem != "ok");
    let mut statement = connection.prepare("PRAGMA foreign_key_check")?;
    let found = statement.query_map([], |row| {
        Ok(format!(
            "table {} names what table {} does not have",
            row.get::<_, String>(0)?,
            row.get::<_, String>(2)?
        ))
    })?;
    for problem in found.take(MOST_PROBLEMS) {
        problems.push(problem?);
    }
    Ok(problems)
}

fn copy_tables(new: &Connection, damaged: &Path) -> Result<(usize, Vec<String>), Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let old = Connection::open_with_flags(damaged, flags)?;
    let mut statement = new.prepare(
        "SELECT name FROM sqlite_schema
         WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
             AND name NOT IN ('schema_version', 'marks_seen')",
    )?;
    let tables = statement.query_map([], |row| row.get::<_, String>(0))?;
    let tables: Vec<String> = tables.collect::<Result<_, _>>()?;
    new.execute_batch("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE")?;
    let mut rows = 0;
    let mut damaged_tables = Vec::new();
    for table in tables {
        let columns = columns_of(new, &table)?;
        let mut whole = false;
        // From both ends: a damaged page in the middle stops either walk.
        for order in ["", "DESC"] {
            if whole {
                break;
            }
            let (copied, reached_the_end) = copy_rows(&old, new, &table, &columns, order)?;
            rows += copied;
            whole = reached_the_end;
        }
        if !whole {
            damaged_tables.push(table);
        }
    }
    new.execute_batch("COMMIT; PRAGMA foreign_keys = ON")?;
    Ok((rows, damaged_tables))
}

/// The columns that both may have; a column of a later version has its default.
fn columns_of(connection: &Connection, table: &str) -> Result<Vec<String>, Failure> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
    let names = statement.query_map([table], |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}

/// Copies rows until one cannot be read; tells how many are new and whether all could be read.
fn copy_rows(
    old: &Connection,
    new: &Connection,
    table: &str,
    columns: &[String],
    order: &str,
) -> Result<(usize, bool), Failure> {
    let known: Vec<String> = match columns_of(old, table) {
        Ok(there) => columns
            .iter()
            .filter(|name| there.contains(name))
            .cloned()
            .collect(),
        Err(_) => return Ok((0, false)),
    };
    if known.is_empty() {
        // An older version without this table has lost nothing.
        return Ok((0, true));
    }
    let list = known.join(", ");
    let by = known.first().map_or("", String::as_str);
    let marks = vec!["?"; known.len()].join(", ");
    let insert = format!("INSERT OR IGNORE INTO {table} ({list}) VALUES ({marks})");
    let mut insert = new.prepare(&insert)?;
    let query = format!("SELECT {list} FROM {table} ORDER BY {by} {order}");
    let Ok(mut select) = old.prepare(&query) else {
        return Ok((0, false));
    };
    let Ok(mut found) = select.query([]) else {
        return Ok((0, false));
    };
    let mut copied = 0;
    loop {
        match found.next() {
            Ok(None) => return Ok((copied, true)),
            Err(_) => return Ok((copied, false)),
            Ok(Some(row)) => {
                let values: Result<Vec<Value>, _> =
                    (0..known.len()).map(|index| row.get(index)).collect();
                // What the schema no longer admits is not worth keeping.
                if let Ok(values) = values {
                    copied += insert.execute(params_from_iter(values)).unwrap_or(0);
                }
            }
        }
    }
}

fn free_name(path: &Path) -> PathBuf {
    let name = |number: u32| with_suffix(path, &format!(".damaged-{number}"));
    let mut number = 1;
    while name(number).exists() {
        number += 1;
    }
    name(number)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
