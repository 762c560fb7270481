//! Every setting, declared once: key, type, default, variable, flag and text.
//!
//! Loading, `config show`, `config init`, the flags' help, the JSON Schema and docs/reference/config.md come from here.

use std::ffi::OsString;
use std::path::PathBuf;

use mk_clients::ROO_HOME_DIRECTORY;
use mk_engine::{CustomServer, PostgresUrl, policy_root};
use mk_policy::Switching;
use mk_tools::Toolset;
use mk_types::{AbsPath, ModeSlug};
use serde_json::Value as Json;

use super::value::{LogLevel, SettingValue};
use super::{ConfigError, Layers, SettingOrigin, SourcedValue};
use crate::env::Env;

/// What is known about a setting before anything is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    /// The key in `config.json`; `a.b` is `b` in the object `a`.
    pub(crate) key: &'static str,
    pub(crate) default: Fallback,
    /// One sentence for help, schema and reference.
    pub(crate) text: &'static str,
    pub(crate) variable: Option<&'static str>,
    pub(crate) flag: Option<Flag>,
    /// Whether the file can set it.
    pub(crate) in_file: bool,
}

/// What holds if it is set nowhere.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fallback {
    /// JSON as a file would have it; `null` for no value, or all values of a list of names.
    Json(&'static str),
    /// A directory of the user's.
    Path(fn(&Env) -> Option<PathBuf>),
    /// What is found, and how.
    Found(fn(&Env) -> Option<PathBuf>, &'static str),
}

/// A flag that sets it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flag {
    /// With its dashes.
    pub(crate) name: &'static str,
    pub(crate) takes: FlagValue,
    pub(crate) of: FlagCommands,
    /// If the setting's text does not fit.
    pub(crate) text: Option<&'static str>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum FlagValue {
    /// One value, and what help calls it.
    Value(&'static str),
    /// Several, separated by commas.
    List(&'static str),
    /// Several, by repeating the flag.
    Repeated(&'static str),
    /// None: the flag stands for this value.
    Nothing(&'static str),
}

/// Which commands have the flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlagCommands {
    Every,
    Serve,
}

impl Setting {
    const fn new(key: &'static str, default: Fallback, text: &'static str) -> Self {
        Self {
            key,
            default,
            text,
            variable: None,
            flag: None,
            in_file: true,
        }
    }

    const fn variable(self, name: &'static str) -> Self {
        Self {
            variable: Some(name),
            ..self
        }
    }

    const fn flag(self, name: &'static str, takes: FlagValue, of: FlagCommands) -> Self {
        let flag = Flag {
            name,
            takes,
            of,
            text: None,
        };
        Self {
            flag: Some(flag),
            ..self
        }
    }

    const fn flag_text(self, text: &'static str) -> Self {
        let flag = match self.flag {
            Some(flag) => Some(Flag {
                text: Some(text),
                ..flag
            }),
            None => None,
        };
        Self { flag, ..self }
    }

    const fn not_in_file(self) -> Self {
        Self {
            in_file: false,
            ..self
        }
    }
}

/// A setting as it is now.
#[derive(Debug)]
pub(crate) struct SettingRow {
    pub(crate) setting: &'static Setting,
    pub(crate) value: Json,
    pub(crate) origin: SettingOrigin,
}

macro_rules! settings {
    ($($field:ident: $type:ty = $setting:expr;)*) => {
        /// All of them, in the order in which they are shown.
        pub(crate) static SETTINGS: &[Setting] = &[$($setting),*];

        /// The whole configuration.
        #[derive(Debug, Clone)]
        pub(crate) struct Config {
            $(pub(crate) $field: SourcedValue<$type>,)*
            /// Things in the file that have no effect.
            pub(crate) warnings: Vec<String>,
            pub(super) home: Option<PathBuf>,
            pub(super) search_path: OsString,
        }

        impl Config {
            pub(super) fn read(layers: &Layers<'_>) -> Result<Self, ConfigError> {
                Ok(Self {
                    $($field: layers.read::<$type>(&const { $setting })?,)*
                    warnings: layers.file.warnings(),
                    home: layers.env.home.clone(),
                    search_path: layers.env.search_path.clone(),
                })
            }

            /// Every setting with its value.
            pub(crate) fn rows(&self) -> Vec<SettingRow> {
                vec![$(SettingRow {
                    setting: &const { $setting },
                    value: self.$field.value.to_json(),
                    origin: self.$field.origin.clone(),
                }),*]
            }
        }

        /// Every setting with the JSON Schema of its value.
        pub(super) fn schemas() -> Vec<(&'static Setting, Json)> {
            vec![$((&const { $setting }, <$type as SettingValue>::schema())),*]
        }
    };
}

settings! {
    toolsets: Vec<Toolset> = Setting::new(
        "toolsets",
        Fallback::Json("null"),
        "Toolsets to offer: modes, files, symbols, memory, project, rules, commands (default: these), serena (its names for our tools)",
    ).flag("--toolsets", FlagValue::List("LIST"), FlagCommands::Every);
    project_folders: Vec<PathBuf> = Setting::new(
        "project_folders",
        Fallback::Json("[]"),
        "Directories whose projects agents may activate without approval",
    );
    read_only_memories: Vec<String> = Setting::new(
        "read_only_memories",
        Fallback::Json("[]"),
        "Globs of memories that agents may not change",
    );
    language_servers: Vec<CustomServer> = Setting::new(
        "language_servers",
        Fallback::Json("[]"),
        "Language servers of your own, preferred to the known ones",
    );
    run_project_code: bool = Setting::new(
        "run_project_code",
        Fallback::Json("false"),
        "Whether language servers may run code of the project where no wall holds them: build scripts, macros, programs in `node_modules` and `.venv`",
    );
    wall_trees: Vec<String> = Setting::new(
        "wall.trees",
        Fallback::Json("[]"),
        "Directories that every command may write, relative to the project, such as `node_modules`; what is planted there may run later outside the wall",
    );
    wall_sockets: Vec<PathBuf> = Setting::new(
        "wall.sockets",
        Fallback::Json("[]"),
        "UNIX sockets that commands may connect to",
    );
    wall_time_limit: u64 = Setting::new(
        "wall.time_limit",
        Fallback::Json("86400"),
        "Seconds after which a command inside the wall is ended",
    );
    run_unwalled: bool = Setting::new(
        "wall.run_unwalled",
        Fallback::Json("false"),
        "Whether `run_command` is offered where no wall holds commands",
    );
    rate_limits: bool = Setting::new(
        "http.rate_limits",
        Fallback::Json("true"),
        "Whether calls over HTTP are limited per client",
    );
    project_root: AbsPath = Setting::new(
        "paths.project_root",
        Fallback::Found(found_root, "from the working directory"),
        "Project directory (default: found from the working directory)",
    ).variable("ROO_PROJECT_ROOT").flag("--project-root", FlagValue::Value("DIR"), FlagCommands::Every);
    config_dir: Option<PathBuf> = CONFIG_DIR;
    global_config_dir: Option<PathBuf> = Setting::new(
        "paths.global_config_dir",
        Fallback::Path(roo_directory),
        "Directory with the global modes of Roo Code and its relatives",
    ).variable("ROO_CONFIG_DIR");
    session_timeout: u64 = Setting::new(
        "sessions.timeout",
        Fallback::Json("3600"),
        "Seconds without activity after which a session expires",
    );
    cleanup_interval: u64 = Setting::new(
        "sessions.cleanup_interval",
        Fallback::Json("300"),
        "Seconds between two sweeps of idle sessions",
    );
    retention: u64 = Setting::new(
        "sessions.retention",
        Fallback::Json("7776000"),
        "Seconds for which finished and expired tasks and decisions can be read",
    );
    persistence: bool = Setting::new(
        "sessions.persistence.enabled",
        Fallback::Json("true"),
        "Whether sessions are kept on disk",
    ).flag("--in-memory", FlagValue::Nothing("false"), FlagCommands::Every).flag_text("Keep tasks in memory instead of on disk");
    storage_path: Option<PathBuf> = Setting::new(
        "sessions.persistence.storage_path",
        Fallback::Path(state_directory),
        "Directory of the database, backups and caches",
    ).variable("MODEKEEPER_STATE_DIR");
    store: Option<PostgresUrl> = Setting::new(
        "sessions.persistence.store",
        Fallback::Json("null"),
        "PostgreSQL database that several servers share, such as postgres://modekeeper@db/modekeeper, instead of the embedded one; the password comes from PGPASSWORD or a password file",
    ).variable("MODEKEEPER_STORE").flag("--store", FlagValue::Value("URL"), FlagCommands::Every)
        .flag_text("PostgreSQL database that several servers share, instead of the embedded one");
    log_level: LogLevel = Setting::new(
        "logging.level",
        Fallback::Json("\"INFO\""),
        "How much to log to stderr: DEBUG, INFO, WARNING or ERROR",
    ).variable("MODEKEEPER_LOG_LEVEL").flag("--log-level", FlagValue::Value("LEVEL"), FlagCommands::Every);
    log_file: Option<PathBuf> = Setting::new(
        "logging.file",
        Fallback::Json("null"),
        "File to log to, in addition to stderr",
    );
    default_mode: ModeSlug = Setting::new(
        "default_mode",
        Fallback::Json("\"code\""),
        "Mode for calls that are not part of a task",
    ).variable("MODEKEEPER_DEFAULT_MODE").flag("--default-mode", FlagValue::Value("SLUG"), FlagCommands::Every);
    switching: Switching = Setting::new(
        "switching",
        Fallback::Json("\"free\""),
        "Whether agents may change modes: free, ask_to_widen or locked",
    ).variable("MODEKEEPER_SWITCHING").flag("--switching", FlagValue::Value("RULE"), FlagCommands::Every);
    approval_timeout: u64 = Setting::new(
        "approval_timeout",
        Fallback::Json("50"),
        "Seconds that a call waits for an approval",
    );
    otlp_endpoint: Option<String> = Setting::new(
        "telemetry.otlp_endpoint",
        Fallback::Json("null"),
        "OpenTelemetry collector that `modekeeper serve` sends traces and metrics to, such as http://localhost:4318",
    ).variable("OTEL_EXPORTER_OTLP_ENDPOINT");
    listen: String = Setting::new(
        "http.listen",
        Fallback::Json("\"127.0.0.1:7337\""),
        "Address and port of `modekeeper serve`",
    ).flag("--listen", FlagValue::Value("ADDRESS"), FlagCommands::Serve)
        .flag_text("Address and port; port 0 takes a free one (default: 127.0.0.1:7337)");
    allow_hosts: Vec<String> = Setting::new(
        "http.allow_hosts",
        Fallback::Json("[]"),
        "Additional Host headers to accept besides localhost",
    ).flag("--allow-host", FlagValue::Repeated("HOST"), FlagCommands::Serve)
        .flag_text("Additional Host header to accept besides localhost (repeatable)");
    allow_origins: Vec<String> = Setting::new(
        "http.allow_origins",
        Fallback::Json("[]"),
        "Origins of web pages that may use this server",
    ).flag("--allow-origin", FlagValue::Repeated("ORIGIN"), FlagCommands::Serve)
        .flag_text("Origin of a web page that may use this server (repeatable)");
    require_token: bool = Setting::new(
        "http.require_token",
        Fallback::Json("false"),
        "Whether every caller needs a token, on this machine too; for servers behind a proxy",
    ).flag("--require-token", FlagValue::Nothing("true"), FlagCommands::Serve)
        .flag_text("Ask every caller for a token, on this machine too (for servers behind a proxy)");
    trusted_proxies: Vec<String> = Setting::new(
        "http.trusted_proxies",
        Fallback::Json("[]"),
        "Addresses or networks of reverse proxies whose X-Forwarded-For or Forwarded header says where a request comes from",
    ).flag("--trust-proxy", FlagValue::Repeated("ADDRESS"), FlagCommands::Serve)
        .flag_text("Reverse proxy (address or network) whose forwarded client addresses are trusted (repeatable)");
    public_url: Option<String> = Setting::new(
        "http.public_url",
        Fallback::Json("null"),
        "URL by which clients reach this server, such as https://modes.example.com (default: its address)",
    ).flag("--public-url", FlagValue::Value("URL"), FlagCommands::Serve);
    issuer: Option<String> = Setting::new(
        "http.issuer",
        Fallback::Json("null"),
        "OAuth issuer whose access tokens are accepted; their scopes `mode:<slug>` cap what is done with them",
    ).flag("--issuer", FlagValue::Value("URL"), FlagCommands::Serve);
    jwks: Option<String> = Setting::new(
        "http.jwks",
        Fallback::Json("null"),
        "URL or file of the issuer's keys (default: where the issuer's metadata says)",
    ).flag("--jwks", FlagValue::Value("URL"), FlagCommands::Serve);
}

/// Where the file is, so the file cannot set it.
pub(super) const CONFIG_DIR: Setting = Setting::new(
    "paths.config_dir",
    Fallback::Path(config_directory),
    "Directory of `config.json`, `modes.yaml` and the user's playbook",
)
.variable("MODEKEEPER_CONFIG_DIR")
.not_in_file();

fn config_directory(env: &Env) -> Option<PathBuf> {
    let xdg = env.xdg_config_home.as_ref();
    let xdg = xdg.map(|base| base.join("modekeeper"));
    xdg.or_else(|| Some(env.home.as_ref()?.join(".config/modekeeper")))
}

/// Where our own state is, unless a setting moves it.
pub(crate) fn state_directory(env: &Env) -> Option<PathBuf> {
    let xdg = env.xdg_state_home.as_ref();
    let xdg = xdg.map(|base| base.join("modekeeper"));
    xdg.or_else(|| Some(env.home.as_ref()?.join(".local/state/modekeeper")))
}

fn roo_directory(env: &Env) -> Option<PathBuf> {
    Some(env.home.as_ref()?.join(ROO_HOME_DIRECTORY))
}

fn found_root(env: &Env) -> Option<PathBuf> {
    let current = AbsPath::new(env.current_dir.as_deref()?)?;
    let root = policy_root(&current, env.home.as_deref());
    Some(root.as_path().to_owned())
}
