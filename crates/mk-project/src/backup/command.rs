//! What a command changes, kept file by file while it runs, because nobody knows beforehand what it will touch.
//!
//! At the end it becomes a change set like any other: one format, one list, one undo. What a killed process left is
//! finished by the next one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use mk_types::{AbsPath, Clock, ProjectPath, random_symbols};
use rustix::fs::FlockOperation;
use serde_json::{Value, json};

use super::{Backups, META, SetId, cannot_write, read, revision_of, write_new};
use crate::beneath::RootDir;
use crate::error::Error;
use crate::file::{FileState, LARGEST, plan_delete_if_there, plan_move};

/// Directories of commands that run; listing leaves them out.
const RUNNING: &str = "running-";
const LOG: &str = "log.jsonl";
/// One command keeps no more than this; what it changes beyond is listed and cannot be undone.
const MOST_BYTES: u64 = 200 * 1024 * 1024;

/// What a file is before a command changes it.
#[derive(Debug, Clone, Copy)]
pub enum FileBefore<'a> {
    Missing,
    File(&'a File),
    /// A link; it is listed and not kept.
    Link,
}

/// The journal of one command.
#[derive(Debug)]
pub struct CommandJournal {
    folder: PathBuf,
    making: PathBuf,
    root: AbsPath,
    clock: Clock,
    /// Holds a lock, so that others know that we live.
    log: File,
    count: usize,
    bytes: u64,
    not_kept: Vec<String>,
}

/// More names than this are not listed.
const MOST_NOT_KEPT: usize = 200;

/// What keeps a change set from being undone as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    pub path: ProjectPath,
}

impl Backups {
    /// Starts the journal of a command.
    pub fn begin_command(&self, title: &str) -> Result<CommandJournal, Error> {
        self.finish_abandoned();
        let making = self.folder.join(format!("{RUNNING}{}", random_symbols(12)));
        self.make_folder(&making)?;
        let path = making.join(LOG);
        let opened = OpenOptions::new()
            .create_new(true)
            .read(true)
            .append(true)
            .mode(0o600)
            .open(&path);
        let mut log = opened.map_err(|source| cannot_write(&path, source))?;
        let locked = rustix::fs::flock(&log, FlockOperation::NonBlockingLockExclusive);
        locked.map_err(|errno| cannot_write(&path, errno.into()))?;
        let header = json!({ "tool": title, "at": self.clock.now().as_millis() });
        writeln!(log, "{header}").map_err(|source| cannot_write(&path, source))?;
        Ok(self.journal(making, log))
    }

    fn journal(&self, making: PathBuf, log: File) -> CommandJournal {
        CommandJournal {
            folder: self.folder.clone(),
            making,
            root: self.root.clone(),
            clock: self.clock.clone(),
            log,
            count: 0,
            bytes: 0,
            not_kept: Vec::new(),
        }
    }

    /// Turns what killed commands left into change sets.
    pub fn finish_abandoned(&self) {
        let names = self.names().unwrap_or_default();
        for name in names.iter().filter(|name| name.starts_with(RUNNING)) {
            let making = self.folder.join(name);
            let Ok(log) = File::open(making.join(LOG)) else {
                continue;
            };
            // A command that runs holds the lock.
            if rustix::fs::flock(&log, FlockOperation::NonBlockingLockExclusive).is_err() {
                continue;
            }
            if let Err(error) = self.journal(making, log).finish() {
                tracing::warn!(%error, name, "what a killed command changed cannot be listed");
            }
        }
    }

    /// Files of a change set that have changed again since: putting them back would lose that.
    pub fn conflicts(&self, id: &str) -> Result<Vec<Conflict>, Error> {
        let backup = self.get(id)?;
        let path = self.folder.join(id).join(META);
        let unreadable = |source| Error::Read {
            path: path.clone(),
            source,
        };
        let bytes = read(&path, super::LARGEST_META).map_err(unreadable)?;
        let meta: Value = serde_json::from_slice(&bytes)
            .map_err(|error| unreadable(io::Error::new(io::ErrorKind::InvalidData, error)))?;
        let entries = meta["entries"].as_array().cloned().unwrap_or_default();
        let changed = backup.entries.iter().zip(&entries).filter(|(entry, json)| {
            // What was only moved goes back as it is.
            let Some(after) = json.get("after") else {
                return false;
            };
            revision_at(&self.root, &entry.path).as_deref() != after.as_str()
        });
        let conflicts = changed.map(|(entry, _)| Conflict {
            path: entry.path.clone(),
        });
        Ok(conflicts.collect())
    }

    /// Files of a change set that cannot be put back, because a directory or a link has taken their place, or something
    /// has the name that they should get back.
    pub fn obstacles(&self, root: &RootDir, id: &str) -> Result<Vec<ProjectPath>, Error> {
        let mut found = Vec::new();
        for entry in self.find(id)?.backup.entries {
            let path = entry.path.clone();
            let plan = match entry.moved_to {
                Some(to) => plan_move(root, to, path).map(drop),
                None if entry.existed => FileState::find(root, &path).map(drop),
                None => plan_delete_if_there(root, path).map(drop),
            };
            match plan {
                Ok(()) => {}
                Err(
                    Error::NotAFile { .. }
                    | Error::NotAFolder { .. }
                    | Error::Link { .. }
                    | Error::Exists { .. }
                    | Error::Missing { .. },
                ) => found.push(entry.path),
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }
}

fn revision_at(root: &AbsPath, path: &ProjectPath) -> Option<String> {
    let path = root.as_path().join(path.as_str());
    let is_file = path.symlink_metadata().ok()?.is_file();
    is_file.then(|| read(&path, LARGEST).ok().map(|bytes| revision_of(&bytes)))?
}

impl CommandJournal {
    /// Files that were changed and cannot be put back, relative to the root.
    pub fn not_kept(&self) -> &[String] {
        &self.not_kept
    }

    fn note_not_kept(&mut self, path: &str) {
        if self.not_kept.len() < MOST_NOT_KEPT {
            self.not_kept.push(path.to_owned());
        }
    }

    /// Keeps a file before its first change. An error means that the change must not be made.
    pub fn keep(&mut self, path: &Path, before: FileBefore<'_>) -> io::Result<()> {
        let Some(path) = path
            .strip_prefix(self.root.as_path())
            .ok()
            .and_then(Path::to_str)
            .filter(|path| ProjectPath::parse(path, &self.root).is_ok())
        else {
            return Ok(());
        };
        let mut entry = json!({
            "path": path,
            "existed": false,
            "size": 0,
            "revision": null,
            "mode": "0",
            "moved_to": null,
        });
        if matches!(before, FileBefore::Link) {
            self.note_not_kept(path);
            return Ok(());
        }
        if let FileBefore::File(mut file) = before {
            let metadata = file.metadata()?;
            if metadata.len() > LARGEST || self.bytes + metadata.len() > MOST_BYTES {
                self.note_not_kept(path);
                return Ok(());
            }
            let mut bytes = Vec::new();
            file.rewind()?;
            file.read_to_end(&mut bytes)?;
            // Not forced to the disk: it undoes a command, it does not survive the machine.
            OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(self.making.join(self.count.to_string()))?
                .write_all(&bytes)?;
            self.bytes += bytes.len() as u64;
            entry["existed"] = true.into();
            entry["size"] = bytes.len().into();
            entry["revision"] = revision_of(&bytes).into();
            entry["mode"] = format!("{:o}", metadata.permissions().mode() & 0o777).into();
        }
        writeln!(self.log, "{entry}")?;
        self.count += 1;
        Ok(())
    }

    /// What is as it was needs no undo: files that came and went, or got their old content back. Kept bytes are named
    /// by their entry's place in the list.
    fn leave_out_unchanged(&self, entries: &mut Vec<Value>) -> Result<(), Error> {
        let mut changed = Vec::new();
        for (index, entry) in std::mem::take(entries).into_iter().enumerate() {
            let kept = self.making.join(index.to_string());
            if entry["after"] == entry["revision"] {
                drop(fs::remove_file(&kept));
                continue;
            }
            let place = self.making.join(changed.len().to_string());
            if entry["existed"] == true && kept != place {
                fs::rename(&kept, &place).map_err(|source| cannot_write(&place, source))?;
            }
            changed.push(entry);
        }
        *entries = changed;
        Ok(())
    }

    /// Makes a change set of it; `None` if nothing was changed.
    pub fn finish(mut self) -> Result<Option<String>, Error> {
        let log = self.making.join(LOG);
        let unreadable = |source| Error::Read {
            path: log.clone(),
            source,
        };
        let mut text = String::new();
        self.log.rewind().map_err(unreadable)?;
        self.log.read_to_string(&mut text).map_err(unreadable)?;
        let mut lines = text
            .lines()
            .map_while(|line| serde_json::from_str::<Value>(line).ok());
        let header = lines.next().unwrap_or_default();
        let mut entries: Vec<Value> = lines.collect();
        let mut size = 0;
        for entry in &mut entries {
            size += entry["size"].as_u64().unwrap_or_default();
            let path = entry["path"].as_str();
            let path = path.and_then(|path| ProjectPath::parse(path, &self.root).ok());
            entry["after"] = path.and_then(|path| revision_at(&self.root, &path)).into();
        }
        self.leave_out_unchanged(&mut entries)?;
        if entries.is_empty() {
            let removed = fs::remove_dir_all(&self.making);
            removed.map_err(|source| cannot_write(&self.making, source))?;
            return Ok(None);
        }
        let now = self.clock.now();
        let id = SetId::sized(None, now, size);
        let at = header["at"].as_i64().unwrap_or_else(|| now.as_millis());
        let meta = json!({
            "version": 1,
            "at": at,
            "tool": header["tool"].as_str().unwrap_or("command"),
            "entries": entries,
            "folders": [],
        });
        write_new(&self.making.join(META), format!("{meta:#}\n").as_bytes())?;
        drop(fs::remove_file(&log));
        let complete = self.folder.join(id.as_str());
        fs::rename(&self.making, &complete).map_err(|source| cannot_write(&complete, source))?;
        Ok(Some(id.as_str().to_owned()))
    }
}
