//! What is wrong with a configuration.

use std::path::PathBuf;

use super::value::{GivenValue, WrongValue};
use super::{Setting, SettingOrigin};

#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("there is no configuration file `{}`", path.display())]
    Missing { path: PathBuf },
    #[error("cannot read the configuration file")]
    Unreadable {
        #[source]
        source: mk_engine::Error,
    },
    #[error("`{}` is not valid JSON", path.display())]
    NotJson {
        path: PathBuf,
        #[source]
        source: serde_json::Error,
    },
    #[error("`{}` does not contain a JSON object", path.display())]
    NotAnObject { path: PathBuf },
    #[error("`{key}` in `{}` must be {expected}", path.display())]
    WrongType {
        path: PathBuf,
        key: String,
        expected: &'static str,
    },
    #[error("`{key}` in `{}` is not a language server", path.display())]
    BadServer {
        path: PathBuf,
        key: String,
        #[source]
        source: serde_json::Error,
    },
    #[error("`{key}` is `{value}` ({origin}), but must be {expected}")]
    BadValue {
        key: &'static str,
        value: String,
        origin: SettingOrigin,
        expected: String,
    },
    #[error("the project root `{}` ({origin}) is not a directory", path.display())]
    NoProject {
        path: PathBuf,
        origin: SettingOrigin,
    },
    #[error("the working directory no longer exists or cannot be read")]
    NoWorkingDirectory,
}

impl ConfigError {
    /// What a setting's reader found wrong, with the place it came from.
    pub(super) fn of(
        setting: &'static Setting,
        given: GivenValue<'_>,
        origin: SettingOrigin,
        wrong: WrongValue,
    ) -> Self {
        let key = setting.key;
        match (wrong, origin) {
            (WrongValue::Type(expected), SettingOrigin::File(path)) => Self::WrongType {
                path,
                key: key.to_owned(),
                expected,
            },
            (WrongValue::Part { at, expected }, SettingOrigin::File(path)) => Self::WrongType {
                path,
                key: format!("{key}{at}"),
                expected,
            },
            (WrongValue::Entry { at, source }, SettingOrigin::File(path)) => Self::BadServer {
                path,
                key: format!("{key}{at}"),
                source,
            },
            (WrongValue::NoDirectory(path), origin) => Self::NoProject { path, origin },
            (WrongValue::NoWorkingDirectory, _) => Self::NoWorkingDirectory,
            (WrongValue::Secret(expected), origin) => Self::BadValue {
                key,
                value: "…".to_owned(),
                origin,
                expected,
            },
            (wrong, origin) => Self::BadValue {
                key,
                value: given.to_string(),
                origin,
                expected: wrong.expected(),
            },
        }
    }

    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Missing { .. } => {
                Some("check the path, or write one with `modekeeper config init`".to_owned())
            }
            Self::NotJson { .. } => {
                Some("comments and trailing commas are not allowed in JSON".to_owned())
            }
            Self::NotAnObject { .. } => Some("an empty configuration is `{}`".to_owned()),
            Self::WrongType { .. } | Self::BadValue { .. } => {
                Some("correct it, or remove it to use the default".to_owned())
            }
            Self::BadServer { .. } => Some(
                "write `{\"language\": \"python\", \"command\": [\"program\", \"argument\"]}`; optional keys are \
                 `extensions`, `options`, `settings` and `warm`"
                    .to_owned(),
            ),
            Self::NoProject { .. } | Self::NoWorkingDirectory => {
                Some("name an existing directory with --project-root".to_owned())
            }
            Self::Unreadable { .. } => None,
        }
    }
}
