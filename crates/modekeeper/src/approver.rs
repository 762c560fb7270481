//! Whether somebody is there who can approve: a lock that lives as long as the process that shows requests to a person.
//!
//! The kernel gives it back when that process ends, however it ends. What is approved and by whom is the engine's matter.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use anyhow::Context as _;
use mk_types::ConversationId;

const NAME: &str = "approver.lock";
/// Locks of single conversations.
const DIRECTORY: &str = "approvers";

/// Held by the process that shows requests to a person.
#[derive(Debug)]
pub(crate) struct ConnectedApprover {
    _lock: File,
}

/// Says that a person can be asked from now on.
pub(crate) fn connect(state: &Path) -> anyhow::Result<ConnectedApprover> {
    std::fs::create_dir_all(state)
        .with_context(|| format!("cannot create `{}`", state.display()))?;
    let lock = open(state, true).context("cannot open the approver's lock")?;
    lock.lock_shared()
        .context("cannot take the approver's lock")?;
    Ok(ConnectedApprover { _lock: lock })
}

/// Says that a person can be asked in one conversation from now on, as an editor's proxy does.
pub(crate) fn connect_in(
    state: &Path,
    conversation: &ConversationId,
) -> anyhow::Result<ConnectedApprover> {
    let directory = state.join(DIRECTORY);
    std::fs::create_dir_all(&directory)
        .with_context(|| format!("cannot create `{}`", directory.display()))?;
    let lock = open_at(&directory.join(name_of(conversation)), true)
        .context("cannot open the approver's lock")?;
    lock.lock_shared()
        .context("cannot take the approver's lock")?;
    Ok(ConnectedApprover { _lock: lock })
}

/// Whether somebody can be asked in this conversation.
pub(crate) fn is_connected_in(state: &Path, conversation: &ConversationId) -> bool {
    is_held(open_at(
        &state.join(DIRECTORY).join(name_of(conversation)),
        false,
    ))
}

fn name_of(conversation: &ConversationId) -> String {
    format!("{conversation}.lock")
}

/// Whether somebody holds it. What cannot be told counts as nobody: a request is then denied at once.
pub(crate) fn is_connected(state: &Path) -> bool {
    is_held(open(state, false))
}

fn is_held(lock: std::io::Result<File>) -> bool {
    lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
}

fn open(state: &Path, create: bool) -> std::io::Result<File> {
    open_at(&state.join(NAME), create)
}

fn open_at(file: &Path, create: bool) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(create);
    options.open(file)
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
