//! Changing a user's settings file so that nothing moves but our entries: comments, order, spacing and line ends stay.
//!
//! Text in, text out. Files, backups and the question to the user are the installer's.

mod env_file;
mod json;
mod toml;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a settings file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// JSON, with comments and trailing commas where the user has them.
    Json,
    Toml,
    /// `NAME=value` lines.
    EnvFile,
}

/// How strictly a product reads its settings where they are JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonReading {
    /// Comments and a comma before a closing bracket do no harm.
    Lenient,
    /// Comments do none; with a comma before a closing bracket, it does not start.
    Comments,
    /// It passes over a file with either, and all that is in it.
    Plain,
}

impl JsonReading {
    /// Whether it reads a file that can be changed.
    pub fn reads(self, text: &str) -> bool {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        match self {
            Self::Lenient => true,
            Self::Comments => json::is_read(text),
            Self::Plain => serde_json::from_str::<Value>(text).is_ok(),
        }
    }
}

/// One entry of ours. It is stored by the installer, which undoes exactly what it did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingsEdit {
    /// A key that is ours by its name: written, and replaced where it says something else.
    Put { path: Vec<String>, value: Value },
    /// A key of the user's: written only where nothing stands, otherwise left alone and reported.
    Claim { path: Vec<String>, value: Value },
    /// An element of a list: written once, and replaced where an older one of ours stands.
    Add { path: Vec<String>, value: Value },
}

/// A changed text, and what could not be written because the user's own value stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedSettings {
    pub text: String,
    pub taken: Vec<String>,
}

/// Why a settings file was left alone.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("line {line}: {message}")]
    Syntax { line: usize, message: String },
    #[error("`{path}` has an unexpected value: expected {expected}")]
    Shape {
        path: String,
        expected: &'static str,
    },
    #[error("the file cannot be written back as it is")]
    NotExact,
}

impl SettingsEdit {
    pub(crate) fn put(path: &[&str], value: Value) -> Self {
        Self::Put {
            path: owned(path),
            value,
        }
    }

    pub(crate) fn claim(path: &[&str], value: Value) -> Self {
        Self::Claim {
            path: owned(path),
            value,
        }
    }

    pub(crate) fn add(path: &[&str], value: Value) -> Self {
        Self::Add {
            path: owned(path),
            value,
        }
    }

    /// Where it stands in its file.
    pub fn path(&self) -> &[String] {
        let (Self::Put { path, .. } | Self::Claim { path, .. } | Self::Add { path, .. }) = self;
        path
    }

    fn value(&self) -> &Value {
        let (Self::Put { value, .. } | Self::Claim { value, .. } | Self::Add { value, .. }) = self;
        value
    }
}

fn owned(path: &[&str]) -> Vec<String> {
    path.iter().map(|&key| key.to_owned()).collect()
}

/// Whether all of these stand in a file already.
pub fn has_all(format: Format, text: &str, edits: &[SettingsEdit]) -> bool {
    apply(format, text, edits).is_ok_and(|edited| edited.taken.is_empty() && edited.text == text)
}

/// What a JSON file says, comments aside; `None` where it cannot be read. An empty one is an empty object.
pub(crate) fn json_value(text: &str) -> Option<Value> {
    json::value(text)
}

/// Writes our entries. A text that has them all comes back unchanged.
pub fn apply(
    format: Format,
    text: &str,
    edits: &[SettingsEdit],
) -> Result<EditedSettings, SettingsError> {
    match format {
        Format::Json => json::apply(text, edits),
        Format::Toml => toml::apply(text, edits),
        Format::EnvFile => Ok(env_file::apply(text, edits)),
    }
}

/// Takes our entries out again, with the empty objects and lists they leave. What the user has changed to something
/// else stays.
pub fn remove(format: Format, text: &str, edits: &[SettingsEdit]) -> Result<String, SettingsError> {
    match format {
        Format::Json => json::remove(text, edits),
        Format::Toml => toml::remove(text, edits),
        Format::EnvFile => Ok(env_file::remove(text, edits)),
    }
}

/// Whether an element of a list is ours, perhaps from an older version: it is the same, or it starts our program.
fn is_ours(element: &Value, ours: &Value) -> bool {
    element == ours || (!ours.is_string() && starts_us(element))
}

fn starts_us(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            let text = text.trim_start_matches(['"', '\'']);
            let program = text
                .split(['"', '\'', ' '])
                .next()
                .unwrap_or_default()
                .rsplit(['/', '\\'])
                .next();
            matches!(program, Some("modekeeper" | "modekeeper.exe"))
        }
        Value::Array(items) => items.iter().any(starts_us),
        Value::Object(entries) => entries.values().any(starts_us),
        _ => false,
    }
}
