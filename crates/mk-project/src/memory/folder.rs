//! A folder of memories on disk. Nothing in it is reached through a link, and a file is replaced whole or not at all.

use std::fs::{File, Permissions};
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use mk_types::{AbsPath, PathError, ProjectPath, Timestamp};
use rustix::fs::{self, AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::beneath::{
    RootDir, cannot_read, cannot_write, is_temporary, rename_new_in, shown, sync_folder,
    temporary_name,
};
use crate::error::Error;

const ENDING: &str = ".md";
/// A person may have written more than a tool may write.
const LARGEST_READ: u64 = 4 * 1024 * 1024;
const MOST_FILES: usize = 10_000;
/// Folders and files of other kinds are looked at too, but not for ever.
const MOST_ENTRIES: usize = 100_000;
/// No write takes this long.
const LEFTOVER_SECONDS: i64 = 3600;

/// Where memories are kept; the folder itself may not be there yet.
#[derive(Debug)]
pub(super) struct Folder {
    /// A folder whose owner chose the way to it.
    anchor: AbsPath,
    /// From there on no link is followed.
    below: String,
}

/// A memory's file.
#[derive(Debug)]
pub(super) struct MemoryFile {
    /// Without the ending.
    pub(super) name: String,
    pub(super) size: u64,
    pub(super) modified: Timestamp,
}

impl Folder {
    pub(super) fn in_project(root: &AbsPath, below: &str) -> Self {
        Self {
            anchor: root.clone(),
            below: below.to_owned(),
        }
    }

    /// A folder that belongs to the user's configuration.
    pub(super) fn own(path: AbsPath) -> Self {
        Self {
            anchor: path,
            below: String::new(),
        }
    }

    pub(super) fn anchor(&self) -> &AbsPath {
        &self.anchor
    }

    /// The file of a memory, below the anchor, whether or not it is there.
    pub(super) fn file(&self, name: &str) -> Result<ProjectPath, PathError> {
        ProjectPath::parse(&format!("{}/{name}{ENDING}", self.below), &self.anchor)
    }

    /// `None` if nobody has written a memory yet.
    pub(super) fn open(&self) -> Result<Option<MemoryDirectory>, Error> {
        let opened = RootDir::open(&self.anchor).and_then(|root| {
            let store = MemoryDirectory {
                root,
                below: self.below.clone(),
            };
            store.root.open_dir(&store.folder()?)?;
            Ok(store)
        });
        match opened {
            Ok(store) => Ok(Some(store)),
            Err(Error::Missing { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn create(&self) -> Result<MemoryDirectory, Error> {
        if self.below.is_empty() {
            let path = self.anchor.as_path();
            std::fs::create_dir_all(path).map_err(|source| Error::Write {
                path: path.to_owned(),
                source,
            })?;
        }
        let store = MemoryDirectory {
            root: RootDir::open(&self.anchor)?,
            below: self.below.clone(),
        };
        store.root.make_dirs(&store.folder()?)?;
        Ok(store)
    }

    pub(super) fn list(&self) -> Result<Vec<MemoryFile>, Error> {
        self.open()?
            .map_or_else(|| Ok(Vec::new()), |store| store.list())
    }
}

/// What a memory's new file is to be.
struct MemoryContent<'a> {
    text: &'a str,
    /// Those of the file it replaces.
    permissions: Option<Permissions>,
}

/// An open folder of memories. Names are those of [`super::MemoryName`], without `global/`.
#[derive(Debug)]
pub(super) struct MemoryDirectory {
    root: RootDir,
    below: String,
}

impl MemoryDirectory {
    /// One change at a time, in all processes. Held for the time of one small file's write.
    pub(super) fn lock(&self) -> Result<File, Error> {
        let folder = self.folder()?;
        let lock = File::from(self.root.open_dir(&folder)?);
        lock.lock()
            .map_err(|source| cannot_write(&folder, source))?;
        Ok(lock)
    }

    /// Tells one folder from another, whatever they are called.
    pub(super) fn identity(&self) -> Result<(u64, u64), Error> {
        let path = self.folder()?;
        let folder = File::from(self.root.open_dir(&path)?);
        let metadata = folder
            .metadata()
            .map_err(|source| cannot_read(&path, source))?;
        Ok((metadata.dev(), metadata.ino()))
    }

    /// The file of a memory, below the anchor.
    pub(super) fn path(&self, name: &str) -> Result<ProjectPath, Error> {
        self.parse(&format!("{}/{name}{ENDING}", self.below))
    }

    pub(super) fn read(&self, name: &str) -> Result<Option<String>, Error> {
        let path = self.path(name)?;
        let file = match self.root.open_file(&path) {
            Ok(file) => file,
            Err(Error::Missing { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut bytes = Vec::new();
        let size = file
            .take(LARGEST_READ + 1)
            .read_to_end(&mut bytes)
            .map_err(|source| cannot_read(&path, source))? as u64;
        if size > LARGEST_READ {
            return Err(Error::TooLarge {
                path: shown(&path),
                size,
                limit: LARGEST_READ,
            });
        }
        String::from_utf8(bytes)
            .map(Some)
            .map_err(|error| Error::NotText {
                path: shown(&path),
                offset: error.utf8_error().valid_up_to(),
            })
    }

    /// Whether there is such a memory; something else of that name is an error.
    pub(super) fn holds(&self, name: &str) -> Result<bool, Error> {
        match self.root.open_file(&self.path(name)?) {
            Ok(_) => Ok(true),
            Err(Error::Missing { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Writes a memory, over the one that is there.
    pub(super) fn replace(&self, name: &str, content: &str) -> Result<(), Error> {
        let path = self.path(name)?;
        let permissions = match self.root.open_file(&path) {
            Ok(file) => file.metadata().ok().map(|metadata| metadata.permissions()),
            Err(Error::Missing { .. }) => None,
            Err(error) => return Err(error),
        };
        let content = MemoryContent {
            text: content,
            permissions,
        };
        self.put(&path, &content, |folder, temporary, target| {
            fs::renameat(folder, temporary, folder, target)
        })
    }

    /// Writes a memory unless there is one of that name; answers whether it did.
    pub(super) fn create(&self, name: &str, content: &str) -> Result<bool, Error> {
        let path = self.path(name)?;
        let mut is_taken = false;
        let content = MemoryContent {
            text: content,
            permissions: None,
        };
        let put = self.put(&path, &content, |folder, temporary, target| {
            let renamed = rename_new_in((folder, temporary), (folder, target));
            is_taken = renamed == Err(Errno::EXIST);
            renamed
        });
        if is_taken {
            return Ok(false);
        }
        put.map(|()| true)
    }

    /// Removes a memory, and the topics that are empty then.
    pub(super) fn remove(&self, name: &str) -> Result<(), Error> {
        let path = self.path(name)?;
        let (folder, file) = self.root.open_parent(&path)?;
        fs::unlinkat(&folder, file, AtFlags::empty())
            .and_then(|()| sync_folder(folder.as_fd()))
            .map_err(|errno| cannot_write(&path, errno))?;
        for topic in Path::new(name).ancestors().skip(1) {
            let topic = topic.to_str().unwrap_or_default();
            if !topic.is_empty() {
                self.root
                    .remove_if_empty(&self.parse(&format!("{}/{topic}", self.below))?);
            }
        }
        Ok(())
    }

    fn list(&self) -> Result<Vec<MemoryFile>, Error> {
        let mut files = Vec::new();
        let mut todo = vec![String::new()];
        let mut n_seen = 0;
        while let Some(topic) = todo.pop() {
            let path = self.parse(&format!("{}/{topic}", self.below))?;
            let entries = self.root.open_dir(&path).map(Dir::new);
            // A topic may go while the others are listed.
            let Ok(Ok(entries)) = entries else { continue };
            let folder = self.root.open_dir(&path)?;
            for entry in entries.flatten() {
                n_seen += 1;
                if files.len() >= MOST_FILES || n_seen > MOST_ENTRIES {
                    tracing::warn!(folder = %path, "there are more memories than are listed");
                    return Ok(files);
                }
                let Ok(name) = entry.file_name().to_str() else {
                    continue;
                };
                if name.starts_with('.') {
                    continue;
                }
                let Ok(stat) = fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) else {
                    continue;
                };
                let name = if topic.is_empty() {
                    name.to_owned()
                } else {
                    format!("{topic}/{name}")
                };
                match (
                    FileType::from_raw_mode(stat.st_mode),
                    name.strip_suffix(ENDING),
                ) {
                    (FileType::Directory, _) => todo.push(name),
                    (FileType::RegularFile, Some(name)) => files.push(MemoryFile {
                        name: name.to_owned(),
                        size: u64::try_from(stat.st_size).unwrap_or(0),
                        modified: modified(&stat),
                    }),
                    _ => {}
                }
            }
        }
        Ok(files)
    }

    /// Writes a file beside its target, complete and on disk, and lets `name_it` give it the target's name.
    fn put(
        &self,
        path: &ProjectPath,
        content: &MemoryContent<'_>,
        name_it: impl FnOnce(BorrowedFd<'_>, &str, &str) -> Result<(), Errno>,
    ) -> Result<(), Error> {
        let failed = |errno: Errno| cannot_write(path, errno);
        let (parent, target) = self.root.split(path)?;
        let folder = self.root.make_dirs(&parent)?;
        let temporary = temporary_name();
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // The user's umask takes from it what the user wants taken.
        let mode = Mode::from_raw_mode(0o666);
        let file = fs::openat(&folder, &temporary, flags, mode).map_err(failed)?;
        let mut file = File::from(file);
        sweep(folder.as_fd(), &file);
        let written = file
            .write_all(content.text.as_bytes())
            .and_then(|()| match &content.permissions {
                Some(permissions) => file.set_permissions(permissions.clone()),
                None => Ok(()),
            })
            .and_then(|()| file.sync_all())
            .map_err(|source| cannot_write(path, source))
            .and_then(|()| name_it(folder.as_fd(), &temporary, target).map_err(failed));
        if written.is_err() {
            // Best effort: the error that counts is the first one.
            fs::unlinkat(&folder, &temporary, AtFlags::empty()).ok();
        }
        written?;
        sync_folder(folder.as_fd()).map_err(failed)
    }

    fn folder(&self) -> Result<ProjectPath, Error> {
        self.parse(&format!("{}/", self.below))
    }

    fn parse(&self, path: &str) -> Result<ProjectPath, Error> {
        let path = path.trim_start_matches('/');
        let path = if path.is_empty() { "." } else { path };
        ProjectPath::parse(path, self.root.root()).map_err(|_| Error::BadMemoryName {
            name: path.to_owned(),
            reason: "it leaves the memory directory",
        })
    }
}

/// Removes what processes left that were killed while they wrote: files older by far than the one just made.
fn sweep(folder: BorrowedFd<'_>, just_made: &File) -> Option<()> {
    let now = just_made.metadata().ok()?.mtime();
    for entry in Dir::read_from(folder).ok()?.flatten() {
        let Some(name) = entry
            .file_name()
            .to_str()
            .ok()
            .filter(|name| is_temporary(name))
        else {
            continue;
        };
        let stat = fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        if now - stat.st_mtime > LEFTOVER_SECONDS {
            fs::unlinkat(folder, name, AtFlags::empty()).ok()?;
        }
    }
    Some(())
}

fn modified(stat: &fs::Stat) -> Timestamp {
    let millis = stat.st_mtime.saturating_mul(1000);
    let nanos = i64::try_from(stat.st_mtime_nsec).unwrap_or(0);
    Timestamp::from_millis(millis.saturating_add(nanos / 1_000_000))
}
