//! The environment, read once. Nothing else looks at it.
//!
//! Variables that set a setting are declared with it, in the table of settings; the others are declared here.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use mk_engine::PostgresUrl;

use crate::config::SETTINGS;

/// Milliseconds in which a hook decides, for machines that are too busy for the usual ones.
const HOOK_DEADLINE: &str = "MODEKEEPER_HOOK_DEADLINE";
/// Clients wait for a minute, and what comes later is a yes in some of them.
const LONGEST_DEADLINE: Duration = Duration::from_secs(30);
const STATE_DIR: &str = "MODEKEEPER_STATE_DIR";
/// Says to our MCP server whose conversation it is part of, where the proxy has offered it.
pub(crate) const CONVERSATION: &str = "MODEKEEPER_CONVERSATION";
const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
const XDG_STATE_HOME: &str = "XDG_STATE_HOME";

/// The environment as it was at the start.
#[derive(Debug, Clone, Default)]
pub(crate) struct Env {
    pub(crate) home: Option<PathBuf>,
    pub(crate) xdg_config_home: Option<PathBuf>,
    pub(crate) xdg_state_home: Option<PathBuf>,
    /// Directories that variables of the clients have moved.
    pub(crate) client_directories: Vec<(&'static str, PathBuf)>,
    /// What tells clients whether to trust a project's files.
    pub(crate) trust_variables: Vec<(&'static str, String)>,
    pub(crate) current_dir: Option<PathBuf>,
    /// Which session of which client this process belongs to, as clients tell their children.
    pub(crate) client_sessions: Vec<(&'static str, String)>,
    /// Which scripts of ours the shell of the client above is led through, as its environment says.
    pub(crate) shell_scripts: Vec<(&'static str, PathBuf)>,
    /// Variables of agents that the proxy adds to.
    pub(crate) agent_variables: Vec<(&'static str, String)>,
    /// The editor that the person has chosen.
    pub(crate) editor: Option<String>,
    /// Whether there is a desktop to open a browser on.
    pub(crate) has_display: bool,
    /// The password of the database, and where one may be written down.
    pub(crate) database_password: Option<String>,
    pub(crate) password_file: Option<PathBuf>,
    /// `PATH`.
    pub(crate) search_path: OsString,
    /// Variables of settings that are there and not empty.
    pub(crate) settings: BTreeMap<&'static str, OsString>,
}

impl Env {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads the environment"
    )]
    pub(crate) fn read() -> Self {
        let text = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let path = |name: &str| text(name).map(PathBuf::from);
        let variables = SETTINGS.iter().filter_map(|setting| setting.variable);
        Self {
            home: path("HOME").or_else(|| path("USERPROFILE")),
            xdg_config_home: path(XDG_CONFIG_HOME).filter(|path| path.is_absolute()),
            xdg_state_home: path(XDG_STATE_HOME).filter(|path| path.is_absolute()),
            client_directories: mk_clients::DIRECTORY_VARIABLES
                .into_iter()
                .filter_map(|name| Some((name, path(name).filter(|path| path.is_absolute())?)))
                .collect(),
            trust_variables: mk_clients::TRUST_VARIABLES
                .into_iter()
                .filter_map(|name| Some((name, text(name)?.into_string().ok()?)))
                .collect(),
            current_dir: std::env::current_dir().ok(),
            client_sessions: client_sessions(|name| text(name)?.into_string().ok()),
            shell_scripts: mk_clients::SHELL_VARIABLES
                .into_iter()
                .filter_map(|name| Some((name, path(name)?)))
                .collect(),
            agent_variables: mk_clients::ACP_VARIABLES
                .into_iter()
                .filter_map(|name| Some((name, text(name)?.into_string().ok()?)))
                .collect(),
            editor: text("VISUAL")
                .or_else(|| text("EDITOR"))
                .and_then(|editor| editor.into_string().ok()),
            has_display: text("DISPLAY").is_some() || text("WAYLAND_DISPLAY").is_some(),
            database_password: text("PGPASSWORD").and_then(|it| it.into_string().ok()),
            password_file: path("PGPASSFILE"),
            search_path: std::env::var_os("PATH").unwrap_or_default(),
            settings: variables
                .filter_map(|name| Some((name, text(name)?)))
                .collect(),
        }
    }
}

impl Env {
    /// The password for a database whose URL has none, as PostgreSQL's own programs find it.
    pub(crate) fn database_password(&self, url: &PostgresUrl) -> Option<String> {
        if self.database_password.is_some() {
            return self.database_password.clone();
        }
        let usual = || Some(self.home.as_ref()?.join(".pgpass"));
        let file = self.password_file.clone().or_else(usual)?;
        if is_shared(&file) {
            return None;
        }
        url.password_in(&std::fs::read_to_string(file).ok()?)
    }
}

/// Whether others than its owner may read a file of passwords, which is not used then.
#[cfg(unix)]
fn is_shared(file: &std::path::Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(file).is_ok_and(|it| it.mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_shared(_file: &std::path::Path) -> bool {
    false
}

impl Env {
    /// The variables that move our own files, with where they point to.
    pub(crate) fn own_directories(&self) -> Vec<(&'static str, PathBuf)> {
        let state = self.settings.get(STATE_DIR).map(PathBuf::from);
        let state = state.filter(|path| path.is_absolute());
        [
            (STATE_DIR, &state),
            (XDG_CONFIG_HOME, &self.xdg_config_home),
            (XDG_STATE_HOME, &self.xdg_state_home),
        ]
        .into_iter()
        .filter_map(|(name, path)| Some((name, path.clone()?)))
        .collect()
    }
}

/// How long a hook may take, if somebody has said it. Read apart, because the hook waits before it reads anything.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the environment"
)]
pub(crate) fn hook_deadline() -> Option<Duration> {
    let milliseconds = std::env::var(HOOK_DEADLINE).ok()?.parse().ok()?;
    Some(Duration::from_millis(milliseconds).min(LONGEST_DEADLINE))
}

/// What clients say about the session that this process belongs to.
pub(crate) fn client_sessions(
    text: impl Fn(&str) -> Option<String>,
) -> Vec<(&'static str, String)> {
    let mut sessions = Vec::new();
    if let Some((client, session)) = text(CONVERSATION)
        .as_deref()
        .and_then(|it| it.split_once(':'))
    {
        let mut clients = mk_clients::ClientId::ALL
            .into_iter()
            .map(mk_clients::ClientId::slug);
        let known = clients.find(|slug| *slug == client);
        // The proxy has no name for an agent that it does not know.
        sessions.push((known.unwrap_or("acp"), session.to_owned()));
    }
    for id in mk_clients::ClientId::ALL {
        let variables = id.atlas().session_variables.iter();
        let found = variables.filter_map(|name| Some((id.slug(), text(name)?)));
        sessions.extend(found);
    }
    sessions
}
