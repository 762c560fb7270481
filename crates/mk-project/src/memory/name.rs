//! What a memory may be called: words with `/` between topics, on every system a file's name below one folder.

use std::fmt;

use crate::error::Error;

const LONGEST: usize = 200;
/// Most file systems take 255 bytes for a part; the ending and a temporary name's prefix need some.
const LONGEST_PART: usize = 200;
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];
const NUMBERED_DEVICES: [&str; 2] = ["com", "lpt"];

/// A memory's name, without `mem:` and `.md`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemoryName(String);

impl MemoryName {
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut name = text.trim();
        while let Some(rest) = name.strip_prefix("mem:") {
            name = rest;
        }
        while let Some(rest) = name.strip_suffix(".md") {
            name = rest;
        }
        match fault_of(name) {
            None => Ok(Self(name.to_owned())),
            Some(reason) => Err(Error::BadMemoryName {
                name: text.chars().take(LONGEST).collect(),
                reason,
            }),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MemoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for MemoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn fault_of(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("it is empty")
    } else if name.chars().count() > LONGEST {
        Some("it is longer than 200 characters")
    } else if name.starts_with('/') {
        Some("it is an absolute path")
    } else if name.contains('\\') {
        Some("topics are separated by `/`")
    } else if name.contains(['<', '>', ':', '"', '|', '?', '*'])
        || name.chars().any(char::is_control)
    {
        Some("it has a character that no file's name may have")
    } else {
        name.split('/').find_map(fault_of_part)
    }
}

fn fault_of_part(part: &str) -> Option<&'static str> {
    if part.is_empty() {
        Some("a part of it is empty")
    } else if part.starts_with('.') {
        Some("one of its parts starts with a dot")
    } else if part.ends_with(['.', ' ']) || part.starts_with(' ') {
        Some("one of its parts starts or ends with a space, or ends with a dot")
    } else if part.len() > LONGEST_PART {
        Some("a part of it is longer than 200 bytes")
    } else if is_device(part) {
        Some("a part of it is a device's name on Windows")
    } else {
        None
    }
}

/// `con.anything` is the device too.
fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).trim_end();
    let stem = stem.to_ascii_lowercase();
    let number = NUMBERED_DEVICES
        .iter()
        .find_map(|device| stem.strip_prefix(device));
    DEVICES.contains(&stem.as_str())
        || number.is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']))
}
