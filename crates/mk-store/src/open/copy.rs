//! Copies of the database: one before each migration, and those that a person asks for.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rusqlite::Connection;

use super::private_file;
use crate::error::{Error, Failure};

/// Copies the database next to itself, named after the version it has. Of several processes that
/// come at once, the last copy of that version stays; all of them are whole.
pub(crate) fn before_migration(
    connection: &Connection,
    path: &Path,
    version: i64,
) -> Result<(), Failure> {
    let target = with_suffix(path, &format!(".v{version}"));
    // Versions only grow: what still has this version after the copy had it during the copy.
    copy_if(connection, &target, || {
        Ok(super::version(connection)? == version)
    })
}

/// Writes a whole copy of the database, as it is at this moment, to `target`.
pub(crate) fn copy_to(connection: &Connection, target: &Path) -> Result<(), Failure> {
    copy_if(connection, target, || Ok(true))
}

/// Puts the database back under its name after somebody removed the file: the open connection
/// still has all of it. Where another process was faster, its copy stays.
pub(crate) fn put_back(connection: &Connection, path: &Path) -> Result<(), Failure> {
    let failed = |source: io::Error| Error::Create {
        path: path.to_path_buf(),
        source: Arc::new(source),
    };
    if let Some(directory) = path.parent() {
        super::private_folders().create(directory).map_err(failed)?;
    }
    let copy = with_suffix(path, ".restored");
    copy_if(connection, &copy, || Ok(true))?;
    // The log of the removed file must not be taken for the log of this one.
    for suffix in ["-wal", "-shm"] {
        drop(std::fs::remove_file(with_suffix(path, suffix)));
    }
    let linked = std::fs::hard_link(&copy, path);
    drop(std::fs::remove_file(&copy));
    match linked {
        Err(source) if source.kind() != io::ErrorKind::AlreadyExists => Err(failed(source).into()),
        _ => Ok(()),
    }
}

fn copy_if(
    connection: &Connection,
    target: &Path,
    keep: impl FnOnce() -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let failed = |source: io::Error| Error::Create {
        path: target.to_path_buf(),
        source: Arc::new(source),
    };
    // Threads of one process may copy at once, too.
    static COPIES: AtomicU32 = AtomicU32::new(0);
    let copy = COPIES.fetch_add(1, Ordering::Relaxed);
    let unfinished = with_suffix(target, &format!(".{}-{copy}", std::process::id()));
    // Ours alone from the beginning: SQLite would create it with the umask's permissions.
    drop(std::fs::remove_file(&unfinished));
    drop(private_file().open(&unfinished).map_err(failed)?);
    let copied = connection.execute("VACUUM INTO ?1", [unfinished.to_string_lossy()]);
    let copied = copied.map_err(Failure::from).and_then(|_| {
        let file = std::fs::File::open(&unfinished).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        if keep()? {
            std::fs::rename(&unfinished, target).map_err(failed)?;
        }
        Ok(())
    });
    drop(std::fs::remove_file(&unfinished));
    copied
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
