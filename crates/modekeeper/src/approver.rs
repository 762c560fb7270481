//! Whether somebody is there who can approve: a lock that lives as long as the process that shows requests to a person.
//!
//! The kernel gives it back when that process ends, however it ends. What is approved and by whom is the engine's matter.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use anyhow::Context as _;

const NAME: &str = "approver.lock";

/// Held by whoever shows requests to a person.
#[derive(Debug)]
pub(crate) struct Connected {
    _lock: File,
}

/// Says that a person can be asked from now on.
pub(crate) fn connect(state: &Path) -> anyhow::Result<Connected> {
    std::fs::create_dir_all(state)
        .with_context(|| format!("cannot create `{}`", state.display()))?;
    let lock = open(state, true).context("cannot open the approver's lock")?;
    lock.lock_shared()
        .context("cannot take the approver's lock")?;
    Ok(Connected { _lock: lock })
}

/// Whether somebody holds it. What cannot be told counts as nobody: a request is then denied at once.
pub(crate) fn is_connected(state: &Path) -> bool {
    open(state, false).is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
}

fn open(state: &Path, create: bool) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(create);
    options.open(state.join(NAME))
}

#[cfg(test)]
mod tests {
    use super::{connect, is_connected};

    #[test]
    fn somebody_is_there_as_long_as_the_lock_is_held() {
        let state = tempfile::tempdir().unwrap();
        assert!(!is_connected(state.path()));
        let first = connect(state.path()).unwrap();
        let second = connect(state.path()).unwrap();
        assert!(is_connected(state.path()));
        drop(first);
        assert!(is_connected(state.path()));
        drop(second);
        assert!(!is_connected(state.path()));
    }
}
