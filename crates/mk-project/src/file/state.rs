//! A file as it was found, and the single steps that change one: what plans, backups and writes have in common.

use std::fs::{File, Metadata};
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;

use mk_types::ProjectPath;
use sha2::{Digest as _, Sha256};

use super::diff::Diff;
use super::{FileText, LARGEST};
use crate::beneath::{RootDir, cannot_read, shown};
use crate::error::Error;

/// The permission bits that are kept. A program that gained rights by its old contents loses them with its new ones.
const KEPT_MODE: u32 = 0o777;

/// A file's bytes and what else a replacement must keep.
#[derive(Debug)]
pub(crate) struct FileState {
    pub(crate) bytes: Vec<u8>,
    pub(crate) mode: u32,
    pub(crate) owner: (u32, u32),
    pub(crate) stamp: ChangeStamp,
}

/// Tells whether somebody changed or replaced a file without reading it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChangeStamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl ChangeStamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }
}

/// One change of one name. `before` is what stood there when the change was planned.
#[derive(Debug)]
pub(crate) enum FileStep {
    Put {
        path: ProjectPath,
        before: Option<FileState>,
        bytes: Vec<u8>,
        /// As the file before it, or as the user's umask wants new files, if there is none.
        mode: Option<u32>,
    },
    Remove {
        path: ProjectPath,
        before: FileState,
    },
    Rename {
        from: ProjectPath,
        to: ProjectPath,
    },
}

impl FileStep {
    /// What it would change, if that is text.
    pub(crate) fn diff_to_decide(&self) -> Option<Diff> {
        let text = |bytes: &[u8]| FileText::decode(bytes).map(|it| it.text);
        match self {
            Self::Put { before, bytes, .. } => {
                let old = match before {
                    Some(before) => text(&before.bytes)?,
                    None => String::new(),
                };
                Some(Diff::to_decide(&old, &text(bytes)?))
            }
            Self::Remove { before, .. } => Some(Diff::to_decide(&text(&before.bytes)?, "")),
            Self::Rename { .. } => None,
        }
    }
}

impl FileState {
    /// Reads a regular file of at most [`LARGEST`] bytes.
    pub(crate) fn read(root: &RootDir, path: &ProjectPath) -> Result<Self, Error> {
        Self::read_open(root.open_file(path)?, path)
    }

    /// The same; `None` if there is no such file.
    pub(crate) fn find(root: &RootDir, path: &ProjectPath) -> Result<Option<Self>, Error> {
        match Self::read(root, path) {
            Ok(state) => Ok(Some(state)),
            Err(Error::Missing { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn read_open(file: File, path: &ProjectPath) -> Result<Self, Error> {
        let failed = |source| cannot_read(path, source);
        // Taken before the bytes, so that a change while they are read is noticed later.
        let metadata = file.metadata().map_err(failed)?;
        let mut size = metadata.len();
        let mut bytes = Vec::new();
        if size <= LARGEST {
            // The file may grow while it is read.
            let read = file.take(LARGEST + 1).read_to_end(&mut bytes);
            size = read.map_err(failed)? as u64;
        }
        if size > LARGEST {
            return Err(Error::TooLarge {
                path: shown(path),
                size,
                limit: LARGEST,
            });
        }
        Ok(Self {
            bytes,
            mode: metadata.mode() & KEPT_MODE,
            owner: (metadata.uid(), metadata.gid()),
            stamp: ChangeStamp::of(&metadata),
        })
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.mode & 0o222 == 0
    }
}

/// The name of a file's contents: the first 64 bits of their SHA-256.
///
/// It must be the same in every process and version, and nobody should be able to make an edit pass for one that was
/// seen; std's hashers promise neither. 64 bits are ample to tell apart the states of one file.
pub(crate) fn revision_of(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
