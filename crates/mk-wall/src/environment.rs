//! The command's environment: without what leads to agents, sockets and secrets, with what redirects a build.

use std::ffi::OsStr;
use std::process::Command;

use crate::rights::Rights;

/// Drops and sets the variables of a command.
pub(crate) fn prepare(command: &mut Command, rights: &Rights) {
    for (name, _) in std::env::vars_os() {
        if rights.env_drop.iter().any(|pattern| names(pattern, &name)) {
            command.env_remove(name);
        }
    }
    command.envs(&rights.env_set);
}

/// Whether a pattern of the list names a variable; `*` at either end stands for anything.
pub(crate) fn names(pattern: &str, name: &OsStr) -> bool {
    let Some(name) = name.to_str() else {
        return false;
    };
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(ending), _) => name.ends_with(ending),
        (None, Some(beginning)) => name.starts_with(beginning),
        (None, None) => name == pattern,
    }
}
