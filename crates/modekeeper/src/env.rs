//! Every environment variable that means something to us, read once. Nothing else looks at the environment.

use std::ffi::OsString;
use std::path::PathBuf;

/// The environment as it was at the start.
#[derive(Debug, Clone, Default)]
pub(crate) struct Env {
    pub(crate) home: Option<PathBuf>,
    pub(crate) xdg_config_home: Option<PathBuf>,
    pub(crate) xdg_state_home: Option<PathBuf>,
    pub(crate) current_dir: Option<PathBuf>,
    /// `MODEKEEPER_CONFIG_DIR`: where `config.json` and `modes.yaml` are.
    pub(crate) config_dir: Option<PathBuf>,
    /// `MODEKEEPER_STATE_DIR`: where the database is.
    pub(crate) state_dir: Option<PathBuf>,
    /// `MODEKEEPER_LOG_LEVEL`.
    pub(crate) log_level: Option<String>,
    /// `MODEKEEPER_DEFAULT_MODE`.
    pub(crate) default_mode: Option<String>,
    /// `MODEKEEPER_SWITCHING`.
    pub(crate) switching: Option<String>,
    /// `ROO_PROJECT_ROOT`.
    pub(crate) roo_project_root: Option<PathBuf>,
    /// `ROO_CONFIG_DIR`.
    pub(crate) roo_config_dir: Option<PathBuf>,
    /// `PATH`.
    pub(crate) search_path: OsString,
}

impl Env {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads the environment"
    )]
    pub(crate) fn read() -> Self {
        let path = |name: &str| {
            std::env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let text = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        Self {
            home: path("HOME").or_else(|| path("USERPROFILE")),
            xdg_config_home: path("XDG_CONFIG_HOME").filter(|path| path.is_absolute()),
            xdg_state_home: path("XDG_STATE_HOME").filter(|path| path.is_absolute()),
            current_dir: std::env::current_dir().ok(),
            config_dir: path("MODEKEEPER_CONFIG_DIR"),
            state_dir: path("MODEKEEPER_STATE_DIR"),
            log_level: text("MODEKEEPER_LOG_LEVEL"),
            default_mode: text("MODEKEEPER_DEFAULT_MODE"),
            switching: text("MODEKEEPER_SWITCHING"),
            roo_project_root: path("ROO_PROJECT_ROOT"),
            roo_config_dir: path("ROO_CONFIG_DIR"),
            search_path: std::env::var_os("PATH").unwrap_or_default(),
        }
    }
}
