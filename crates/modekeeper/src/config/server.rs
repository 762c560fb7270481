//! Language servers that the operator names, as `config.json` writes them.

use std::path::{Path, PathBuf};

use mk_engine::ServerSettings;
use mk_lsp::{CustomServer, ProjectCode};
use serde_json::Value;

use super::{Config, ConfigError};

/// Reads one entry of the list; `key` says which.
pub(super) fn read(path: &Path, key: &str, entry: Value) -> Result<CustomServer, ConfigError> {
    let mut server: CustomServer =
        serde_json::from_value(entry).map_err(|source| ConfigError::BadServer {
            path: path.to_owned(),
            key: key.to_owned(),
            source,
        })?;
    let wrong = |part: &str, expected| ConfigError::WrongType {
        path: path.to_owned(),
        key: format!("{key}.{part}"),
        expected,
    };
    if server.language.trim().is_empty() {
        return Err(wrong("language", "the name of a language"));
    }
    if server.command.first().is_none_or(String::is_empty) {
        return Err(wrong("command", "a program and its arguments"));
    }
    for extension in &mut server.extensions {
        // People write `.py` too.
        *extension = extension.trim_start_matches('.').to_ascii_lowercase();
        if extension.is_empty() || extension.contains(['.', '/']) {
            return Err(wrong("extensions", "a list of endings such as `py`"));
        }
    }
    Ok(server)
}

/// `~` at the start of a program is the home.
pub(super) fn at_home(mut servers: Vec<CustomServer>, home: Option<&PathBuf>) -> Vec<CustomServer> {
    for program in servers.iter_mut().filter_map(|it| it.command.first_mut()) {
        if let (Some(rest), Some(home)) = (program.strip_prefix("~/"), home) {
            *program = home.join(rest).to_string_lossy().into_owned();
        }
    }
    servers
}

/// What the engine is told about language servers.
pub(super) fn settings(config: &Config) -> ServerSettings {
    ServerSettings {
        custom: config.language_servers.value.clone(),
        project_code: if config.run_project_code.value {
            ProjectCode::Run
        } else {
            ProjectCode::Avoid
        },
    }
}
