//! The conversation as a file for a bug report, without secrets.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde_json::{Value, json};

use crate::error::Error;

/// Which way a line went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineDirection {
    FromEditor,
    ToAgent,
    FromAgent,
    ToEditor,
}

#[derive(Debug)]
pub(crate) struct TraceFile {
    file: Mutex<BufWriter<File>>,
    since: Instant,
}

/// A longer line is cut: what is long in a conversation is the content of files.
const LONGEST: usize = 16 * 1024;

impl TraceFile {
    /// Only its owner can read it.
    pub(crate) fn create(path: &Path) -> Result<Self, Error> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let file = options.open(path).map_err(|source| Error::Trace {
            file: path.display().to_string(),
            source,
        })?;
        Ok(Self {
            file: Mutex::new(BufWriter::new(file)),
            since: Instant::now(),
        })
    }

    pub(crate) fn write(&self, heard: LineDirection, line: &[u8]) {
        let direction = match heard {
            LineDirection::FromEditor => "editor → proxy",
            LineDirection::ToAgent => "proxy → agent",
            LineDirection::FromAgent => "agent → proxy",
            LineDirection::ToEditor => "proxy → editor",
        };
        let message = match serde_json::from_slice::<Value>(line) {
            Ok(mut message) => {
                hide(&mut message);
                message
            }
            Err(_) => Value::from(hide_text(&String::from_utf8_lossy(line))),
        };
        let milliseconds = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        let entry = json!({ "ms": milliseconds, "direction": direction, "message": message });
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // A full disk must not end a conversation.
        let written = writeln!(file, "{entry}").and_then(|()| file.flush());
        if let Err(error) = written {
            tracing::warn!(%error, "the trace cannot be written");
        }
    }

    pub(crate) fn finish(&self) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = file.flush() {
            tracing::warn!(%error, "the trace is not complete");
        }
    }
}

const REMOVED: &str = "[removed]";
/// Parts of keys whose values are secrets.
const SECRET_KEYS: &[&str] = &[
    "token",
    "secret",
    "password",
    "passwd",
    "apikey",
    "api_key",
    "authorization",
    "cookie",
    "credential",
    "private_key",
    "access_key",
];
/// How secrets begin that stand among other words.
const SECRET_PREFIXES: &[&str] = &[
    "sk-",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "ASIA",
    "AIza",
    "eyJhbGci",
    "-----BEGIN",
];

/// Keys of lists whose items are a name and a secret: environments and headers.
const SECRET_LISTS: &[&str] = &["env", "headers"];

/// Takes secrets out of a message, wherever they stand.
pub(crate) fn hide(value: &mut Value) {
    match value {
        Value::String(text) => *text = hide_text(text),
        Value::Array(items) => items.iter_mut().for_each(hide),
        Value::Object(entries) => {
            for (key, value) in entries.iter_mut() {
                let name = key.to_lowercase();
                let is_secret = SECRET_KEYS.iter().any(|secret| name.contains(secret));
                match value {
                    Value::String(text) if is_secret => REMOVED.clone_into(text),
                    value if SECRET_LISTS.contains(&name.as_str()) => hide_values(value),
                    value => hide(value),
                }
            }
        }
        _ => {}
    }
}

/// Leaves the names of a list or an object of variables, and nothing else.
fn hide_values(value: &mut Value) {
    match value {
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| match item.get_mut("value") {
                Some(value) => *value = Value::from(REMOVED),
                None => hide(item),
            }),
        Value::Object(entries) => entries
            .values_mut()
            .for_each(|value| *value = Value::from(REMOVED)),
        value => hide(value),
    }
}

fn hide_text(text: &str) -> String {
    let mut shown = String::with_capacity(text.len().min(LONGEST));
    let mut was_bearer = false;
    for piece in text.split_inclusive([' ', '\n', '\t', '"', '\'', '=', ',', ';']) {
        if shown.len() > LONGEST {
            shown.push('…');
            break;
        }
        let is_secret = was_bearer
            || SECRET_PREFIXES
                .iter()
                .any(|prefix| piece.starts_with(prefix));
        was_bearer = piece.trim_end().eq_ignore_ascii_case("bearer");
        match is_secret && piece.len() > 8 {
            true => shown.push_str(REMOVED),
            false => shown.push_str(piece),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_removed_wherever_they_stand() {
        let mut message = json!({
            "params": {
                "apiKey": "abc", "mcpServers": [{ "env": [{ "name": "X", "value": "abc" }], "headers": { "X": "abc" } }],
                "options": [{ "value": "code", "name": "Code" }],
                "text": "use sk-1234567890 and Bearer abcdefghijk now", "tokenCount": 5, "kind": "token",
            },
        });
        hide(&mut message);
        let expected = json!({
            "params": {
                "apiKey": "[removed]", "mcpServers": [{ "env": [{ "name": "X", "value": "[removed]" }], "headers": { "X": "[removed]" } }],
                "options": [{ "value": "code", "name": "Code" }],
                "text": "use [removed]and Bearer [removed]now", "tokenCount": 5, "kind": "token",
            },
        });
        assert_eq!(message, expected);
    }
}
