//! Language servers that the operator names, as `config.json` writes them.

use std::path::PathBuf;

use mk_engine::{CommandRunner, CustomServer, ProjectCode, ServerSettings, WallLauncher};
use serde_json::{Value as Json, json};

use super::Config;
use super::value::WrongValue;

/// Reads one entry of the list.
pub(super) fn read(at: usize, entry: &Json) -> Result<CustomServer, WrongValue> {
    let at = format!("[{at}]");
    let mut server: CustomServer =
        serde_json::from_value(entry.clone()).map_err(|source| WrongValue::Entry {
            at: at.clone(),
            source,
        })?;
    let wrong = |part: &str, expected| WrongValue::Part {
        at: format!("{at}.{part}"),
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
            return Err(wrong("extensions", "a list of extensions such as `py`"));
        }
    }
    Ok(server)
}

pub(super) fn schema() -> Json {
    let words = json!({ "type": "array", "items": { "type": "string" } });
    json!({
        "type": "object",
        "properties": {
            "language": { "type": "string", "minLength": 1, "description": "A known language, or a new one" },
            "command": {
                "type": "array", "items": { "type": "string" }, "minItems": 1,
                "description": "Program and arguments; a program with a `/` in it is relative to the project",
            },
            "extensions": words,
            "options": { "description": "Sent as `initializationOptions`" },
            "settings": { "description": "Sent when the server asks for its configuration, by section" },
            "warm": {
                "description": "What shows that the server has read the project",
                "anyOf": [
                    { "enum": ["progress", "status", "nothing"] },
                    { "type": "object", "properties": { "log": { "type": "string" } }, "required": ["log"] },
                ],
            },
        },
        "required": ["language", "command"],
        "additionalProperties": false,
    })
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

/// This program, where its `exec` holds what it starts.
pub(super) fn walled_program() -> Option<PathBuf> {
    if mk_wall::holds() {
        std::env::current_exe().ok()
    } else {
        None
    }
}

/// How `run_command` starts commands.
pub(super) fn commands(config: &Config) -> CommandRunner {
    match walled_program() {
        // `exec` finds its permit in the store.
        Some(program) if config.persistence.value && config.storage_path.value.is_some() => {
            CommandRunner::Walled(program)
        }
        _ if config.run_unwalled.value => CommandRunner::Open,
        _ => CommandRunner::Nothing,
    }
}

/// What the engine is told about language servers.
pub(super) fn settings(config: &Config) -> ServerSettings {
    let launcher = walled_program().map(|program| WallLauncher { program });
    ServerSettings {
        custom: config.language_servers.value.clone(),
        // Inside the wall the project's code changes nothing.
        project_code: if config.run_project_code.value || launcher.is_some() {
            ProjectCode::Run
        } else {
            ProjectCode::Avoid
        },
        launcher,
    }
}
