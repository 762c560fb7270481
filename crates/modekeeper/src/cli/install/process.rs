//! Other programs, run with a time limit and without a terminal.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, bail};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

/// What a program said.
#[derive(Debug)]
pub(super) struct ProgramOutput {
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) exit_code: Option<i32>,
}

/// A call of a program.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProgramCall<'a> {
    pub(super) program: &'a Path,
    pub(super) arguments: &'a [&'a str],
    pub(super) directory: &'a Path,
    pub(super) input: &'a str,
    /// Variables besides those of this process.
    pub(super) variables: &'a [(&'a str, &'a Path)],
    pub(super) limit: Duration,
}

/// Runs a program to its end. It is killed when it takes longer than its limit.
pub(super) async fn run(call: ProgramCall<'_>) -> anyhow::Result<ProgramOutput> {
    let mut child = command(call.program, call.directory)
        .args(call.arguments)
        .envs(call.variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("cannot start `{}`", call.program.display()))?;
    let stdin = child.stdin.take();
    let work = async {
        if let Some(mut stdin) = stdin {
            // A program that does not read its input has closed it.
            drop(stdin.write_all(call.input.as_bytes()).await);
        }
        child.wait_with_output().await
    };
    let Ok(output) = tokio::time::timeout(call.limit, work).await else {
        let seconds = call.limit.as_secs();
        bail!("`{}` took longer than {seconds} s", call.program.display());
    };
    let output = output?;
    Ok(ProgramOutput {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        exit_code: output.status.code(),
    })
}

/// A program that gets its directory at once.
pub(super) fn command(program: &Path, directory: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(directory);
    command
}

/// The first program of these names on the search path.
pub(super) fn find(names: &[&str], search_path: &OsStr) -> Option<PathBuf> {
    let directories: Vec<PathBuf> = std::env::split_paths(search_path).collect();
    names.iter().find_map(|name| {
        directories
            .iter()
            .map(|directory| directory.join(name))
            .find(|file| is_program(file))
    })
}

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}
