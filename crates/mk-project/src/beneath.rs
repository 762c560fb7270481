//! The project's folder held open. Every open goes through it, one part of the path at a time, and follows no link.
//!
//! Links are resolved before the policy decides; one that is met here was put there since, by somebody who wants the
//! decision about one file to count for another. What a file holds is not looked at here.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use mk_types::{AbsPath, ProjectPath, random_symbols};
use rustix::fs::{self, AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::error::Error;
use crate::root::DirectoryIdentity;

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
/// Without `NONBLOCK` the open of a pipe waits for somebody who writes.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);
/// The user's umask takes from it what the user wants taken.
const NEW_FOLDER: Mode = Mode::RWXU.union(Mode::RWXG).union(Mode::RWXO);

/// A project's folder, open. It stays the same folder when somebody renames it or puts another in its place.
#[derive(Debug)]
pub struct RootDir {
    root: AbsPath,
    fd: File,
}

impl RootDir {
    /// Opens the folder. The root itself may be reached through links: the person who named it chose them.
    pub fn open(root: &AbsPath) -> Result<Self, Error> {
        let flags = FOLDER.difference(OFlags::NOFOLLOW);
        let fd = fs::open(root.as_path(), flags, Mode::empty()).map_err(|errno| {
            let path = root.as_path().to_owned();
            match errno {
                Errno::NOENT => Error::Missing { path },
                Errno::NOTDIR => Error::NotAFolder { path },
                errno => Error::Read {
                    path,
                    source: errno.into(),
                },
            }
        })?;
        Ok(Self {
            root: root.clone(),
            fd: File::from(fd),
        })
    }

    /// What is open here, whatever its name leads to by now.
    pub fn identity(&self) -> Option<DirectoryIdentity> {
        Some(DirectoryIdentity::of_metadata(&self.fd.metadata().ok()?))
    }

    pub fn root(&self) -> &AbsPath {
        &self.root
    }

    /// Opens a regular file for reading; anything else is refused before it is opened, because opening a device can
    /// do something.
    pub(crate) fn open_file(&self, path: &ProjectPath) -> Result<File, Error> {
        let (folder, name) = self.open_parent(path)?;
        open_file_in(folder.as_fd(), name, path)
    }

    pub(crate) fn open_dir(&self, path: &ProjectPath) -> Result<OwnedFd, Error> {
        let mut folder = self.reopen()?;
        for (part, so_far) in parts(path) {
            folder = open_part(folder.as_fd(), part, so_far, path)?;
        }
        Ok(folder)
    }

    /// Opens the folder, creating what is missing of it.
    pub(crate) fn make_dirs(&self, path: &ProjectPath) -> Result<OwnedFd, Error> {
        let mut folder = self.reopen()?;
        for (part, so_far) in parts(path) {
            folder = match open_part(folder.as_fd(), part, so_far, path) {
                Err(Error::Missing { .. }) => {
                    let failed = |errno| cannot_write(path, errno);
                    match fs::mkdirat(&folder, part, NEW_FOLDER) {
                        // Somebody else was faster; the open decides whether it is a folder.
                        Ok(()) | Err(Errno::EXIST) => {}
                        Err(errno) => return Err(failed(errno)),
                    }
                    sync_folder(folder.as_fd()).map_err(failed)?;
                    open_part(folder.as_fd(), part, so_far, path)?
                }
                opened => opened?,
            };
        }
        Ok(folder)
    }

    /// The folder a path is in, open, and the path's last part.
    pub(crate) fn open_parent<'a>(
        &self,
        path: &'a ProjectPath,
    ) -> Result<(OwnedFd, &'a str), Error> {
        let (parent, name) = self.split(path)?;
        match self.open_dir(&parent) {
            Ok(folder) => Ok((folder, name)),
            // What the caller asked for is the file.
            Err(Error::Missing { .. }) => Err(Error::Missing { path: shown(path) }),
            Err(Error::Link { .. }) => Err(Error::Link { path: shown(path) }),
            Err(error) => Err(error),
        }
    }

    /// A path's folder and its last part; the root has neither.
    pub(crate) fn split<'a>(&self, path: &'a ProjectPath) -> Result<(ProjectPath, &'a str), Error> {
        let (parent, name) = path
            .as_str()
            .rsplit_once('/')
            .unwrap_or(("", path.as_str()));
        if name.is_empty() {
            return Err(Error::NotAFile { path: shown(path) });
        }
        let parent = if parent.is_empty() { "." } else { parent };
        let parent = ProjectPath::parse(parent, &self.root)
            .map_err(|_| Error::NotAFolder { path: shown(path) })?;
        Ok((parent, name))
    }

    /// The folders above `path` that are not there, outermost first.
    pub(crate) fn missing_folders(&self, path: &ProjectPath) -> Result<Vec<ProjectPath>, Error> {
        let (parent, _) = self.split(path)?;
        let mut missing = Vec::new();
        let mut folder = Some(self.reopen()?);
        for (part, so_far) in parts(&parent) {
            folder = match folder
                .map(|folder| open_part(folder.as_fd(), part, so_far, path))
                .transpose()
            {
                Ok(Some(inner)) => Some(inner),
                Ok(None) | Err(Error::Missing { .. }) => {
                    let folder = ProjectPath::parse(so_far, &self.root)
                        .map_err(|_| Error::NotAFolder { path: shown(path) })?;
                    missing.push(folder);
                    None
                }
                Err(error) => return Err(error),
            };
        }
        Ok(missing)
    }

    /// Removes a folder if nothing is in it; a folder that somebody uses stays.
    pub(crate) fn remove_if_empty(&self, path: &ProjectPath) {
        if let Ok((folder, name)) = self.open_parent(path) {
            let _ = fs::unlinkat(&folder, name, AtFlags::REMOVEDIR);
        }
    }

    fn reopen(&self) -> Result<OwnedFd, Error> {
        fs::openat(&self.fd, ".", FOLDER, Mode::empty()).map_err(|errno| Error::Read {
            path: self.root.as_path().to_owned(),
            source: errno.into(),
        })
    }
}

/// Opens a regular file in a folder that is already open.
pub(crate) fn open_file_in(
    folder: BorrowedFd<'_>,
    name: &str,
    path: &ProjectPath,
) -> Result<File, Error> {
    match kind_of(folder, name) {
        Some(FileType::RegularFile) | None => {}
        Some(FileType::Symlink) => return Err(Error::Link { path: shown(path) }),
        Some(_) => return Err(Error::NotAFile { path: shown(path) }),
    }
    let fd = fs::openat(folder, name, FILE, Mode::empty()).map_err(|errno| match errno {
        Errno::NOENT => Error::Missing { path: shown(path) },
        Errno::LOOP | Errno::MLINK => Error::Link { path: shown(path) },
        Errno::NXIO | Errno::NODEV => Error::NotAFile { path: shown(path) },
        errno => cannot_read(path, errno),
    })?;
    let file = File::from(fd);
    let metadata = file.metadata().map_err(|source| Error::Read {
        path: shown(path),
        source,
    })?;
    if metadata.is_file() {
        Ok(file)
    } else {
        Err(Error::NotAFile { path: shown(path) })
    }
}

/// Makes what happened in a folder survive a loss of power.
pub(crate) fn sync_folder(folder: BorrowedFd<'_>) -> Result<(), Errno> {
    match fs::fsync(folder) {
        // Some file systems cannot do this with folders; they lose nothing that others keep.
        Err(Errno::INVAL) => Ok(()),
        synced => synced,
    }
}

/// Renames unless the new name is taken.
pub(crate) fn rename_new_in(
    from: (BorrowedFd<'_>, &str),
    to: (BorrowedFd<'_>, &str),
) -> Result<(), Errno> {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    match fs::renameat_with(from.0, from.1, to.0, to.1, fs::RenameFlags::NOREPLACE) {
        // The file system does not know the flag.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
        renamed => return renamed,
    }
    fs::linkat(from.0, from.1, to.0, to.1, AtFlags::empty())?;
    fs::unlinkat(from.0, from.1, AtFlags::empty())
}

/// The name of a file that is written beside its target before it takes the target's name.
pub(crate) fn temporary_name() -> String {
    format!(".modekeeper-{}.tmp", random_symbols(12))
}

pub(crate) fn is_temporary(name: &str) -> bool {
    name.starts_with(".modekeeper-") && name.ends_with(".tmp")
}

/// The path as errors show it: as the caller knows it, below the root.
pub(crate) fn shown(path: &ProjectPath) -> PathBuf {
    PathBuf::from(path.to_string())
}

pub(crate) fn cannot_read(path: &ProjectPath, source: impl Into<io::Error>) -> Error {
    Error::Read {
        path: shown(path),
        source: source.into(),
    }
}

pub(crate) fn cannot_write(path: &ProjectPath, source: impl Into<io::Error>) -> Error {
    Error::Write {
        path: shown(path),
        source: source.into(),
    }
}

/// Each part of a path, with the path up to and including it.
fn parts(path: &ProjectPath) -> impl Iterator<Item = (&str, &str)> {
    let text = path.as_str();
    let ends = text
        .match_indices('/')
        .map(|(end, _)| end)
        .chain([text.len()]);
    ends.filter_map(move |end| {
        let so_far = text.get(..end)?;
        let part = so_far.rsplit('/').next()?;
        (!part.is_empty()).then_some((part, so_far))
    })
}

fn open_part(
    folder: BorrowedFd<'_>,
    part: &str,
    so_far: &str,
    path: &ProjectPath,
) -> Result<OwnedFd, Error> {
    fs::openat(folder, part, FOLDER, Mode::empty()).map_err(|errno| match errno {
        Errno::NOENT => Error::Missing { path: shown(path) },
        Errno::LOOP | Errno::MLINK => Error::Link { path: shown(path) },
        // Linux says the same of a link and of a file; which it was matters for the answer only.
        Errno::NOTDIR if kind_of(folder, part) == Some(FileType::Symlink) => {
            Error::Link { path: shown(path) }
        }
        Errno::NOTDIR => Error::NotAFolder {
            path: PathBuf::from(so_far),
        },
        errno => cannot_read(path, errno),
    })
}

fn kind_of(folder: BorrowedFd<'_>, name: &str) -> Option<FileType> {
    let stat = fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(FileType::from_raw_mode(stat.st_mode))
}
