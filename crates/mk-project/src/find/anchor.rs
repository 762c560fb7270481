//! A folder that is held open, and what is below it, reached through no link at all.
//!
//! `openat2` on Linux, one call for a whole path, because a search opens every file; elsewhere one part of the path
//! after the other, as [`crate::RootDir`] does everywhere.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::error::Error;

#[derive(Debug)]
pub(crate) struct WalkAnchor {
    folder: File,
}

/// What an entry is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenPurpose {
    /// To learn its kind and size; a link is not followed but looked at.
    Look,
    Read,
}

impl WalkAnchor {
    /// Opens the folder itself; links on the way to it are its owner's.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match rustix::fs::open(path, flags, Mode::empty()) {
            Ok(folder) => Ok(Self {
                folder: folder.into(),
            }),
            Err(errno) => Err(unopened(path.to_owned(), errno.into())),
        }
    }

    /// Makes sure that `path` is a folder below, reached through no link.
    pub(crate) fn check_folder(&self, path: &str) -> Result<(), Error> {
        if path.is_empty() {
            return Ok(());
        }
        let shown = || PathBuf::from(path);
        let entry = self
            .open_below(path, OpenPurpose::Look)
            .map_err(|source| unopened(shown(), source))?;
        let kind = entry
            .metadata()
            .map_err(|source| unopened(shown(), source))?
            .file_type();
        if kind.is_symlink() {
            Err(Error::Link { path: shown() })
        } else if kind.is_dir() {
            Ok(())
        } else {
            Err(Error::NotAFolder { path: shown() })
        }
    }

    /// Opens a file below for reading, without waiting for the other end of a pipe; its kind is the caller's to check.
    pub(crate) fn open_file(&self, path: &str) -> io::Result<File> {
        self.open_below(path, OpenPurpose::Read)
    }

    /// The size of an entry below, if there is one.
    pub(crate) fn size(&self, path: &str) -> Option<u64> {
        let entry = self.open_below(path, OpenPurpose::Look).ok()?;
        entry.metadata().ok().map(|metadata| metadata.len())
    }

    #[cfg(target_os = "linux")]
    fn open_below(&self, path: &str, purpose: OpenPurpose) -> io::Result<File> {
        use rustix::fs::ResolveFlags;
        let flags = match purpose {
            OpenPurpose::Look => OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC,
            OpenPurpose::Read => {
                OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY
            }
        };
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match rustix::fs::openat2(&self.folder, path, flags, Mode::empty(), resolve) {
            Ok(file) => Ok(File::from(file)),
            // Kernels before 5.6, and sandboxes that do not know it.
            Err(Errno::NOSYS | Errno::PERM) => self.open_by_parts(path, purpose),
            Err(error) => Err(error.into()),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn open_below(&self, path: &str, purpose: OpenPurpose) -> io::Result<File> {
        self.open_by_parts(path, purpose)
    }

    /// Opens one folder after the other, each by its name in the last.
    fn open_by_parts(&self, path: &str, purpose: OpenPurpose) -> io::Result<File> {
        let mut folder = self.folder.try_clone()?;
        let (parents, name) = path.rsplit_once('/').unwrap_or(("", path));
        let step = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for part in parents.split('/').filter(|part| !part.is_empty()) {
            folder = rustix::fs::openat(&folder, part, step, Mode::empty())?.into();
        }
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        #[cfg(target_os = "linux")]
        let flags = match purpose {
            OpenPurpose::Look => OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC,
            OpenPurpose::Read => flags,
        };
        #[cfg(not(target_os = "linux"))]
        let _purpose = purpose;
        Ok(rustix::fs::openat(&folder, name, flags, Mode::empty())?.into())
    }
}

fn unopened(path: PathBuf, source: io::Error) -> Error {
    match source.kind() {
        io::ErrorKind::NotFound => Error::Missing { path },
        io::ErrorKind::NotADirectory => Error::NotAFolder { path },
        _ if is_link(&source) => Error::Link { path },
        _ => Error::Read { path, source },
    }
}

fn is_link(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::LOOP | Errno::XDEV | Errno::MLINK)
    )
}
