//! What a project's disk could not give us.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read `{path}`")]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("`{path}` is not a regular file")]
    NotAFile { path: PathBuf },
    #[error("`{path}` has {size} bytes, more than the {limit} that are read")]
    TooLarge {
        path: PathBuf,
        size: u64,
        limit: u64,
    },
    #[error("`{path}` is not UTF-8 text (byte {offset})")]
    NotText { path: PathBuf, offset: usize },
    #[error("`{path}` exists already")]
    Exists { path: PathBuf },
    #[error("cannot write `{path}`")]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the permit for `{tool}` names no file")]
    NoTarget { tool: String },
}

impl Error {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Read { .. } => Some("check that the file exists and that you may read it"),
            Self::NotAFile { .. } => {
                Some("only regular files are read; replace the folder, pipe or device")
            }
            Self::TooLarge { .. } => Some("split the file"),
            Self::NotText { .. } => Some("save the file as UTF-8"),
            Self::Exists { .. } => Some("move it away first, or edit it"),
            Self::Write { .. } => Some("check that the folder exists and that you may write there"),
            Self::NoTarget { .. } => None,
        }
    }
}
