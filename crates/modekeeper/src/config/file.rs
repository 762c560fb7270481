//! `config.json`: the modes server's configuration file, with our own keys beside its.

use std::path::{Path, PathBuf};

use mk_lsp::CustomServer;
use serde_json::{Map, Value};

use super::{ConfigError, server};

const LARGEST: u64 = 1024 * 1024;

/// What a file sets; `None` where it says nothing.
#[derive(Debug, Default)]
pub(super) struct ConfigFile {
    pub(super) project_root: Option<PathBuf>,
    pub(super) global_config_dir: Option<PathBuf>,
    pub(super) timeout: Option<u64>,
    pub(super) cleanup_interval: Option<u64>,
    pub(super) persistence: Option<bool>,
    pub(super) storage_path: Option<PathBuf>,
    pub(super) log_level: Option<String>,
    pub(super) log_file: Option<PathBuf>,
    pub(super) default_mode: Option<String>,
    pub(super) switching: Option<String>,
    pub(super) approval_timeout: Option<u64>,
    pub(super) listen: Option<String>,
    pub(super) allow_hosts: Option<Vec<String>>,
    pub(super) allow_origins: Option<Vec<String>>,
    pub(super) rate_limits: Option<bool>,
    pub(super) toolsets: Option<Vec<String>>,
    pub(super) project_folders: Option<Vec<String>>,
    pub(super) read_only_memories: Option<Vec<String>>,
    pub(super) language_servers: Option<Vec<CustomServer>>,
    pub(super) run_project_code: Option<bool>,
}

/// Reads a file; `None` if there is none. Keys without effect come back as warnings.
pub(super) fn read_file(path: &Path) -> Result<Option<(ConfigFile, Vec<String>)>, ConfigError> {
    let text = mk_project::read_text(path, LARGEST)
        .map_err(|source| ConfigError::Unreadable { source })?;
    let Some(text) = text else { return Ok(None) };
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let value: Value = serde_json::from_str(text).map_err(|source| ConfigError::NotJson {
        path: path.to_owned(),
        source,
    })?;
    let Value::Object(root) = value else {
        return Err(ConfigError::NotAnObject {
            path: path.to_owned(),
        });
    };
    let mut reader = Reader {
        path,
        warnings: Vec::new(),
    };
    let file = reader.read(root)?;
    Ok(Some((file, reader.warnings)))
}

/// A part of the file, and where it is.
struct Section {
    path: String,
    entries: Map<String, Value>,
}

impl Section {
    /// A key as `config show` writes it.
    fn name_of(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }
}

struct Reader<'a> {
    path: &'a Path,
    warnings: Vec<String>,
}

impl Reader<'_> {
    fn read(&mut self, root: Map<String, Value>) -> Result<ConfigFile, ConfigError> {
        let mut root = Section {
            path: String::new(),
            entries: root,
        };
        let mut paths = self.section(&mut root, "paths")?;
        let mut sessions = self.section(&mut root, "sessions")?;
        let mut persistence = self.section(&mut sessions, "persistence")?;
        let mut logging = self.section(&mut root, "logging")?;
        let mut http = self.section(&mut root, "http")?;
        // `server` names the original program; ours has its own name and version.
        self.section(&mut root, "server")?;
        if logging.entries.remove("format").is_some() {
            self.warn("`logging.format` has no effect: the log has one format");
        }
        let file = ConfigFile {
            project_root: self.text(&mut paths, "project_root")?.map(PathBuf::from),
            global_config_dir: self
                .text(&mut paths, "global_config_dir")?
                .map(PathBuf::from),
            timeout: self.seconds(&mut sessions, "timeout")?,
            cleanup_interval: self.seconds(&mut sessions, "cleanup_interval")?,
            persistence: self.flag(&mut persistence, "enabled")?,
            storage_path: self
                .text(&mut persistence, "storage_path")?
                .map(PathBuf::from),
            log_level: self.text(&mut logging, "level")?,
            log_file: self.text(&mut logging, "file")?.map(PathBuf::from),
            default_mode: self.text(&mut root, "default_mode")?,
            switching: self.text(&mut root, "switching")?,
            approval_timeout: self.seconds(&mut root, "approval_timeout")?,
            listen: self.text(&mut http, "listen")?,
            allow_hosts: self.texts(&mut http, "allow_hosts")?,
            allow_origins: self.texts(&mut http, "allow_origins")?,
            rate_limits: self.flag(&mut http, "rate_limits")?,
            toolsets: self.texts(&mut root, "toolsets")?,
            project_folders: self.texts(&mut root, "project_folders")?,
            read_only_memories: self.texts(&mut root, "read_only_memories")?,
            language_servers: self.servers(&mut root, "language_servers")?,
            run_project_code: self.flag(&mut root, "run_project_code")?,
        };
        for section in [root, paths, sessions, persistence, logging, http] {
            for key in section.entries.keys() {
                self.warn(&format!("`{}` is not a known key", section.name_of(key)));
            }
        }
        Ok(file)
    }

    fn warn(&mut self, message: &str) {
        self.warnings
            .push(format!("{}: {message}", self.path.display()));
    }

    fn section(&self, parent: &mut Section, key: &str) -> Result<Section, ConfigError> {
        let entries = match parent.entries.remove(key) {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(entries)) => entries,
            Some(_) => return Err(self.wrong(parent, key, "an object")),
        };
        let path = parent.name_of(key);
        Ok(Section { path, entries })
    }

    fn text(&self, section: &mut Section, key: &str) -> Result<Option<String>, ConfigError> {
        match section.entries.remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(section, key, "a string")),
        }
    }

    fn texts(&self, section: &mut Section, key: &str) -> Result<Option<Vec<String>>, ConfigError> {
        match section.entries.remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => serde_json::from_value(value)
                .map(Some)
                .map_err(|_| self.wrong(section, key, "a list of strings")),
        }
    }

    fn servers(
        &self,
        section: &mut Section,
        key: &str,
    ) -> Result<Option<Vec<CustomServer>>, ConfigError> {
        let entries = match section.entries.remove(key) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Array(entries)) => entries,
            Some(_) => return Err(self.wrong(section, key, "a list of language servers")),
        };
        let key = section.name_of(key);
        let read = |(index, entry)| server::read(self.path, &format!("{key}[{index}]"), entry);
        let servers: Result<_, _> = entries.into_iter().enumerate().map(read).collect();
        servers.map(Some)
    }

    fn seconds(&self, section: &mut Section, key: &str) -> Result<Option<u64>, ConfigError> {
        match section.entries.remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_u64() {
                Some(seconds) if seconds > 0 => Ok(Some(seconds)),
                _ => Err(self.wrong(section, key, "a whole number of seconds, at least 1")),
            },
        }
    }

    fn flag(&self, section: &mut Section, key: &str) -> Result<Option<bool>, ConfigError> {
        match section.entries.remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(_) => Err(self.wrong(section, key, "true or false")),
        }
    }

    fn wrong(&self, section: &Section, key: &str, expected: &'static str) -> ConfigError {
        ConfigError::WrongType {
            path: self.path.to_owned(),
            key: section.name_of(key),
            expected,
        }
    }
}
