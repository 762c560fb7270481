//! What a caller decides about the language servers of a project.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::table::CustomServer;

/// How language servers are found, started and limited.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Where programs are, as `PATH` says it. Folders inside the project do not count.
    pub search_path: OsString,
    /// The folder that servers are installed into, one folder for each.
    pub tools: PathBuf,
    pub project_code: ProjectCode,
    pub custom: Vec<CustomServer>,
    pub limits: Limits,
    /// What servers are started through; `None` starts them as they are.
    pub launcher: Option<WallLauncher>,
}

/// A program that holds what it starts: `program exec --language-server -- server …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WallLauncher {
    pub program: PathBuf,
}

impl WallLauncher {
    /// The words before a server's own.
    pub(crate) fn server(&self) -> Vec<String> {
        let program = self.program.to_string_lossy().into_owned();
        [&*program, "exec", "--language-server", "--"]
            .map(str::to_owned)
            .to_vec()
    }

    /// The words before an installer's own, which writes into this folder.
    pub(crate) fn installer(&self, folder: &Path) -> Vec<String> {
        let program = self.program.to_string_lossy().into_owned();
        let folder = folder.to_string_lossy().into_owned();
        [&*program, "exec", "--installer", &folder, "--"]
            .map(str::to_owned)
            .to_vec()
    }
}

/// Whether code that lies in the project may be run for its analysis.
///
/// An agent that may edit files but not run commands could otherwise do so through a build script. It is a matter of
/// degree: a server still asks the project's compiler and build tool about the project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ProjectCode {
    /// No programs from `node_modules` or a virtual environment, no build scripts, no procedural macros.
    #[default]
    Avoid,
    Run,
}

/// How long things may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// From the moment a question is sent.
    pub request: Duration,
    /// For the start and for reading the project, while a question waits.
    pub warm_up: Duration,
    /// A server that was too slow once, and then answers nothing for this long, is killed.
    pub hang: Duration,
    /// After the second failure in a row; it doubles with each more.
    pub back_off: Duration,
    /// A server that is asked nothing for this long is ended; the next question starts it again.
    pub idle: Duration,
    /// In bytes, with everything that the server has started; one that needs more is killed.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request: Duration::from_secs(30),
            warm_up: Duration::from_secs(120),
            hang: Duration::from_secs(20),
            back_off: Duration::from_secs(1),
            // A person who comes back from a break waits for the start once.
            idle: Duration::from_secs(20 * 60),
            // rust-analyzer needs 3 GB for the largest workspaces that were tried.
            memory: 6 * 1024 * 1024 * 1024,
        }
    }
}
