//! The conversation as a file for a bug report, without secrets.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use mk_types::lock;
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
        let mut file = lock(&self.file);
        // A full disk must not end a conversation.
        let written = writeln!(file, "{entry}").and_then(|()| file.flush());
        if let Err(error) = written {
            tracing::warn!(%error, "the trace cannot be written");
        }
    }

    pub(crate) fn finish(&self) {
        let mut file = lock(&self.file);
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
    "mks_",
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
        Value::Array(items) => {
            // A command line in words: an option's value is its next word.
            let mut is_named = false;
            for item in items {
                let names_next = item.as_str().is_some_and(is_secret_option);
                match item {
                    Value::String(text) if is_named => REMOVED.clone_into(text),
                    item => hide(item),
                }
                is_named = names_next;
            }
        }
        Value::Object(entries) => {
            for (key, value) in entries.iter_mut() {
                let name = key.to_lowercase();
                match value {
                    value if names_secret(key) => hide_strings(value),
                    value if SECRET_LISTS.contains(&name.as_str()) => hide_values(value),
                    value => hide(value),
                }
            }
        }
        _ => {}
    }
}

/// Takes out every text; numbers under such a key are counts.
fn hide_strings(value: &mut Value) {
    match value {
        Value::String(text) => REMOVED.clone_into(text),
        Value::Array(items) => items.iter_mut().for_each(hide_strings),
        Value::Object(entries) => entries.values_mut().for_each(hide_strings),
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
    let mut named = SecretName::None;
    for piece in text.split_inclusive([' ', '\n', '\t', '"', '\'', '=', ',', ';']) {
        if shown.len() > LONGEST {
            shown.push('…');
            break;
        }
        let is_secret = was_bearer && piece.len() > 8;
        let is_word = piece.contains(|it: char| it.is_alphanumeric());
        was_bearer = piece.trim_end().eq_ignore_ascii_case("bearer");
        match is_secret || (named == SecretName::Given && is_word && !was_bearer) {
            true => shown.push_str(REMOVED),
            false => match secret_within(piece) {
                Some(at) => {
                    shown.push_str(piece.get(..at).unwrap_or_default());
                    shown.push_str(REMOVED);
                    named = SecretName::None;
                    continue;
                }
                None => shown.push_str(piece),
            },
        }
        named = named.after(piece, is_word);
    }
    shown
}

/// Where a secret begins within a word: what begins as they do, a password in an address, or a value behind its name.
fn secret_within(piece: &str) -> Option<usize> {
    let begins = |prefix: &str| {
        piece.match_indices(prefix).find_map(|(at, _)| {
            let before = piece.get(..at)?.chars().next_back();
            let is_start = before.is_none_or(|it| !it.is_alphanumeric());
            (is_start && piece.len() - at > 8).then_some(at)
        })
    };
    let in_address = || {
        let at = piece.find("://")? + "://".len();
        let (user, _) = piece.get(at..)?.split_once('@')?;
        (user.contains(':') && !user.contains('/')).then_some(at)
    };
    let behind_name = || {
        let (name, value) = piece.split_once(':')?;
        let has_value = value.contains(|it: char| it.is_alphanumeric());
        (names_secret(name) && has_value).then_some(name.len() + 1)
    };
    let found = SECRET_PREFIXES.iter().find_map(|prefix| begins(prefix));
    found.or_else(in_address).or_else(behind_name)
}

/// Whether a word is an option whose value is a secret.
fn is_secret_option(word: &str) -> bool {
    word.starts_with("--") && !word.contains('=') && names_secret(word)
}

/// Whether a key or an option is the name of a secret.
fn names_secret(name: &str) -> bool {
    let name = name.to_lowercase().replace('-', "_");
    SECRET_KEYS.iter().any(|secret| name.contains(secret))
}

/// Whether the words before name a secret, such as `api_key=` or `"token": "`, whose value comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SecretName {
    None,
    Named,
    Given,
}

impl SecretName {
    fn after(self, piece: &str, is_word: bool) -> Self {
        let is_given = piece.contains(['=', ':']);
        if !is_word {
            return match self {
                Self::Named if is_given => Self::Given,
                before => before,
            };
        }
        // An option's value is its next word.
        let is_option = piece.ends_with(' ') && is_secret_option(piece);
        match names_secret(piece) {
            true if is_given || is_option => Self::Given,
            true => Self::Named,
            false => Self::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_text(text: &str, expected: &str) {
        assert_eq!(hide_text(text), expected);
    }

    #[test]
    fn a_value_after_the_name_of_a_secret_is_removed() {
        check_text("run --api-key=abc now", "run --api-key=[removed]now");
        check_text("PASSWORD=\"hunter2\" make", "PASSWORD=\"[removed] make");
        check_text(
            r#"{"token": "abc", "n": 1}"#,
            r#"{"token": "[removed], "n": 1}"#,
        );
        check_text("x-api-key: abc", "x-api-key: [removed]");
        check_text("-H x-api-key:abc now", "-H x-api-key:[removed]now");
        check_text("run --token abc now", "run --token [removed]now");
        check_text(
            "git clone https://me:abc@host/x",
            "git clone https://[removed]",
        );
        check_text("https://ghp_1234567890@host", "https://[removed]");
        check_text("see https://host:80/a@b", "see https://host:80/a@b");
        check_text(
            "Authorization: Bearer abcdefghijk",
            "Authorization: Bearer [removed]",
        );
        check_text(
            "the token is short, and a = b",
            "the token is short, and a = b",
        );
    }

    #[test]
    fn texts_below_a_secrets_key_are_removed() {
        let mut message = json!({ "credentials": [{ "user": "a", "n": 1 }], "token_count": { "total": 5 }, "X-Api-Key": "a" });
        hide(&mut message);
        let expected = json!({
            "credentials": [{ "user": "[removed]", "n": 1 }], "token_count": { "total": 5 }, "X-Api-Key": "[removed]",
        });
        assert_eq!(message, expected);
        let mut message = json!({ "args": ["--token", "abc", "--tokens=5", "d"] });
        hide(&mut message);
        let expected = json!({ "args": ["--token", "[removed]", "--tokens=[removed]", "d"] });
        assert_eq!(message, expected);
    }

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
