//! `config.json`: the modes server's configuration file, with our own keys next to its.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json};

use super::{ConfigError, SETTINGS, Setting};

const LARGEST: u64 = 1024 * 1024;
/// Keys that are accepted and ignored: what an editor checks the file with, and the original program's own name.
const ACCEPTED: [&str; 2] = ["$schema", "server"];
/// Keys of the original program that do nothing here.
const WITHOUT_EFFECT: [(&str, &str); 1] = [("logging.format", "the log has one format")];

/// What a file says; empty if there is none.
#[derive(Debug, Default)]
pub(super) struct ConfigFile {
    path: PathBuf,
    root: Map<String, Json>,
}

impl ConfigFile {
    /// Reads a file; `None` if there is none.
    pub(super) fn read(path: &Path) -> Result<Option<Self>, ConfigError> {
        let text = mk_engine::read_operator_file(path, LARGEST)
            .map_err(|source| ConfigError::Unreadable { source })?;
        let Some(text) = text else { return Ok(None) };
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let value: Json = serde_json::from_str(text).map_err(|source| ConfigError::NotJson {
            path: path.to_owned(),
            source,
        })?;
        let Json::Object(root) = value else {
            return Err(ConfigError::NotAnObject {
                path: path.to_owned(),
            });
        };
        check_sections(path, "", &root)?;
        Ok(Some(Self {
            path: path.to_owned(),
            root,
        }))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The value of a setting; `null` sets nothing.
    pub(super) fn get(&self, setting: &Setting) -> Option<&Json> {
        let mut names = setting.key.split('.');
        let mut value = self.root.get(names.next()?)?;
        for name in names {
            value = value.get(name)?;
        }
        (setting.in_file && !value.is_null()).then_some(value)
    }

    /// Keys that have no effect.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut unknown = Vec::new();
        find_unknown("", &self.root, &mut unknown);
        let about = |key: &String| {
            let known = WITHOUT_EFFECT.iter().find(|(name, _)| name == key);
            match known {
                Some((_, why)) => format!("`{key}` has no effect: {why}"),
                None => format!("`{key}` is not a known key"),
            }
        };
        let path = self.path.display();
        unknown
            .iter()
            .map(|key| format!("{path}: {}", about(key)))
            .collect()
    }
}

fn name(above: &str, key: &str) -> String {
    if above.is_empty() {
        key.to_owned()
    } else {
        format!("{above}.{key}")
    }
}

fn is_setting(name: &str) -> bool {
    SETTINGS
        .iter()
        .any(|setting| setting.in_file && setting.key == name)
}

/// Whether settings stand below it.
fn is_section(name: &str) -> bool {
    SETTINGS.iter().any(|setting| {
        let rest = setting.key.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with('.'))
    })
}

/// A section that is no object would hide every setting below it.
fn check_sections(
    path: &Path,
    above: &str,
    entries: &Map<String, Json>,
) -> Result<(), ConfigError> {
    for (key, value) in entries {
        let name = name(above, key);
        match value {
            _ if !is_section(&name) => {}
            Json::Object(entries) => check_sections(path, &name, entries)?,
            Json::Null => {}
            _ => {
                return Err(ConfigError::WrongType {
                    path: path.to_owned(),
                    key: name,
                    expected: "an object",
                });
            }
        }
    }
    Ok(())
}

fn find_unknown(above: &str, entries: &Map<String, Json>, unknown: &mut Vec<String>) {
    for (key, value) in entries {
        let name = name(above, key);
        match value {
            Json::Object(entries) if is_section(&name) => find_unknown(&name, entries, unknown),
            _ if is_section(&name) || is_setting(&name) || ACCEPTED.contains(&name.as_str()) => {}
            _ => unknown.push(name),
        }
    }
}
