//! What the operator set, from flags, environment, file and defaults: each value knows where it came from.
//!
//! The settings themselves are declared in [`table`]; here they are put together.

mod error;
mod file;
mod flag;
mod schema;
mod server;
mod table;
mod value;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use mk_engine::{CommandRunner, Folders, ProjectWatching, Settings, StartDirectory, StoreLocation};
use mk_tools::Toolset;
use mk_types::{AbsPath, ModeSlug};
use serde_json::Value as Json;

pub(crate) use error::ConfigError;
pub(crate) use flag::{CommonFlags, Flags, ServeFlags};
pub(crate) use schema::schema;
pub(crate) use table::{
    Config, Fallback, FlagCommands, SETTINGS, Setting, SettingRow, state_directory,
};

use crate::env::Env;
use file::ConfigFile;
use value::{GivenValue, SettingContext, SettingValue};

/// A value and where it came from.
#[derive(Debug, Clone)]
pub(crate) struct SourcedValue<T> {
    pub(crate) value: T,
    pub(crate) origin: SettingOrigin,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SettingOrigin {
    Default,
    File(PathBuf),
    Environment(&'static str),
    Flag(&'static str),
    /// Found by looking, as the project's root is.
    Found(&'static str),
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Environment(name) | Self::Flag(name) => f.write_str(name),
            Self::Found(how) => f.write_str(how),
        }
    }
}

impl Config {
    /// Puts the layers together: flags beat environment beats file beats defaults.
    pub(crate) fn load(flags: &Flags, env: &Env) -> Result<Self, ConfigError> {
        let mut layers = Layers {
            flags,
            env,
            file: ConfigFile::default(),
        };
        let directory: SourcedValue<Option<PathBuf>> = layers.read(&table::CONFIG_DIR)?;
        let named = flags.config.as_ref().map(|path| match &env.current_dir {
            Some(current) => current.join(path),
            None => path.clone(),
        });
        layers.file = match (named, directory.value) {
            (Some(path), _) => ConfigFile::read(&path)?.ok_or(ConfigError::Missing { path })?,
            (None, Some(directory)) => {
                ConfigFile::read(&directory.join("config.json"))?.unwrap_or_default()
            }
            (None, None) => ConfigFile::default(),
        };
        Self::read(&layers)
    }

    /// The default mode, if the user has set one.
    pub(crate) fn configured_mode(&self) -> Option<&ModeSlug> {
        match self.default_mode.origin {
            SettingOrigin::Default => None,
            _ => Some(&self.default_mode.value),
        }
    }

    pub(crate) fn log_filter(&self) -> tracing::level_filters::LevelFilter {
        self.log_level.value.filter
    }

    /// Where calls work that name no project. A server that a desktop starts in `/` is in no project.
    pub(crate) fn start(&self) -> StartDirectory {
        let root = self.project_root.value.clone();
        match self.project_root.origin {
            SettingOrigin::Found(_) if root.as_path().parent().is_none() => {
                StartDirectory::Nowhere(root)
            }
            SettingOrigin::Found(_) => StartDirectory::Found(root),
            _ => StartDirectory::Named(root),
        }
    }

    pub(crate) fn settings(&self, watching: ProjectWatching) -> Settings {
        Settings {
            session_timeout: Duration::from_secs(self.session_timeout.value),
            cleanup_interval: Duration::from_secs(self.cleanup_interval.value),
            retention: Duration::from_secs(self.retention.value),
            default_mode: self.default_mode.value.clone(),
            switching: self.switching.value,
            approval_timeout: Duration::from_secs(self.approval_timeout.value),
            watching,
            start_root: match self.start() {
                StartDirectory::Named(root) | StartDirectory::Found(root) => Some(root),
                StartDirectory::Nowhere(_) => None,
            },
            project_folders: self
                .project_folders
                .value
                .iter()
                .filter_map(|path| AbsPath::new(path))
                .collect(),
            read_only_memories: self.read_only_memories.value.clone(),
            servers: server::settings(self),
            commands: server::commands(self),
            ..Settings::default()
        }
    }

    /// The toolsets to offer: commands only where something holds them, or the operator does without.
    pub(crate) fn offered_toolsets(&self) -> Vec<Toolset> {
        let runs = !matches!(server::commands(self), CommandRunner::Nothing);
        let toolsets = self.toolsets.value.iter().copied();
        toolsets
            .filter(|it| runs || *it != Toolset::Commands)
            .collect()
    }

    pub(crate) fn folders(&self) -> Folders {
        Folders {
            config: self.config_dir.value.clone(),
            roo_config: self.global_config_dir.value.clone(),
            home: self.home.clone(),
            search_path: self.search_path.clone(),
            // Without a home there is still a place for backups, if not a lasting one.
            state: self
                .storage_path
                .value
                .clone()
                .unwrap_or_else(|| std::env::temp_dir().join("modekeeper")),
        }
    }

    /// Whether tasks and modes should be kept, and it is unknown where. A hook then knows of no mode.
    pub(crate) fn has_lost_its_store(&self) -> bool {
        self.persistence.value && matches!(self.store_location(), StoreLocation::Memory)
    }

    /// Whether the file of the store is not there.
    pub(crate) fn has_missing_store(&self) -> bool {
        match self.store_location() {
            StoreLocation::File(file) => !file.exists(),
            StoreLocation::Memory | StoreLocation::Postgres(_) => false,
        }
    }

    /// Where sessions are kept; in memory if that is wanted, or if there is no home.
    pub(crate) fn store_location(&self) -> StoreLocation {
        if let (Some(url), true) = (&self.store.value, self.persistence.value) {
            return StoreLocation::Postgres(Box::new(url.clone()));
        }
        match &self.storage_path.value {
            Some(folder) if self.persistence.value => {
                StoreLocation::File(folder.join("modekeeper.db"))
            }
            _ => StoreLocation::Memory,
        }
    }
}

/// What every value is picked from.
#[derive(Debug)]
struct Layers<'a> {
    flags: &'a Flags,
    env: &'a Env,
    file: ConfigFile,
}

impl Layers<'_> {
    /// 1. the flag; 2. the variable; 3. the file; 4. the default.
    fn read<T: SettingValue>(
        &self,
        setting: &'static Setting,
    ) -> Result<SourcedValue<T>, ConfigError> {
        let variable = setting
            .variable
            .filter(|name| self.env.settings.contains_key(name));
        if let (Some(given), Some(flag)) = (self.flags.given(setting), setting.flag) {
            return self.parse(
                setting,
                GivenValue::Texts(given),
                SettingOrigin::Flag(flag.name),
            );
        }
        if let Some((name, value)) = variable.and_then(|name| self.env.settings.get_key_value(name))
        {
            let given = [value.clone()];
            return self.parse(
                setting,
                GivenValue::Texts(&given),
                SettingOrigin::Environment(name),
            );
        }
        if let Some(value) = self.file.get(setting) {
            let origin = SettingOrigin::File(self.file.path().to_owned());
            return self.parse(setting, GivenValue::Json(value), origin);
        }
        match setting.default {
            Fallback::Json(text) => {
                let value = serde_json::from_str(text).unwrap_or(Json::Null);
                self.parse(setting, GivenValue::Json(&value), SettingOrigin::Default)
            }
            Fallback::Path(find) => {
                self.parse_path(setting, find(self.env), SettingOrigin::Default)
            }
            Fallback::Found(find, how) => {
                self.parse_path(setting, find(self.env), SettingOrigin::Found(how))
            }
        }
    }

    fn parse_path<T: SettingValue>(
        &self,
        setting: &'static Setting,
        path: Option<PathBuf>,
        origin: SettingOrigin,
    ) -> Result<SourcedValue<T>, ConfigError> {
        let path: Option<[OsString; 1]> = path.map(|path| [path.into_os_string()]);
        let given = path.as_ref().map_or(GivenValue::Json(&Json::Null), |path| {
            GivenValue::Texts(path)
        });
        self.parse(setting, given, origin)
    }

    fn parse<T: SettingValue>(
        &self,
        setting: &'static Setting,
        given: GivenValue<'_>,
        origin: SettingOrigin,
    ) -> Result<SourcedValue<T>, ConfigError> {
        let file_directory = match &origin {
            SettingOrigin::File(path) => path.parent(),
            _ => None,
        };
        let around = SettingContext {
            env: self.env,
            file_directory,
        };
        match T::read(given, around) {
            Ok(value) => Ok(SourcedValue { value, origin }),
            Err(wrong) => Err(ConfigError::of(setting, given, origin, wrong)),
        }
    }
}
