//! The types of settings: how each is read from JSON and from text, shown, and described by a JSON Schema.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use mk_engine::{CustomServer, PostgresUrl};
use mk_policy::Switching;
use mk_tools::Toolset;
use mk_types::{AbsPath, ModeSlug};
use serde_json::{Value as Json, json};
use tracing::level_filters::LevelFilter;

use super::server;
use crate::env::Env;
use crate::log::parse_level;

/// A value as someone gave it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Given<'a> {
    /// In a file.
    Json(&'a Json),
    /// In a variable or a flag; a flag may be repeated.
    Texts(&'a [OsString]),
}

impl fmt::Display for Given<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(Json::String(text)) => f.write_str(text),
            Self::Json(json) => write!(f, "{json}"),
            Self::Texts(texts) => {
                let texts: Vec<_> = texts.iter().map(|text| text.to_string_lossy()).collect();
                f.write_str(&texts.join(","))
            }
        }
    }
}

/// What is wrong with a value.
#[derive(Debug)]
pub(crate) enum Wrong {
    /// It is of another type.
    Type(&'static str),
    /// It is of the type, and not one of its values.
    Value(String),
    /// The same of one that must not be repeated, because it may hold a password.
    Secret(String),
    /// A part of it is wrong.
    Part {
        at: String,
        expected: &'static str,
    },
    /// An entry is not what the list holds.
    Entry {
        at: String,
        source: serde_json::Error,
    },
    NoDirectory(PathBuf),
    NoWorkingDirectory,
}

impl Wrong {
    /// What the value must be.
    pub(super) fn expected(self) -> String {
        match self {
            Self::Type(expected) | Self::Part { expected, .. } => expected.to_owned(),
            Self::Value(expected) | Self::Secret(expected) => expected,
            Self::Entry { source, .. } => source.to_string(),
            Self::NoDirectory(_) | Self::NoWorkingDirectory => "an existing directory".to_owned(),
        }
    }
}

/// What a value may depend on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around<'a> {
    pub(crate) env: &'a Env,
    /// The directory of the file that gave it.
    pub(crate) file_directory: Option<&'a Path>,
}

impl Around<'_> {
    /// `~` is the home; a relative path in a file is relative to that file.
    fn expand(&self, path: &Path) -> PathBuf {
        let path = match (path.strip_prefix("~"), &self.env.home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => path.to_owned(),
        };
        match self.file_directory {
            Some(directory) => directory.join(path),
            None => path,
        }
    }
}

pub(crate) trait Value: Sized {
    fn read(given: Given<'_>, around: Around<'_>) -> Result<Self, Wrong>;
    fn to_json(&self) -> Json;
    fn schema() -> Json;
}

fn text(given: Given<'_>) -> Result<&str, Wrong> {
    let wrong = || Wrong::Type("a string");
    match given {
        Given::Json(json) => json.as_str().ok_or_else(wrong),
        Given::Texts(texts) => {
            let text = texts.last().and_then(|text| text.to_str());
            text.ok_or_else(|| Wrong::Value("a text in UTF-8".to_owned()))
        }
    }
}

fn texts(given: Given<'_>) -> Result<Vec<String>, Wrong> {
    match given {
        Given::Json(json) => {
            serde_json::from_value(json.clone()).map_err(|_| Wrong::Type("a list of strings"))
        }
        Given::Texts(texts) => {
            let texts: Option<Vec<&str>> = texts.iter().map(|text| text.to_str()).collect();
            let texts = texts.ok_or_else(|| Wrong::Value("a text in UTF-8".to_owned()))?;
            Ok(texts.into_iter().map(str::to_owned).collect())
        }
    }
}

fn path(given: Given<'_>, around: Around<'_>) -> Result<PathBuf, Wrong> {
    let path = match given {
        Given::Json(json) => json.as_str().map(Path::new),
        Given::Texts(texts) => texts.last().map(Path::new),
    };
    let path = path.ok_or(Wrong::Type("a string"))?;
    Ok(around.expand(path))
}

fn one_of(names: &[&str]) -> Wrong {
    Wrong::Value(format!("one of {}", names.join(", ")))
}

impl Value for String {
    fn read(given: Given<'_>, _around: Around<'_>) -> Result<Self, Wrong> {
        text(given).map(str::to_owned)
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    fn schema() -> Json {
        json!({ "type": "string" })
    }
}

impl Value for Option<String> {
    fn read(given: Given<'_>, around: Around<'_>) -> Result<Self, Wrong> {
        match given {
            Given::Json(Json::Null) => Ok(None),
            given => String::read(given, around).map(Some),
        }
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    fn schema() -> Json {
        String::schema()
    }
}

/// Shown without its password, which may come from elsewhere.
impl Value for Option<PostgresUrl> {
    fn read(given: Given<'_>, around: Around<'_>) -> Result<Self, Wrong> {
        if matches!(given, Given::Json(Json::Null)) {
            return Ok(None);
        }
        let url = PostgresUrl::parse(text(given)?);
        let url = url.map_err(|error| Wrong::Secret(error.to_string()))?;
        let password = match url.has_password() {
            true => None,
            false => around.env.database_password(&url),
        };
        Ok(Some(match password {
            Some(password) => url.with_password(&password),
            None => url,
        }))
    }

    fn to_json(&self) -> Json {
        json!(self.as_ref().map(ToString::to_string))
    }

    fn schema() -> Json {
        json!({ "type": "string", "pattern": "^postgres(ql)?://" })
    }
}

/// Seconds.
impl Value for u64 {
    fn read(given: Given<'_>, _around: Around<'_>) -> Result<Self, Wrong> {
        let seconds = match given {
            Given::Json(json) => json.as_u64(),
            Given::Texts(_) => text(given)?.parse().ok(),
        };
        let seconds = seconds.filter(|seconds| *seconds > 0);
        seconds.ok_or(Wrong::Type("a whole number of seconds, at least 1"))
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    fn schema() -> Json {
        json!({ "type": "integer", "minimum": 1 })
    }
}

impl Value for bool {
    fn read(given: Given<'_>, _around: Around<'_>) -> Result<Self, Wrong> {
        let value = match given {
            Given::Json(json) => json.as_bool(),
            Given::Texts(_) => text(given)?.parse().ok(),
        };
        value.ok_or(Wrong::Type("true or false"))
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    fn schema() -> Json {
        json!({ "type": "boolean" })
    }
}

impl Value for Option<PathBuf> {
    fn read(given: Given<'_>, around: Around<'_>) -> Result<Self, Wrong> {
        match given {
            Given::Json(Json::Null) => Ok(None),
            given => path(given, around).map(Some),
        }
    }

    fn to_json(&self) -> Json {
        json!(self.as_ref().map(|path| path.display().to_string()))
    }

    fn schema() -> Json {
        String::schema()
    }
}

/// A directory that is there.
impl Value for AbsPath {
    fn read(given: Given<'_>, around: Around<'_>) -> Result<Self, Wrong> {
        let current = around.env.current_dir.as_deref().and_then(Self::new);
        let current = current.ok_or(Wrong::NoWorkingDirectory)?;
        let path = path(given, around)?;
        let root = current.join(&path).filter(|root| root.as_path().is_dir());
        root.ok_or(Wrong::NoDirectory(path))
    }

    fn to_json(&self) -> Json {
        json!(self.as_str())
    }

    fn schema() -> Json {
        String::schema()
    }
}

impl Value for Vec<String> {
    fn read(given: Given<'_>, _around: Around<'_>) -> Result<Self, Wrong> {
        texts(given)
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    fn schema() -> Json {
        json!({ "type": "array", "items": String::schema() })
    }
}

impl Value for Vec<PathBuf> {
    fn read(given: Given<'_>, around: Around<'_>) -> Result<Self, Wrong> {
        let paths = texts(given)?;
        Ok(paths
            .iter()
            .map(|path| around.expand(path.as_ref()))
            .collect())
    }

    fn to_json(&self) -> Json {
        let paths = self.iter().map(|path| path.display().to_string());
        paths.collect::<Vec<_>>().into()
    }

    fn schema() -> Json {
        Vec::<String>::schema()
    }
}

/// Toolsets; none named means all that have names of our own.
impl Value for Vec<Toolset> {
    fn read(given: Given<'_>, _around: Around<'_>) -> Result<Self, Wrong> {
        let names = match given {
            Given::Json(Json::Null) => Vec::new(),
            given => texts(given)?,
        };
        if names.is_empty() {
            return Ok(Toolset::DEFAULT.to_vec());
        }
        let families: Option<Self> = names.iter().map(|name| Toolset::parse(name)).collect();
        let expected = || format!("a list of {}", Toolset::ALL.map(Toolset::as_str).join(", "));
        families.ok_or_else(|| Wrong::Value(expected()))
    }

    fn to_json(&self) -> Json {
        json!(
            self.iter()
                .map(|family| family.as_str())
                .collect::<Vec<_>>()
        )
    }

    fn schema() -> Json {
        json!({ "type": "array", "items": { "enum": Toolset::ALL.map(Toolset::as_str) } })
    }
}

impl Value for ModeSlug {
    fn read(given: Given<'_>, _around: Around<'_>) -> Result<Self, Wrong> {
        let slug = Self::parse(text(given)?);
        slug.map_err(|_| Wrong::Value("a mode's slug".to_owned()))
    }

    fn to_json(&self) -> Json {
        json!(self.as_str())
    }

    fn schema() -> Json {
        json!({ "type": "string", "pattern": "^[a-zA-Z0-9-]+$" })
    }
}

impl Value for Switching {
    fn read(given: Given<'_>, _around: Around<'_>) -> Result<Self, Wrong> {
        let found = Self::parse(text(given)?);
        found.ok_or_else(|| one_of(&Self::ALL.map(Self::as_str)))
    }

    fn to_json(&self) -> Json {
        json!(self.as_str())
    }

    fn schema() -> Json {
        json!({ "enum": Self::ALL.map(Self::as_str) })
    }
}

/// A level of the log, by the name that the contract gives it.
#[derive(Debug, Clone)]
pub(crate) struct LogLevel {
    name: String,
    pub(crate) filter: LevelFilter,
}

impl LogLevel {
    const NAMES: [&str; 4] = ["DEBUG", "INFO", "WARNING", "ERROR"];
}

impl Value for LogLevel {
    fn read(given: Given<'_>, _around: Around<'_>) -> Result<Self, Wrong> {
        let name = text(given)?.to_owned();
        let filter = parse_level(&name).ok_or_else(|| one_of(&Self::NAMES))?;
        Ok(Self { name, filter })
    }

    fn to_json(&self) -> Json {
        json!(self.name)
    }

    fn schema() -> Json {
        json!({ "enum": Self::NAMES })
    }
}

impl Value for Vec<CustomServer> {
    fn read(given: Given<'_>, around: Around<'_>) -> Result<Self, Wrong> {
        let Given::Json(Json::Array(entries)) = given else {
            return Err(Wrong::Type("a list of language servers"));
        };
        let servers = entries.iter().enumerate();
        let servers: Result<Self, Wrong> =
            servers.map(|(at, entry)| server::read(at, entry)).collect();
        Ok(server::at_home(servers?, around.env.home.as_ref()))
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    fn schema() -> Json {
        json!({ "type": "array", "items": server::schema() })
    }
}
