//! A home, a project and a state folder of a test's own, and the binary run in them.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::Value;

use crate::rename::Rename;

const NOBODY: u32 = 65534;

#[derive(Debug)]
pub struct Sandbox {
    folder: tempfile::TempDir,
}

/// What a command said.
#[derive(Debug)]
pub struct Ran {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Sandbox {
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("mk-it-").tempdir().unwrap();
        let sandbox = Self { folder };
        for path in [sandbox.home(), sandbox.project()] {
            std::fs::create_dir_all(path).unwrap();
        }
        sandbox
    }

    /// With a file in the project.
    pub fn with(path: &str, text: impl AsRef<[u8]>) -> Self {
        let sandbox = Self::new();
        sandbox.write(path, text);
        sandbox
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    pub fn project(&self) -> PathBuf {
        self.root().join("project")
    }

    pub fn state(&self) -> PathBuf {
        self.root().join("state")
    }

    pub fn database(&self) -> PathBuf {
        self.state().join("modekeeper.db")
    }

    /// The configuration file that is used without `--config`.
    pub fn config_file(&self) -> PathBuf {
        self.home().join(".config/modekeeper/config.json")
    }

    /// Writes a file of the project; an absolute path is taken as it is.
    pub fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let path = self.project().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        overwrite(&path, text.as_ref());
    }

    /// The binary with nothing of the outer environment but the path.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = bare_command(binary(), &self.project());
        command
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .env("XDG_CONFIG_HOME", self.home().join(".config"))
            .env("XDG_STATE_HOME", self.home().join(".local/state"))
            .env("MODEKEEPER_STATE_DIR", self.state())
            // Machines that run tests are busy.
            .env("MODEKEEPER_HOOK_DEADLINE", "30000")
            .env("COLUMNS", "100");
        command
    }

    /// Runs a command as the person at a terminal.
    pub fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Ran {
        let (_master, terminal) = terminal();
        ran(self.command(arguments).stdin(terminal))
    }

    /// The same with a command that was made ready.
    pub fn run_command(&self, command: &mut Command) -> Ran {
        let (_master, terminal) = terminal();
        ran(command.stdin(terminal))
    }

    /// Runs what must succeed, and gives its stdout.
    #[track_caller]
    pub fn ok<S: AsRef<OsStr>>(&self, arguments: &[S]) -> String {
        let ran = self.run(arguments);
        assert!(ran.status.success(), "{ran:#?}");
        ran.stdout
    }

    #[track_caller]
    pub fn json<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Value {
        serde_json::from_str(&self.ok(arguments)).unwrap()
    }

    /// Runs a command and shows it as a person sees it, with this run's names replaced.
    pub fn show<S: AsRef<OsStr>>(&self, arguments: &[S]) -> String {
        self.show_ran(&self.run(arguments))
    }

    pub fn show_ran(&self, ran: &Ran) -> String {
        let mut text = ran.stdout.clone();
        if !ran.stderr.is_empty() {
            text.push_str("--- stderr\n");
            text.push_str(&ran.stderr);
        }
        match ran.status.code() {
            Some(0) => {}
            Some(code) => text.push_str(&format!("--- exit code {code}\n")),
            None => text.push_str("--- killed\n"),
        }
        self.rename().text(&text)
    }

    pub fn rename(&self) -> Rename {
        Rename::new(&self.root())
    }

    /// Lets a command meet permissions as a user does: root passes by all of them.
    pub fn as_user(&self, command: &mut Command) {
        if rustix::process::geteuid().is_root() {
            set_mode(self.folder.path(), 0o755);
            command.uid(NOBODY).gid(NOBODY);
        }
    }
}

/// The built `modekeeper`, next to the directory of the test that asks.
pub fn binary() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let binary = test
        .parent()
        .and_then(Path::parent)
        .unwrap()
        .join("modekeeper");
    assert!(
        binary.is_file(),
        "{} is not built: run the tests with --workspace, or cargo build first",
        binary.display()
    );
    binary
}

/// Any program, in a folder.
#[expect(
    clippy::disallowed_methods,
    reason = "tests start programs; this gives them their folder"
)]
pub fn bare_command(program: impl AsRef<OsStr>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder);
    command
}

/// A terminal that nobody types at; it is one as long as its master is open.
fn terminal() -> (OwnedFd, std::fs::File) {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let path = ptsname(&master, Vec::new()).unwrap();
    let terminal = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(rustix::fs::OFlags::NOCTTY.bits().cast_signed())
        .open(path.to_str().unwrap())
        .unwrap();
    (master, terminal)
}

/// Runs a program without a terminal.
pub fn run(command: &mut Command) -> Ran {
    ran(command.stdin(Stdio::null()))
}

fn ran(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    Ran {
        status: output.status,
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

pub fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// In place, as careless editors do: truncate, then write.
#[expect(
    clippy::disallowed_methods,
    reason = "tests prepare files, also broken ones"
)]
pub fn overwrite(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
}
