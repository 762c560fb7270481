//! What an operator can set about the engine. Where the values come from is the binary's business.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use mk_lsp::{CustomServer, ProjectCode, WallLauncher};
use mk_policy::Switching;
use mk_types::{AbsPath, ModeSlug};

use crate::{CommandRunner, ProjectWatching};

#[derive(Debug, Clone)]
pub struct Settings {
    /// A session expires after this long without activity.
    pub session_timeout: Duration,
    /// How often expired sessions are removed.
    pub cleanup_interval: Duration,
    /// How long an expired id is remembered as expired rather than unknown.
    pub keep_tombstones: Duration,
    /// How long finished and expired tasks, decisions and records can still be read.
    pub retention: Duration,
    /// The mode of calls that name no task.
    pub default_mode: ModeSlug,
    pub switching: Switching,
    /// No answer within this time is a no.
    pub approval_timeout: Duration,
    pub watching: ProjectWatching,
    /// The project that the operator named, or that was found where the process was started; none where that is
    /// nobody's project.
    pub start_root: Option<AbsPath>,
    /// Folders whose projects may be activated without asking.
    pub project_folders: Vec<AbsPath>,
    /// Globs of memories that agents may not change.
    pub read_only_memories: Vec<String>,
    pub servers: ServerSettings,
    pub commands: CommandRunner,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            session_timeout: Duration::from_secs(3600),
            cleanup_interval: Duration::from_secs(300),
            keep_tombstones: Duration::from_secs(30 * 24 * 3600),
            retention: Duration::from_hours(90 * 24),
            default_mode: code(),
            switching: Switching::default(),
            approval_timeout: Duration::from_secs(50),
            watching: ProjectWatching::Off,
            start_root: None,
            project_folders: Vec::new(),
            read_only_memories: Vec::new(),
            servers: ServerSettings::default(),
            commands: CommandRunner::default(),
        }
    }
}

/// What is set about language servers.
#[derive(Debug, Clone, Default)]
pub struct ServerSettings {
    /// Those that the operator names; they come before the known ones.
    pub custom: Vec<CustomServer>,
    pub project_code: ProjectCode,
    /// What holds servers; `None` where nothing does.
    pub launcher: Option<WallLauncher>,
}

#[expect(clippy::expect_used, reason = "a constant")]
fn code() -> ModeSlug {
    ModeSlug::parse("code").expect("a valid slug")
}

/// Where files for all projects are.
#[derive(Debug, Clone, Default)]
pub struct Folders {
    /// Modekeeper's own configuration.
    pub config: Option<PathBuf>,
    /// The Roo family's configuration (`~/.roo-code`, `ROO_CONFIG_DIR`).
    pub roo_config: Option<PathBuf>,
    pub home: Option<PathBuf>,
    /// Where backups and locks are kept.
    pub state: PathBuf,
    /// Where programs are, as `PATH` says it.
    pub search_path: OsString,
}
