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
pub(crate) enum GivenValue<'a> {
    /// In a file.
    Json(&'a Json),
    /// In a variable or a flag; a flag may be repeated.
    Texts(&'a [OsString]),
}

impl fmt::Display for GivenValue<'_> {
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
pub(crate) enum WrongValue {
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

impl WrongValue {
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
pub(crate) struct SettingContext<'a> {
    pub(crate) env: &'a Env,
    /// The directory of the file that gave it.
    pub(crate) file_directory: Option<&'a Path>,
}

impl SettingContext<'_> {
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

pub(crate) trait SettingValue: Sized {
    fn read(given: GivenValue<'_>, around: SettingContext<'_>) -> Result<Self, WrongValue>;
    fn to_json(&self) -> Json;
    fn schema() -> Json;
}

fn text(given: GivenValue<'_>) -> Result<&str, WrongValue> {
    let wrong = || WrongValue::Type("a string");
    match given {
        GivenValue::Json(json) => json.as_str().ok_or_else(wrong),
        GivenValue::Texts(texts) => {
            let text = texts.last().and_then(|text| text.to_str());
            text.ok_or_else(|| WrongValue::Value("a text in UTF-8".to_owned()))
        }
    }
}

fn texts(given: GivenValue<'_>) -> Result<Vec<String>, WrongValue> {
    match given {
        GivenValue::Json(json) => {
            serde_json::from_value(json.clone()).map_err(|_| WrongValue::Type("a list of strings"))
        }
        GivenValue::Texts(texts) => {
            let texts: Option<Vec<&str>> = texts.iter().map(|text| text.to_str()).collect();
            let texts = texts.ok_or_else(|| WrongValue::Value("a text in UTF-8".to_owned()))?;
            Ok(texts.into_iter().map(str::to_owned).collect())
        }
    }
}

fn path(given: GivenValue<'_>, around: SettingContext<'_>) -> Result<PathBuf, WrongValue> {
    let path = match given {
        GivenValue::Json(json) => json.as_str().map(Path::new),
        GivenValue::Texts(texts) => texts.last().map(Path::new),
    };
    let path = path.ok_or(WrongValue::Type("a string"))?;
    Ok(around.expand(path))
}

fn one_of(names: &[&str]) -> WrongValue {
    WrongValue::Value(format!("one of {}", names.join(", ")))
}

impl SettingValue for String {
    fn read(given: GivenValue<'_>, _around: SettingContext<'_>) -> Result<Self, WrongValue> {
        text(given).map(str::to_owned)
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    fn schema() -> Json {
        json!({ "type": "string" })
    }
}

impl SettingValue for Option<String> {
    fn read(given: GivenValue<'_>, around: SettingContext<'_>) -> Result<Self, WrongValue> {
        match given {
            GivenValue::Json(Json::Null) => Ok(None),
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
impl SettingValue for Option<PostgresUrl> {
    fn read(given: GivenValue<'_>, around: SettingContext<'_>) -> Result<Self, WrongValue> {
        if matches!(given, GivenValue::Json(Json::Null)) {
            return Ok(None);
        }
        let url = PostgresUrl::parse(text(given)?);
        let url = url.map_err(|error| WrongValue::Secret(error.to_string()))?;
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
impl SettingValue for u64 {
    fn read(given: GivenValue<'_>, _around: SettingContext<'_>) -> Result<Self, WrongValue> {
        let seconds = match given {
            GivenValue::Json(json) => json.as_u64(),
            GivenValue::Texts(_) => text(given)?.parse().ok(),
        };
        let seconds = seconds.filter(|seconds| *seconds > 0);
        seconds.ok_or(WrongValue::Type("a whole number of seconds, at least 1"))
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    fn schema() -> Json {
        json!({ "type": "integer", "minimum": 1 })
    }
}

impl SettingValue for bool {
    fn read(given: GivenValue<'_>, _around: SettingContext<'_>) -> Result<Self, WrongValue> {
        let value = match given {
            GivenValue::Json(json) => json.as_bool(),
            GivenValue::Texts(_) => text(given)?.parse().ok(),
        };
        value.ok_or(WrongValue::Type("true or false"))
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    fn schema() -> Json {
        json!({ "type": "boolean" })
    }
}

impl SettingValue for Option<PathBuf> {
    fn read(given: GivenValue<'_>, around: SettingContext<'_>) -> Result<Self, WrongValue> {
        match given {
            GivenValue::Json(Json::Null) => Ok(None),
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
impl SettingValue for AbsPath {
    fn read(given: GivenValue<'_>, around: SettingContext<'_>) -> Result<Self, WrongValue> {
        let current = around.env.current_dir.as_deref().and_then(Self::new);
        let current = current.ok_or(WrongValue::NoWorkingDirectory)?;
        let path = path(given, around)?;
        let root = current.join(&path).filter(|root| root.as_path().is_dir());
        // What holds around a directory is found by its real name.
        let root = root.and_then(|root| Self::new(&root.as_path().canonicalize().ok()?));
        root.ok_or(WrongValue::NoDirectory(path))
    }

    fn to_json(&self) -> Json {
        json!(self.as_str())
    }

    fn schema() -> Json {
        String::schema()
    }
}

impl SettingValue for Vec<String> {
    fn read(given: GivenValue<'_>, _around: SettingContext<'_>) -> Result<Self, WrongValue> {
        texts(given)
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    fn schema() -> Json {
        json!({ "type": "array", "items": String::schema() })
    }
}

impl SettingValue for Vec<PathBuf> {
    fn read(given: GivenValue<'_>, around: SettingContext<'_>) -> Result<Self, WrongValue> {
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
impl SettingValue for Vec<Toolset> {
    fn read(given: GivenValue<'_>, _around: SettingContext<'_>) -> Result<Self, WrongValue> {
        let names = match given {
            GivenValue::Json(Json::Null) => Vec::new(),
            given => texts(given)?,
        };
        if names.is_empty() {
            return Ok(Toolset::DEFAULT.to_vec());
        }
        let families: Option<Self> = names.iter().map(|name| Toolset::parse(name)).collect();
        let expected = || format!("a list of {}", Toolset::ALL.map(Toolset::as_str).join(", "));
        families.ok_or_else(|| WrongValue::Value(expected()))
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

impl SettingValue for ModeSlug {
    fn read(given: GivenValue<'_>, _around: SettingContext<'_>) -> Result<Self, WrongValue> {
        let slug = Self::parse(text(given)?);
        slug.map_err(|_| WrongValue::Value("a mode's slug".to_owned()))
    }

    fn to_json(&self) -> Json {
        json!(self.as_str())
    }

    fn schema() -> Json {
        json!({ "type": "string", "pattern": "^[a-zA-Z0-9-]+$" })
    }
}

impl SettingValue for Switching {
    fn read(given: GivenValue<'_>, _around: SettingContext<'_>) -> Result<Self, WrongValue> {
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

impl SettingValue for LogLevel {
    fn read(given: GivenValue<'_>, _around: SettingContext<'_>) -> Result<Self, WrongValue> {
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

impl SettingValue for Vec<CustomServer> {
    fn read(given: GivenValue<'_>, around: SettingContext<'_>) -> Result<Self, WrongValue> {
        let GivenValue::Json(Json::Array(entries)) = given else {
            return Err(WrongValue::Type("a list of language servers"));
        };
        let servers = entries.iter().enumerate();
        let servers: Result<Self, WrongValue> =
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
