//! Installing a server: which commands, and running them.
//!
//! npm, PyPI and cargo go into a folder of their own for each server, because packages overwrite each other's
//! programs. Debian and rustup have one place for everybody.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::ServerError;
use crate::options::WallLauncher;
use crate::process::{ServerProgram, run_aloud};
use crate::table::{Install, ServedLanguage, ServerRow};

/// In a server's folder from the first command to the last: with it, what else is there does not count.
const UNFINISHED: &str = "unfinished";

/// Whether a folder was left in the middle of an installation.
pub(crate) fn is_unfinished(folder: &Path) -> bool {
    folder.join(UNFINISHED).exists()
}

/// How a server is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallPlan {
    pub language: String,
    pub server: String,
    /// Where its packages come from: `npm`, `PyPI`, `Debian`, `rustup` or `cargo`.
    pub source: &'static str,
    /// The folder that everything goes into; `None` where the source has one place for everybody.
    pub folder: Option<PathBuf>,
    /// One after the other, program first.
    pub commands: Vec<Vec<String>>,
}

/// The plans for a language's servers, the preferred one first.
pub(crate) fn plans(language: &ServedLanguage, tools: &Path) -> Vec<InstallPlan> {
    let of_server = |server: &ServerRow| of_server(language, server, tools);
    language.servers.iter().flat_map(of_server).collect()
}

fn of_server(language: &ServedLanguage, server: &ServerRow, tools: &Path) -> Vec<InstallPlan> {
    let Install {
        npm,
        pypi,
        debian,
        rustup,
        cargo,
    } = &server.install;
    let own = tools.join(&server.name);
    let folder = own.to_string_lossy();
    let python = own.join("bin/python");
    let python = python.to_string_lossy();
    let plan = |source, folder: Option<&Path>, commands| InstallPlan {
        language: language.name.clone(),
        server: server.name.clone(),
        source,
        folder: folder.map(Path::to_owned),
        commands,
    };
    let mut plans = Vec::new();
    if !npm.is_empty() {
        // Scripts of packages are not run; none of the servers needs one.
        let npm_install = [
            "npm",
            "install",
            "--prefix",
            &folder,
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
        ];
        plans.push(plan("npm", Some(&own), vec![command(&npm_install, npm)]));
    }
    if !pypi.is_empty() {
        let venv = command(&["python3", "-m", "venv", &folder], &[]);
        let pip = [
            &*python,
            "-m",
            "pip",
            "install",
            "--disable-pip-version-check",
        ];
        plans.push(plan("PyPI", Some(&own), vec![venv, command(&pip, pypi)]));
    }
    if !rustup.is_empty() {
        let add = command(&["rustup", "component", "add"], rustup);
        plans.push(plan("rustup", None, vec![add]));
    }
    if !debian.is_empty() {
        let install = ["apt-get", "install", "--yes", "--no-install-recommends"];
        plans.push(plan("Debian", None, vec![command(&install, debian)]));
    }
    if !cargo.is_empty() {
        let install = ["cargo", "install", "--locked", "--root", &folder];
        plans.push(plan("cargo", Some(&own), vec![command(&install, cargo)]));
    }
    plans
}

fn command(words: &[&str], packages: &[String]) -> Vec<String> {
    let words = words.iter().map(|word| (*word).to_owned());
    words.chain(packages.iter().cloned()).collect()
}

/// What to tell somebody who has no server for a language.
pub(crate) fn advice(language: &ServedLanguage) -> String {
    let name = &language.name;
    let ours = language.servers.iter().any(|server| {
        let Install {
            npm,
            pypi,
            debian,
            rustup,
            cargo,
        } = &server.install;
        let sources = [npm, pypi, debian, rustup, cargo];
        sources.iter().any(|packages| !packages.is_empty())
    });
    if ours {
        return format!("install one with `modekeeper lsp install {name}`");
    }
    let servers: Vec<&str> = language
        .servers
        .iter()
        .map(|server| server.name.as_str())
        .collect();
    format!("install `{}` and put it on PATH", servers.join("` or `"))
}

impl InstallPlan {
    /// Runs the commands and hands over each line they print; `false` from `line` ends it.
    ///
    /// Those with a folder of their own are held to it by the launcher.
    /// Takes as long as the commands do, and blocks: it is meant for the command line.
    pub fn run(
        &self,
        search_path: &OsStr,
        launcher: Option<&WallLauncher>,
        line: &mut dyn FnMut(&str) -> bool,
    ) -> Result<(), ServerError> {
        let failed = |program: &str, reason: String| ServerError::Install {
            server: self.server.clone(),
            program: program.to_owned(),
            reason,
        };
        let folder = self.folder.as_deref();
        let in_folder = |done: io::Result<()>| {
            let place = folder.map(Path::to_string_lossy).unwrap_or_default();
            done.map_err(|error| failed("mkdir", format!("{place}: {error}")))
        };
        in_folder(folder.map_or(Ok(()), begin))?;
        for command in &self.commands {
            let Some((name, arguments)) = command.split_first() else {
                continue;
            };
            let path = std::env::split_paths(search_path)
                .map(|folder| folder.join(name))
                .find(|path| path.is_file())
                .ok_or_else(|| failed(name, "there is no such program".to_owned()))?;
            // What everybody's place is for is not held: it is the system's own installer.
            let held_by = launcher.zip(folder);
            let held_by = held_by.map(|(launcher, folder)| launcher.installer(folder));
            let program = ServerProgram {
                held_by: held_by.as_deref().unwrap_or_default(),
                path: &path,
                arguments,
                folder: folder.unwrap_or(Path::new("/")),
                search_path,
            };
            match run_aloud(&program, line) {
                Ok(Some(status)) if status.success() => {}
                Ok(Some(status)) => return Err(failed(name, status.to_string())),
                Ok(None) => return Err(failed(name, "it was ended".to_owned())),
                Err(error) => return Err(failed(name, error.to_string())),
            }
        }
        in_folder(folder.map_or(Ok(()), |folder| fs::remove_file(folder.join(UNFINISHED))))
    }
}

/// Makes the folder, from nothing if it was left half done: no installer is sure to mend what another one left.
fn begin(folder: &Path) -> io::Result<()> {
    if is_unfinished(folder) {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    File::create(folder.join(UNFINISHED)).map(drop)
}
