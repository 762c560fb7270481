//! Guests: files under names that the mode does not allow, while a command runs.
//!
//! Editors write next to a file and rename over it; builds leave things behind. A guest may be made and renamed to an
//! allowed name, and is removed at the end. Each is written down before it is made, so that the next start can remove
//! what a killed clerk left.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FlockOperation};
use rustix::io::Errno;

use crate::clerk::ObjectKey;
use crate::cover;

/// One file or directory that must go.
#[derive(Debug, Clone)]
pub(crate) struct GuestFile {
    key: ObjectKey,
    is_directory: bool,
    /// The allowed name it had; it goes back there instead of being removed.
    pub(crate) back: Option<PathBuf>,
}

/// All guests of one command, and their record on disk.
#[derive(Debug, Default)]
pub(crate) struct GuestFiles {
    here: BTreeMap<PathBuf, GuestFile>,
    record: Option<(PathBuf, File)>,
}

/// What became of a guest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Farewell {
    Removed(PathBuf),
    MovedBack { from: PathBuf, to: PathBuf },
}

impl GuestFiles {
    /// Starts a record in a directory. Its lock tells others that the clerk is alive.
    ///
    /// Records are used again: a new file for each command, removed at its end, would cost more than the rest of a start
    /// where the file system passes over inodes that were just given up.
    pub(crate) fn recorded_in(directory: &Path) -> std::io::Result<Self> {
        for number in 0.. {
            let path = directory.join(number.to_string());
            let file = OpenOptions::new()
                .create(true)
                .append(true)
                .mode(0o600)
                .open(&path)?;
            // One that has lines is of a clerk that was killed: the next sweep needs them.
            if try_lock(&file) && file.metadata()?.len() == 0 {
                return Ok(Self {
                    here: BTreeMap::new(),
                    record: Some((path, file)),
                });
            }
        }
        Err(std::io::Error::other("there is no record left"))
    }

    /// The file of the record.
    pub(crate) fn record(&self) -> Option<&Path> {
        self.record.as_ref().map(|(path, _)| path.as_path())
    }

    /// Whether what is at a path is a guest: another file that has come there since is none.
    pub(crate) fn has(&self, path: &Path, key: ObjectKey) -> bool {
        self.here.get(path).is_some_and(|guest| guest.key == key)
    }

    /// Writes a name down before anything is made under it.
    pub(crate) fn announce(&mut self, path: &Path) -> Result<(), Errno> {
        self.write("announce", path.as_os_str().as_bytes())
    }

    fn write(&mut self, verb: &str, text: &[u8]) -> Result<(), Errno> {
        let Some((_, file)) = &mut self.record else {
            return Ok(());
        };
        let mut line = Vec::from(verb);
        line.push(b' ');
        line.extend(
            text.iter()
                .flat_map(|byte| std::ascii::escape_default(*byte)),
        );
        line.push(b'\n');
        file.write_all(&line)
            .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
    }

    pub(crate) fn add(&mut self, path: &Path, key: ObjectKey) {
        self.insert(path, key, false);
    }

    pub(crate) fn add_directory(&mut self, path: &Path, key: ObjectKey) {
        self.insert(path, key, true);
    }

    fn insert(&mut self, path: &Path, key: ObjectKey, is_directory: bool) {
        let guest = GuestFile {
            key,
            is_directory,
            back: None,
        };
        self.here.insert(path.to_owned(), guest);
        let identity = format!("{} {}", key.to_text(), path.display());
        // Without it, a sweep leaves the file and says so.
        self.write("made", identity.as_bytes()).ok();
    }

    pub(crate) fn remove(&mut self, path: &Path) -> Option<GuestFile> {
        self.here.remove(path)
    }

    pub(crate) fn move_back(&mut self, path: &Path, back: PathBuf) {
        if let Some(guest) = self.here.get_mut(path) {
            guest.back = Some(back);
        }
    }

    /// Sends every guest away. Directories go if nothing allowed is in them.
    pub(crate) fn send_away(&mut self) -> Vec<Farewell> {
        let mut farewells = Vec::new();
        // Longest first, so that a directory is empty when its turn comes.
        while let Some((path, guest)) = self.here.pop_last() {
            if ObjectKey::at(&path).is_none_or(|key| key != guest.key) {
                continue;
            }
            if guest.is_directory {
                drop(std::fs::remove_dir(&path));
                continue;
            }
            if let Some(back) = guest.back
                && move_back(&path, &back)
            {
                farewells.push(Farewell::MovedBack {
                    from: path,
                    to: back,
                });
                continue;
            }
            if rustix::fs::unlinkat(rustix::fs::CWD, &path, AtFlags::empty()).is_ok() {
                farewells.push(Farewell::Removed(path));
            }
        }
        farewells.reverse();
        if let Some((_, file)) = &self.record {
            drop(file.set_len(0));
        }
        farewells
    }
}

/// Whether no living clerk has it.
fn try_lock(record: &File) -> bool {
    rustix::fs::flock(record, FlockOperation::NonBlockingLockExclusive).is_ok()
}

/// Nothing that was written meanwhile under the old name is replaced.
fn move_back(from: &Path, to: &Path) -> bool {
    let flags = rustix::fs::RenameFlags::NOREPLACE;
    let cwd = rustix::fs::CWD;
    rustix::fs::renameat_with(cwd, from, cwd, to, flags).is_ok()
}

/// Removes what commands left whose clerk was killed. `records` is the directory of their records.
pub fn sweep(records: &Path) -> Vec<Farewell> {
    let mut farewells = Vec::new();
    let Ok(entries) = std::fs::read_dir(records) else {
        return farewells;
    };
    for entry in entries.flatten() {
        if entry.file_type().is_ok_and(|it| it.is_dir()) {
            remove_covers(&entry.path());
            continue;
        }
        // Most are empty, and stay for the next command.
        if entry.metadata().is_ok_and(|it| it.len() == 0) {
            continue;
        }
        let options = OpenOptions::new()
            .read(true)
            .append(true)
            .open(entry.path());
        let Ok(file) = options else { continue };
        if !try_lock(&file) {
            continue;
        }
        for line in BufReader::new(&file).lines().map_while(Result::ok) {
            farewells.extend(sweep_one(&line));
        }
        drop(file.set_len(0));
    }
    farewells
}

/// Removes the covers of a command whose record is gone, or belongs to a clerk that was killed.
fn remove_covers(directory: &Path) {
    let record = File::open(directory.with_extension(""));
    let lives = record.is_ok_and(|record| !try_lock(&record));
    let is_ours = directory.extension().is_some_and(|it| it == cover::ENDING);
    if is_ours && !lives {
        drop(std::fs::remove_dir_all(directory));
    }
}

fn sweep_one(line: &str) -> Option<Farewell> {
    let made = unescape(line.strip_prefix("made ")?)?;
    let made = String::from_utf8(made).ok()?;
    let (key, path) = made.split_once(' ')?;
    let path = PathBuf::from(path);
    let is_same = ObjectKey::at(&path).is_some_and(|it| it.to_text() == key);
    if !is_same {
        return None;
    }
    let is_directory = path.symlink_metadata().is_ok_and(|it| it.is_dir());
    let removed = if is_directory {
        std::fs::remove_dir(&path)
    } else {
        std::fs::remove_file(&path)
    };
    removed.ok().map(|()| Farewell::Removed(path))
}

/// Undoes `ascii::escape_default`.
fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next()? {
            b't' => b'\t',
            b'r' => b'\r',
            b'n' => b'\n',
            b'x' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            plain => plain,
        });
    }
    Some(bytes)
}
