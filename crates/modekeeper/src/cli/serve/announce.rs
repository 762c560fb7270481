//! Which servers run: a file each, locked as long as its server lives, so that one that was killed is not taken for
//! one that runs. `modekeeper dashboard` and `modekeeper status` read them.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const DIRECTORY: &str = "servers";

/// A server that runs.
#[derive(Debug, Clone)]
pub(in crate::cli) struct AnnouncedServer {
    pub(in crate::cli) address: SocketAddr,
    /// Where calls are when they say nothing else.
    pub(in crate::cli) project: String,
    since: SystemTime,
}

/// Removes the file at the end; its lock ends with the process in any case.
#[derive(Debug)]
pub(super) struct AnnouncementFile {
    path: PathBuf,
    _locked: File,
}

/// Says where the server is. Without a file, the configured address is what others try.
pub(super) fn write(state: &Path, address: SocketAddr, project: &str) -> Option<AnnouncementFile> {
    let directory = state.join(DIRECTORY);
    let written = std::fs::create_dir_all(&directory).and_then(|()| {
        remove_dead(&directory);
        let new = tempfile::Builder::new().tempfile_in(&directory)?;
        let (mut locked, path) = new.keep().map_err(|error| error.error)?;
        locked.lock()?;
        locked.write_all(format!("{address}\n{project}\n").as_bytes())?;
        Ok(AnnouncementFile {
            path,
            _locked: locked,
        })
    });
    match written {
        Ok(file) => Some(file),
        Err(error) => {
            tracing::warn!(%error, "`modekeeper dashboard` may not find this server");
            None
        }
    }
}

/// The servers that run, the last that was started first.
pub(in crate::cli) fn running(state: &Path) -> Vec<AnnouncedServer> {
    let mut found: Vec<_> = files(&state.join(DIRECTORY))
        .filter_map(|path| {
            let mut file = File::open(path).ok()?;
            // Where locks do not work, the address is tried.
            if file.try_lock_shared().is_ok() {
                return None;
            }
            let since = file.metadata().and_then(|it| it.modified()).ok()?;
            let mut text = String::new();
            file.read_to_string(&mut text).ok()?;
            let (address, project) = text.split_once('\n')?;
            Some(AnnouncedServer {
                address: address.parse().ok()?,
                project: project.trim_end().to_owned(),
                since,
            })
        })
        .collect();
    found.sort_by_key(|it| std::cmp::Reverse(it.since));
    found
}

fn files(directory: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = std::fs::read_dir(directory).into_iter().flatten();
    entries.flatten().map(|entry| entry.path())
}

/// Removes what servers left that were killed. A file without text is of one that starts.
fn remove_dead(directory: &Path) {
    for path in files(directory) {
        let is_dead = File::open(&path).is_ok_and(|file| {
            let has_text = file.metadata().is_ok_and(|it| it.len() > 0);
            has_text && !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
        });
        if is_dead && let Err(error) = std::fs::remove_file(&path) {
            tracing::debug!(%error, "a file of a server that was killed stays");
        }
    }
}

impl Drop for AnnouncementFile {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::debug!(%error, "the file with the address stays");
        }
    }
}
