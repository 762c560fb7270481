//! What the operator set, from flags, environment, file and defaults: each value knows where it came from.

mod error;
mod file;
mod server;

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mk_engine::{Folders, Settings, Start, Watching};
use mk_lsp::CustomServer;
use mk_policy::Switching;
use mk_project::find_root;
use mk_store::Location;
use mk_tools::Family;
use mk_types::{AbsPath, ModeSlug};

pub(crate) use error::ConfigError;
use file::{ConfigFile, read_file};

use crate::env::Env;

/// Values that a flag can set; the command line fills in what was given.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flags {
    pub(crate) config: Option<PathBuf>,
    pub(crate) project_root: Option<PathBuf>,
    pub(crate) log_level: Option<String>,
    pub(crate) default_mode: Option<String>,
    pub(crate) switching: Option<String>,
    pub(crate) in_memory: bool,
    pub(crate) toolsets: Vec<String>,
    pub(crate) listen: Option<String>,
    pub(crate) allow_hosts: Vec<String>,
    pub(crate) allow_origins: Vec<String>,
}

/// A value and where it came from.
#[derive(Debug, Clone)]
pub(crate) struct Sourced<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    Default,
    File(PathBuf),
    Environment(&'static str),
    Flag(&'static str),
    /// Found by looking, as the project's root is.
    Found(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Environment(name) => f.write_str(name),
            Self::Flag(name) => f.write_str(name),
            Self::Found(how) => f.write_str(how),
        }
    }
}

/// The whole configuration.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    pub(crate) project_root: Sourced<AbsPath>,
    pub(crate) config_dir: Sourced<Option<PathBuf>>,
    pub(crate) global_config_dir: Sourced<Option<PathBuf>>,
    pub(crate) session_timeout: Sourced<u64>,
    pub(crate) cleanup_interval: Sourced<u64>,
    pub(crate) persistence: Sourced<bool>,
    pub(crate) storage_path: Sourced<Option<PathBuf>>,
    pub(crate) log_level: Sourced<String>,
    pub(crate) log_file: Sourced<Option<PathBuf>>,
    pub(crate) default_mode: Sourced<ModeSlug>,
    pub(crate) switching: Sourced<Switching>,
    pub(crate) approval_timeout: Sourced<u64>,
    pub(crate) listen: Sourced<String>,
    pub(crate) allow_hosts: Sourced<Vec<String>>,
    pub(crate) allow_origins: Sourced<Vec<String>>,
    pub(crate) toolsets: Sourced<Vec<Family>>,
    /// Whether calls over HTTP are limited.
    pub(crate) rate_limits: Sourced<bool>,
    /// Folders whose projects may be activated without asking.
    pub(crate) project_folders: Sourced<Vec<PathBuf>>,
    pub(crate) read_only_memories: Sourced<Vec<String>>,
    /// Language servers that the operator names.
    pub(crate) language_servers: Sourced<Vec<CustomServer>>,
    /// Whether language servers may run code of the project.
    pub(crate) run_project_code: Sourced<bool>,
    /// Things in the file that have no effect.
    pub(crate) warnings: Vec<String>,
    home: Option<PathBuf>,
    search_path: OsString,
}

pub(crate) const DEFAULT_LISTEN: &str = "127.0.0.1:7337";

impl Config {
    /// Puts the layers together: flags beat environment beats file beats defaults.
    pub(crate) fn load(flags: &Flags, env: &Env) -> Result<Self, ConfigError> {
        let config_dir = own_config_dir(env);
        let (path, file, warnings) = load_file(flags, env, config_dir.value.as_deref())?;
        let layers = Layers { path, env };
        let project_root = project_root(flags, env, &file, &layers)?;
        let default_mode = layers.pick(
            (flags.default_mode.clone(), "--default-mode"),
            (env.default_mode.clone(), "MODEKEEPER_DEFAULT_MODE"),
            file.default_mode,
            "code".to_owned(),
        );
        let switching = layers.pick(
            (flags.switching.clone(), "--switching"),
            (env.switching.clone(), "MODEKEEPER_SWITCHING"),
            file.switching,
            Switching::default().as_str().to_owned(),
        );
        let log_level = layers.pick(
            (flags.log_level.clone(), "--log-level"),
            (env.log_level.clone(), "MODEKEEPER_LOG_LEVEL"),
            file.log_level,
            "INFO".to_owned(),
        );
        if crate::log::parse_level(&log_level.value).is_none() {
            return Err(ConfigError::bad_value(
                "logging.level",
                &log_level,
                "one of DEBUG, INFO, WARNING, ERROR",
            ));
        }
        let in_memory = flags.in_memory.then_some(false);
        let home = env.home.clone();
        let roo = || home.as_ref().map(|home| home.join(".roo-code"));
        let global = layers.pick(
            (None, ""),
            (
                env.roo_config_dir.clone().map(|path| layers.expand(&path)),
                "ROO_CONFIG_DIR",
            ),
            file.global_config_dir.map(|path| layers.expand(&path)),
            PathBuf::new(),
        );
        let global = if global.origin == Origin::Default {
            global.map(|_| roo())
        } else {
            global.map(Some)
        };
        let storage = layers.pick(
            (None, ""),
            (env.state_dir.clone(), "MODEKEEPER_STATE_DIR"),
            file.storage_path.map(|path| layers.expand(&path)),
            PathBuf::new(),
        );
        let storage = if storage.origin == Origin::Default {
            storage.map(|_| state_dir(env))
        } else {
            storage.map(Some)
        };
        Ok(Self {
            project_root,
            config_dir,
            global_config_dir: global,
            session_timeout: layers.file_or(file.timeout, 3600),
            cleanup_interval: layers.file_or(file.cleanup_interval, 300),
            persistence: layers.pick(
                (in_memory, "--in-memory"),
                (None, ""),
                file.persistence,
                true,
            ),
            storage_path: storage,
            log_level,
            log_file: layers.file_or(file.log_file.map(|path| Some(layers.expand(&path))), None),
            default_mode: default_mode.parse(
                |text| ModeSlug::parse(text).ok(),
                "default_mode",
                "a mode's slug",
            )?,
            switching: switching.parse(
                Switching::parse,
                "switching",
                "one of free, ask_to_widen, locked",
            )?,
            approval_timeout: layers.file_or(file.approval_timeout, 50),
            listen: layers.pick(
                (flags.listen.clone(), "--listen"),
                (None, ""),
                file.listen,
                DEFAULT_LISTEN.to_owned(),
            ),
            allow_hosts: layers.list((&flags.allow_hosts, "--allow-host"), file.allow_hosts),
            allow_origins: layers
                .list((&flags.allow_origins, "--allow-origin"), file.allow_origins),
            toolsets: toolsets(&layers, flags, file.toolsets)?,
            rate_limits: layers.file_or(file.rate_limits, true),
            project_folders: layers.file_or(
                file.project_folders.map(|list| {
                    list.iter()
                        .map(|path| layers.expand(path.as_ref()))
                        .collect()
                }),
                Vec::new(),
            ),
            read_only_memories: layers.file_or(file.read_only_memories, Vec::new()),
            language_servers: layers
                .file_or(file.language_servers, Vec::new())
                .map(|servers| server::at_home(servers, home.as_ref())),
            run_project_code: layers.file_or(file.run_project_code, false),
            warnings,
            home,
            search_path: env.search_path.clone(),
        })
    }

    pub(crate) fn log_filter(&self) -> tracing::level_filters::LevelFilter {
        crate::log::parse_level(&self.log_level.value)
            .unwrap_or(tracing::level_filters::LevelFilter::INFO)
    }

    /// Where calls work that name no project. A server that a desktop starts in `/` is in no project.
    pub(crate) fn start(&self) -> Start {
        let root = self.project_root.value.clone();
        match self.project_root.origin {
            Origin::Found(_) if root.as_path().parent().is_none() => Start::Nowhere(root),
            Origin::Found(_) => Start::Found(root),
            _ => Start::Named(root),
        }
    }

    pub(crate) fn settings(&self, watching: Watching) -> Settings {
        Settings {
            session_timeout: Duration::from_secs(self.session_timeout.value),
            cleanup_interval: Duration::from_secs(self.cleanup_interval.value),
            default_mode: self.default_mode.value.clone(),
            switching: self.switching.value,
            approval_timeout: Duration::from_secs(self.approval_timeout.value),
            watching,
            project_folders: self
                .project_folders
                .value
                .iter()
                .filter_map(|path| AbsPath::new(path))
                .collect(),
            read_only_memories: self.read_only_memories.value.clone(),
            servers: server::settings(self),
            ..Settings::default()
        }
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

    /// Where sessions are kept; in memory if that is wanted, or if nobody has a home.
    pub(crate) fn store_location(&self) -> Location {
        match &self.storage_path.value {
            Some(folder) if self.persistence.value => Location::File(folder.join("modekeeper.db")),
            _ => Location::Memory,
        }
    }
}

impl<T> Sourced<T> {
    fn map<U>(self, change: impl FnOnce(T) -> U) -> Sourced<U> {
        Sourced {
            value: change(self.value),
            origin: self.origin,
        }
    }
}

impl Sourced<String> {
    fn parse<U>(
        self,
        parse: impl FnOnce(&str) -> Option<U>,
        key: &'static str,
        expected: &'static str,
    ) -> Result<Sourced<U>, ConfigError> {
        match parse(&self.value) {
            Some(value) => Ok(Sourced {
                value,
                origin: self.origin,
            }),
            None => Err(ConfigError::bad_value(key, &self, expected)),
        }
    }
}

/// What every value is picked from.
struct Layers<'a> {
    path: Option<PathBuf>,
    env: &'a Env,
}

impl Layers<'_> {
    fn pick<T>(
        &self,
        flag: (Option<T>, &'static str),
        env: (Option<T>, &'static str),
        file: Option<T>,
        default: T,
    ) -> Sourced<T> {
        match (flag, env) {
            ((Some(value), name), _) => Sourced {
                value,
                origin: Origin::Flag(name),
            },
            (_, (Some(value), name)) => Sourced {
                value,
                origin: Origin::Environment(name),
            },
            _ => self.file_or(file, default),
        }
    }

    fn file_or<T>(&self, file: Option<T>, default: T) -> Sourced<T> {
        match (file, &self.path) {
            (Some(value), Some(path)) => Sourced {
                value,
                origin: Origin::File(path.clone()),
            },
            _ => Sourced {
                value: default,
                origin: Origin::Default,
            },
        }
    }

    fn list(
        &self,
        flag: (&[String], &'static str),
        file: Option<Vec<String>>,
    ) -> Sourced<Vec<String>> {
        let given = (!flag.0.is_empty()).then(|| flag.0.to_vec());
        self.pick((given, flag.1), (None, ""), file, Vec::new())
    }

    /// `~` is the home; a relative path in a file is relative to that file.
    fn expand(&self, path: &Path) -> PathBuf {
        let expanded = match (path.strip_prefix("~"), &self.env.home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => path.to_owned(),
        };
        match self.path.as_deref().and_then(Path::parent) {
            Some(folder) if expanded.is_relative() => folder.join(expanded),
            _ => expanded,
        }
    }
}

fn own_config_dir(env: &Env) -> Sourced<Option<PathBuf>> {
    let below = |base: &PathBuf| base.join("modekeeper");
    let xdg = || env.xdg_config_home.as_ref().map(below);
    let home = || {
        env.home
            .as_ref()
            .map(|home| home.join(".config/modekeeper"))
    };
    match &env.config_dir {
        Some(path) => Sourced {
            value: Some(path.clone()),
            origin: Origin::Environment("MODEKEEPER_CONFIG_DIR"),
        },
        None => Sourced {
            value: xdg().or_else(home),
            origin: Origin::Default,
        },
    }
}

fn state_dir(env: &Env) -> Option<PathBuf> {
    let xdg = env
        .xdg_state_home
        .as_ref()
        .map(|base| base.join("modekeeper"));
    xdg.or_else(|| {
        env.home
            .as_ref()
            .map(|home| home.join(".local/state/modekeeper"))
    })
}

fn toolsets(
    layers: &Layers<'_>,
    flags: &Flags,
    file: Option<Vec<String>>,
) -> Result<Sourced<Vec<Family>>, ConfigError> {
    let all = || {
        Family::ALL
            .map(|family| family.as_str().to_owned())
            .to_vec()
    };
    let named = layers.list((&flags.toolsets, "--toolsets"), file);
    let named = if named.value.is_empty() {
        Sourced {
            value: all(),
            ..named
        }
    } else {
        named
    };
    let parsed: Option<Vec<Family>> = named.value.iter().map(|name| Family::parse(name)).collect();
    match parsed {
        Some(value) => Ok(Sourced {
            value,
            origin: named.origin,
        }),
        None => {
            let given = Sourced {
                value: named.value.join(","),
                origin: named.origin,
            };
            Err(ConfigError::bad_value(
                "toolsets",
                &given,
                "a list of modes, files, symbols, memory, project, rules",
            ))
        }
    }
}

type LoadedConfig = (Option<PathBuf>, ConfigFile, Vec<String>);

fn load_file(
    flags: &Flags,
    env: &Env,
    config_dir: Option<&Path>,
) -> Result<LoadedConfig, ConfigError> {
    let given = flags.config.as_ref().map(|path| match &env.current_dir {
        Some(folder) => folder.join(path),
        None => path.clone(),
    });
    let named = given.is_some();
    let Some(path) = given.or_else(|| config_dir.map(|folder| folder.join("config.json"))) else {
        return Ok((None, ConfigFile::default(), Vec::new()));
    };
    match read_file(&path)? {
        Some((file, warnings)) => Ok((Some(path), file, warnings)),
        None if named => Err(ConfigError::Missing { path }),
        None => Ok((None, ConfigFile::default(), Vec::new())),
    }
}

fn project_root(
    flags: &Flags,
    env: &Env,
    file: &ConfigFile,
    layers: &Layers<'_>,
) -> Result<Sourced<AbsPath>, ConfigError> {
    let current = env.current_dir.as_deref().and_then(AbsPath::new);
    let current = current.ok_or(ConfigError::NoWorkingDirectory)?;
    let given = layers.pick(
        (flags.project_root.clone(), "--project-root"),
        (env.roo_project_root.clone(), "ROO_PROJECT_ROOT"),
        file.project_root.as_deref().map(|path| layers.expand(path)),
        PathBuf::new(),
    );
    if given.origin == Origin::Default {
        let value = find_root(&current, env.home.as_deref());
        return Ok(Sourced {
            value,
            origin: Origin::Found("from the working directory"),
        });
    }
    let path = match (given.value.strip_prefix("~"), &env.home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => given.value.clone(),
    };
    let root = current.join(&path).filter(|root| root.as_path().is_dir());
    let root = root.ok_or_else(|| ConfigError::NoProject {
        path,
        origin: given.origin.clone(),
    })?;
    Ok(Sourced {
        value: root,
        origin: given.origin,
    })
}
