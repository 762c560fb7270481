//! Which servers run: a file each, locked as long as its server lives, so that one that was killed is not taken for
//! one that runs. `modekeeper dashboard` and `modekeeper status` read them.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const DIRECTORY: &str = "servers";
/// What files are called until they are locked and written.
const UNFINISHED: &str = ".new-";
/// A file is written in no time: one that is unfinished for so long is of a server that was killed.
const LONGEST_UNFINISHED: Duration = Duration::from_secs(60);

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
        let new = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempfile_in(&directory)?;
        // Before it has the name that others look for: what they find is locked and whole.
        new.as_file().lock()?;
        new.as_file()
            .write_all(format!("{address}\n{project}\n").as_bytes())?;
        let name = new.path().file_name().and_then(|it| it.to_str());
        let name = name.and_then(|it| it.strip_prefix(UNFINISHED));
        let path = directory.join(name.unwrap_or("server"));
        let locked = new.persist_noclobber(&path).map_err(|error| error.error)?;
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
        .filter(|path| !is_unfinished(path))
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

fn is_unfinished(path: &Path) -> bool {
    let name = path.file_name().and_then(|it| it.to_str());
    name.is_some_and(|it| it.starts_with(UNFINISHED))
}

/// Removes what servers left that were killed. Only a lock that was got proves it: where locks do not work, files stay.
fn remove_dead(directory: &Path) {
    for path in files(directory) {
        let is_dead = File::open(&path).is_ok_and(|file| {
            let age = file.metadata().and_then(|it| it.modified());
            let age = age.ok().and_then(|it| it.elapsed().ok());
            let may_start = is_unfinished(&path) && age.is_none_or(|it| it < LONGEST_UNFINISHED);
            !may_start && file.try_lock().is_ok()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_found_while_it_runs_and_what_a_killed_one_left_is_removed() {
        let state = tempfile::tempdir().unwrap();
        let address: SocketAddr = "127.0.0.1:7337".parse().unwrap();
        let servers = state.path().join(DIRECTORY);
        std::fs::create_dir(&servers).unwrap();
        let left = [
            ("killed", "127.0.0.1:1\n/p\n"),
            ("empty", ""),
            (".new-starts", ""),
        ];
        for (name, text) in left {
            let mut file = File::create(servers.join(name)).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        }
        let file = write(state.path(), address, "/p").unwrap();
        let found = running(state.path());
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].address, found[0].project.as_str()),
            (address, "/p")
        );
        let mut left: Vec<PathBuf> = files(&servers).collect();
        left.sort();
        assert_eq!(left, [servers.join(".new-starts"), file.path.clone()]);
        drop(file);
        assert!(running(state.path()).is_empty());
    }
}
