//! Files as servers name them: `file:` addresses.

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};

use mk_types::{AbsPath, ProjectPath};

/// A file that a server speaks of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileRef {
    Inside(ProjectPath),
    /// A path elsewhere, or an address that is no file's.
    Outside(String),
}

impl fmt::Display for FileRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inside(path) => fmt::Display::fmt(path, f),
            Self::Outside(place) => f.write_str(place),
        }
    }
}

impl FileRef {
    pub(crate) fn parse(uri: &str, root: &AbsPath) -> Self {
        let Some(path) = to_path(uri) else {
            return Self::Outside(uri.to_owned());
        };
        let inside = AbsPath::new(&path)
            .filter(|path| path.as_path().starts_with(root.as_path()))
            .and_then(|path| ProjectPath::parse(path.as_str(), root).ok());
        match inside {
            Some(path) => Self::Inside(path),
            None => Self::Outside(path.to_string_lossy().into_owned()),
        }
    }

    /// Where it is on disk, unless it is no file.
    pub(crate) fn on_disk(&self, root: &AbsPath) -> Option<PathBuf> {
        match self {
            Self::Inside(path) => Some(path.under(root)),
            Self::Outside(path) => Path::new(path).is_absolute().then(|| PathBuf::from(path)),
        }
    }
}

/// The address of a file.
pub(crate) fn of_path(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(*byte));
            }
            // Writing to a string does not fail.
            _ => drop(write!(uri, "%{byte:02X}")),
        }
    }
    uri
}

/// The file that an address names; `None` for anything but a file of this machine.
pub(crate) fn to_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let encoded = rest.strip_prefix("localhost").unwrap_or(rest).as_bytes();
    if encoded.first() != Some(&b'/') {
        return None;
    }
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded;
    while let Some((first, tail)) = rest.split_first() {
        if let (b'%', [high, low, tail @ ..]) = (*first, tail) {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let byte = digit(*high)? * 16 + digit(*low)?;
            bytes.push(u8::try_from(byte).ok()?);
            rest = tail;
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}
