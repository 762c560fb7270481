//! Paths as the rest of the workspace knows them: absolute ones, and ones inside a project.
//!
//! Purely lexical. Links are resolved by mk-project before a [`ProjectPath`] is trusted.

use std::fmt;
use std::path::{Component, Path, PathBuf};

/// Why a string names nothing inside the project.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    #[error("the path is empty")]
    Empty,
    #[error("`{0}` leaves the project")]
    Escapes(String),
    #[error("the path holds a NUL byte")]
    Nul,
    #[error("the path is longer than {0} bytes")]
    TooLong(usize),
}

/// The longest path that is looked at; Linux' own limit.
const LONGEST: usize = 4096;

/// A path inside a project: relative to the root, `/` between parts, no `.` or `..`; empty for the root itself.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProjectPath(Box<str>);

impl ProjectPath {
    /// Reads what a person or an agent wrote, without looking at the disk.
    ///
    /// 1. `\` counts as `/`: agents on Windows write it, and treating it as a name would hide a part from patterns.
    /// 2. An absolute path is accepted when it lies below `root`; a drive letter, a UNC path or a URL never is,
    ///    nor is `~/` or `~name/`, which the program that runs the tool may take for a home.
    /// 3. `.` and empty parts vanish; `..` takes one part back and must not pass the root.
    pub fn parse(text: &str, root: &AbsPath) -> Result<Self, PathError> {
        if text.is_empty() {
            return Err(PathError::Empty);
        }
        if text.len() > LONGEST {
            return Err(PathError::TooLong(LONGEST));
        }
        if text.contains('\0') {
            return Err(PathError::Nul);
        }
        let slashed = text.replace('\\', "/");
        let escapes = || PathError::Escapes(text.to_owned());
        let root = root.as_str().replace('\\', "/");
        let root = root.trim_end_matches('/');
        let relative = match slashed.strip_prefix(root) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => rest.trim_start_matches('/'),
            _ if slashed.starts_with('/') || is_elsewhere(&slashed) => return Err(escapes()),
            _ => slashed.as_str(),
        };
        let mut parts: Vec<&str> = Vec::new();
        for part in relative.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop().ok_or_else(escapes)?;
                }
                part => parts.push(part),
            }
        }
        Ok(Self(parts.join("/").into()))
    }

    /// The project's own directory.
    pub fn root() -> Self {
        Self("".into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The path on disk below `root`.
    pub fn under(&self, root: &AbsPath) -> PathBuf {
        if self.is_root() {
            root.as_path().to_owned()
        } else {
            root.as_path().join(&*self.0)
        }
    }
}

impl fmt::Display for ProjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_root() { "." } else { &self.0 })
    }
}

impl fmt::Debug for ProjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Whether a path with `/` between its parts means another place by its first part: a drive, a home, a URL.
pub fn is_elsewhere(slashed: &str) -> bool {
    let drive = matches!(slashed.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    let home = slashed == "~" || (slashed.starts_with('~') && slashed.contains('/'));
    drive || home || slashed.contains("://")
}

/// An absolute path with neither `.` nor `..` in it, valid UTF-8.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AbsPath(PathBuf);

impl AbsPath {
    /// Takes an absolute path; `..` is resolved lexically.
    pub fn new(path: &Path) -> Option<Self> {
        let mut clean = PathBuf::new();
        for component in path.components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => {
                    clean.pop();
                }
                Component::Normal(_) | Component::RootDir | Component::Prefix(_) => {
                    clean.push(component);
                }
            }
        }
        (path.is_absolute() && clean.to_str().is_some()).then_some(Self(clean))
    }

    /// `path` itself if it is absolute, else `path` below this one.
    pub fn join(&self, path: &Path) -> Option<Self> {
        Self::new(&self.0.join(path))
    }

    pub fn as_path(&self) -> &Path {
        &self.0
    }

    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }
}

impl fmt::Display for AbsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for AbsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
