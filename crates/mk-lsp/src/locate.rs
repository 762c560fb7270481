//! Finding a server's program, and being sure that it is one.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mk_types::AbsPath;

use crate::ServerError;
use crate::install::{advice, is_unfinished};
use crate::options::{ProjectCode, ServerOptions, WallLauncher};
use crate::process::{ServerProgram, run_briefly};
use crate::table::{ServedLanguage, ServerRow};

/// Folders of a project that hold programs.
const LOCAL: [&str; 3] = ["node_modules/.bin", ".venv/bin", "venv/bin"];
/// Where installers put programs below a server's own folder.
const INSTALLED: [&str; 2] = ["bin", "node_modules/.bin"];
/// A program on a slow disk takes a while the first time.
const CHECK_LIMIT: Duration = Duration::from_secs(10);

/// The program of a server, if there is one; it is not run.
///
/// 1. A program with a `/` in it is taken as it is, relative to the project.
/// 2. Folders of the project, if its code may be run.
/// 3. Our own folder of tools, unless its installation was cut off.
/// 4. The search path, without folders that are relative or inside the project: an agent could put a program there.
pub(crate) fn locate(
    server: &ServerRow,
    root: &AbsPath,
    options: &ServerOptions,
) -> Option<PathBuf> {
    let program = server.command.first()?;
    if program.contains('/') {
        return Some(root.as_path().join(program)).filter(|path| is_program(path));
    }
    let local = LOCAL
        .iter()
        .filter(|_| options.project_code == ProjectCode::Run)
        .map(|folder| root.as_path().join(folder));
    let own = options.tools.join(&server.name);
    let installed = INSTALLED
        .iter()
        .filter(|_| !is_unfinished(&own))
        .map(|folder| own.join(folder));
    local
        .chain(installed)
        .chain(outside(&options.search_path, root))
        .map(|folder| folder.join(program))
        .find(|path| is_program(path) && !is_empty_proxy(path))
}

/// Whether a program is rustup's stand-in for a component that no toolchain has: it is there, and cannot be run.
///
/// Where rustup keeps its toolchains is guessed from where it is itself; if that fails, the program counts.
fn is_empty_proxy(path: &Path) -> bool {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let bins = [path.parent(), real.parent()];
    let has_rustup = |bin: &&Path| is_same_file(path, &bin.join("rustup"));
    let bin = bins.into_iter().flatten().find(has_rustup);
    let home = bin.and_then(|bin| bin.parent()?.parent());
    let Some((home, name)) = home.zip(path.file_name().filter(|name| *name != "rustup")) else {
        return false;
    };
    let homes = [".rustup", "rustup"].map(|folder| home.join(folder).join("toolchains"));
    let toolchains: Vec<PathBuf> = homes
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    let has_it = |toolchain: &PathBuf| is_program(&toolchain.join("bin").join(name));
    !toolchains.is_empty() && !toolchains.iter().any(has_it)
}

/// Links, hard or soft, to one file are the same.
#[cfg(unix)]
fn is_same_file(left: &Path, right: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |path: &Path| path.metadata().ok().map(|it| (it.dev(), it.ino()));
    identity(left).is_some_and(|left| identity(right) == Some(left))
}

#[cfg(not(unix))]
fn is_same_file(left: &Path, right: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(left).is_some_and(|left| real(right) == Some(left))
}

/// The folders of a search path that no agent in the project writes to.
fn outside(search_path: &OsStr, root: &AbsPath) -> impl Iterator<Item = PathBuf> {
    std::env::split_paths(search_path)
        .filter(|folder| folder.is_absolute() && !folder.starts_with(root.as_path()))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// The preferred server that is there and works, with its program.
pub(crate) fn choose<'a>(
    language: &'a ServedLanguage,
    root: &AbsPath,
    options: &ServerOptions,
) -> Result<(&'a ServerRow, PathBuf), ServerError> {
    let mut rejected = Vec::new();
    for server in &language.servers {
        let Some(program) = locate(server, root, options) else {
            continue;
        };
        match check(server, &program, root, options) {
            Ok(()) => return Ok((server, program)),
            Err(reason) => rejected.push(format!("{}: {reason}", program.display())),
        }
    }
    Err(ServerError::NotInstalled {
        language: language.name.clone(),
        servers: language
            .servers
            .iter()
            .map(|server| server.name.clone())
            .collect(),
        rejected,
        advice: advice(language),
    })
}

fn check(
    server: &ServerRow,
    program: &Path,
    root: &AbsPath,
    options: &ServerOptions,
) -> Result<(), String> {
    let Some(check) = &server.check else {
        return Ok(());
    };
    let printed = print(program, &check.arguments, root, options)?;
    let major = first_number(&printed);
    match (check.major, major) {
        (Some(wanted), Some(major)) if major < wanted => {
            Err(format!("version {major}, not {wanted} or later"))
        }
        (Some(_), None) => Err("it does not say its version".to_owned()),
        _ => Ok(()),
    }
}

fn print(
    program: &Path,
    arguments: &[String],
    root: &AbsPath,
    options: &ServerOptions,
) -> Result<String, String> {
    let held_by = options.launcher.as_ref().map(WallLauncher::server);
    let program = ServerProgram {
        path: program,
        arguments,
        folder: root.as_path(),
        search_path: &options.search_path,
        held_by: held_by.as_deref().unwrap_or_default(),
    };
    let printed = run_briefly(&program, CHECK_LIMIT).map_err(|error| error.to_string())?;
    if printed.success {
        Ok(printed.stdout)
    } else {
        let said = printed.stderr.first().cloned();
        Err(said.unwrap_or_else(|| "it fails".to_owned()))
    }
}

/// What a program says of its version; it is run for this.
pub(crate) fn version(program: &Path, root: &AbsPath, options: &ServerOptions) -> Option<String> {
    let printed = print(program, &["--version".to_owned()], root, options).ok()?;
    let line = printed.lines().find(|line| !line.trim().is_empty())?;
    let words = line.split_whitespace();
    let version = words
        .map(|word| word.trim_matches(['(', ')', ',']))
        .find(|word| {
            let word = word.strip_prefix('v').unwrap_or(word);
            word.contains('.') && word.starts_with(|first: char| first.is_ascii_digit())
        });
    Some(version.unwrap_or(line).chars().take(80).collect())
}

fn first_number(text: &str) -> Option<u32> {
    let digits = text
        .trim_start_matches(|character: char| !character.is_ascii_digit())
        .chars()
        .take_while(char::is_ascii_digit);
    digits.collect::<String>().parse().ok()
}
