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
    #[error("`{path}` is too large: {size} bytes, at most {limit} are read")]
    TooLarge {
        path: PathBuf,
        size: u64,
        limit: u64,
    },
    #[error("`{path}` is not UTF-8 text (byte {offset})")]
    NotText { path: PathBuf, offset: usize },
    #[error("`{path}` already exists")]
    Exists { path: PathBuf },
    #[error("cannot write `{path}`")]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the permit for `{tool}` names no file")]
    NoTarget { tool: String },
    #[error("file not found: {path}")]
    Missing { path: PathBuf },
    #[error("`{path}` is a symbolic link, or its path contains one that has changed")]
    Link { path: PathBuf },
    #[error("`{path}` is not a directory")]
    NotAFolder { path: PathBuf },
    #[error("`{path}` is not text ({size} bytes)")]
    Binary { path: PathBuf, size: u64 },
    /// Somebody else changed it since it was read; `diff` shows what the caller has not seen.
    #[error("`{path}` has changed since it was read")]
    Changed {
        path: PathBuf,
        revision: String,
        diff: String,
    },
    #[error("`{path}` has {total} lines; line {line} does not exist")]
    NoSuchLine {
        path: PathBuf,
        line: i64,
        total: usize,
    },
    #[error("`{text}` does not occur in `{path}`")]
    NoMatch { path: PathBuf, text: String },
    /// The lines at which it occurs, counted from 1.
    #[error("`{text}` occurs {} times in `{path}`", lines.len())]
    Ambiguous {
        path: PathBuf,
        text: String,
        lines: Vec<usize>,
    },
    #[error("`{pattern}` is not a pattern: {reason}")]
    BadPattern { pattern: String, reason: String },
    #[error("expected {expected} matches, found {count}")]
    UnexpectedCount { count: usize, expected: usize },
    #[error("`{name}` is not a valid memory name: {reason}")]
    BadMemoryName { name: String, reason: &'static str },
    #[error("there is no memory `{name}`")]
    NoMemory { name: String, nearest: Vec<String> },
    #[error("memory `{name}` is read-only")]
    ReadOnlyMemory { name: String },
    #[error("memory `{name}` already exists")]
    MemoryExists { name: String },
    #[error("`{path}` appears in two edits of the same call")]
    NamedTwice { path: PathBuf },
    /// Another process holds the lock and does not let go.
    #[error("another process is changing this project (`{path}` is locked)")]
    Busy { path: PathBuf },
    #[error("there is no backup `{id}`")]
    NoBackup { id: String },
    #[error("the work was cancelled")]
    Cancelled,
}

impl Error {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Read { .. } => Some("check that the file exists and that you may read it"),
            Self::NotAFile { .. } => {
                Some("only regular files are read; replace the directory, pipe or device")
            }
            Self::TooLarge { .. } => Some("split the file"),
            Self::NotText { .. } => Some("save the file as UTF-8"),
            Self::Exists { .. } => Some("move it away first, or edit it"),
            Self::Write { .. } => Some("check that the directory exists and is writable"),
            Self::Link { .. } => Some("name the file itself instead of the link"),
            Self::NotAFolder { .. } => Some("give a directory"),
            Self::Binary { .. } => Some("only text is read; look at the file with another program"),
            Self::Changed { .. } => Some("read the file again, then repeat the change"),
            Self::NoSuchLine { .. } => {
                Some("lines are counted from 1; negative numbers count from the end")
            }
            Self::NoMatch { .. } => {
                Some("read the file: the text must match exactly, with its white space")
            }
            Self::Ambiguous { .. } => {
                Some("add lines before and after until only one place matches, or replace all")
            }
            Self::BadPattern { .. } => {
                Some("escape special characters, or search for literal text")
            }
            Self::UnexpectedCount { .. } => Some("look at the places with a dry run first"),
            Self::BadMemoryName { .. } => {
                Some("write words with `/` between topics, like `architecture/storage`")
            }
            Self::ReadOnlyMemory { .. } => {
                Some("write another memory, or ask the user to change this one")
            }
            Self::MemoryExists { .. } => Some("choose another name, or delete the other one first"),
            Self::NamedTwice { .. } => {
                Some("join the edits of a file, or make them one call after the other")
            }
            Self::Busy { .. } => Some("try again; nothing was changed"),
            // Where to look depends on the reader: a face says it.
            Self::Missing { .. } | Self::NoMemory { .. } | Self::NoBackup { .. } => None,
            Self::NoTarget { .. } | Self::Cancelled => None,
        }
    }
}
