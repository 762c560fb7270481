//! What is wrong with a configuration.

use std::path::PathBuf;

use super::{Origin, Sourced};

#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("there is no configuration file `{}`", path.display())]
    Missing { path: PathBuf },
    #[error("cannot read the configuration file")]
    Unreadable {
        #[source]
        source: mk_project::Error,
    },
    #[error("`{}` is not valid JSON", path.display())]
    NotJson {
        path: PathBuf,
        #[source]
        source: serde_json::Error,
    },
    #[error("`{}` does not hold a JSON object", path.display())]
    NotAnObject { path: PathBuf },
    #[error("`{key}` in `{}` must be {expected}", path.display())]
    WrongType {
        path: PathBuf,
        key: String,
        expected: &'static str,
    },
    #[error("`{key}` in `{}` is no language server", path.display())]
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
        origin: Origin,
        expected: &'static str,
    },
    #[error("the project root `{}` ({origin}) is not a folder", path.display())]
    NoProject { path: PathBuf, origin: Origin },
    #[error("the working directory is gone or not readable")]
    NoWorkingDirectory,
}

impl ConfigError {
    pub(super) fn bad_value(
        key: &'static str,
        value: &Sourced<String>,
        expected: &'static str,
    ) -> Self {
        Self::BadValue {
            key,
            value: value.value.clone(),
            origin: value.origin.clone(),
            expected,
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
                "one is `{\"language\": \"python\", \"command\": [\"program\", \"argument\"]}`, with `extensions` for \
                 files of another language, and if need be `options`, `settings` and `warm`"
                    .to_owned(),
            ),
            Self::NoProject { .. } | Self::NoWorkingDirectory => {
                Some("name an existing folder with --project-root".to_owned())
            }
            Self::Unreadable { .. } => None,
        }
    }
}
