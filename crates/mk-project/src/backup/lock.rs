//! One change at a time: a lock that all processes working on a project share, and a note of what its holder is
//! writing, so that the next one can clean up after a holder that was killed.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use mk_types::ProjectPath;

use super::cannot_write;
use crate::beneath::{RootDir, cannot_write as cannot_write_in};
use crate::error::Error;
use crate::file::unlink_leftover;

const FILE: &str = "lock";
const SHORTEST_WAIT: Duration = Duration::from_millis(1);
const LONGEST_WAIT: Duration = Duration::from_millis(16);
const LARGEST_NOTE: u64 = 1024 * 1024;
/// Stands in no path.
const BETWEEN: char = '\0';

/// Held while files are changed.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    /// Waits for other holders at most as long as `patience`.
    pub(super) fn take(folder: &Path, patience: Duration) -> Result<Self, Error> {
        let path = folder.join(FILE);
        let mut options = OpenOptions::new();
        let options = options.read(true).append(true).create(true).mode(0o600);
        let file = options
            .open(&path)
            .map_err(|source| cannot_write(&path, source))?;
        let begun = Instant::now();
        let mut wait = SHORTEST_WAIT;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { file }),
                Err(TryLockError::WouldBlock) if begun.elapsed() < patience => {
                    pause(wait);
                    wait = LONGEST_WAIT.min(wait * 2);
                }
                Err(TryLockError::WouldBlock) => return Err(Error::Busy { path }),
                Err(TryLockError::Error(source)) => return Err(cannot_write(&path, source)),
            }
        }
    }

    /// Says which file is about to be written beside its target.
    pub(crate) fn note(&self, folder: &ProjectPath, name: &str) -> Result<(), Error> {
        let note = format!("{}/{name}{BETWEEN}", folder.as_str());
        let written = (&self.file).write_all(note.as_bytes());
        written.map_err(|source| cannot_write_in(folder, source))
    }

    /// Nothing is left beside its target.
    pub(crate) fn clear(&self) {
        if let Err(error) = self.file.set_len(0) {
            tracing::warn!(%error, "the lock's notes could not be cleared");
        }
    }

    /// Removes what a killed holder left.
    pub(crate) fn sweep(&self, root: &RootDir) {
        let mut notes = String::new();
        let read = (&self.file).take(LARGEST_NOTE).read_to_string(&mut notes);
        if read.is_ok_and(|size| size == 0) {
            return;
        }
        for note in notes.split(BETWEEN).filter(|note| !note.is_empty()) {
            // What stands at the top of the project is noted as `/name`.
            if let Ok(path) = ProjectPath::parse(note.trim_start_matches('/'), root.root()) {
                unlink_leftover(root, &path);
            }
        }
        self.clear();
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing would do, were it not for children that are being started and still share the file.
        drop(self.file.unlock());
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "work on disk runs outside the runtime, and another process cannot wake us"
)]
fn pause(wait: Duration) {
    std::thread::sleep(wait);
}
