//! Whether a client is really held: its entries are in place, its hook answers a forbidden call with a denial in the
//! client's own contract, and the client trusts the hook.

use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, Instant};

use mk_clients::{
    ClientId, HookAnswer, Shell, ShellScripts, ShellStart, canary, inside_line, is_denial,
};

use super::process::{self, ProgramCall};
use super::trust;
use crate::process::{is_bash_login_shell, login_shell};

/// What was found out about one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CanaryResult {
    Enforced {
        milliseconds: u128,
        /// Whether its shell was seen to lead through the wall; `None` where it was not tried.
        shell: Option<LedShell>,
    },
    /// It has no hooks: our MCP tools are limited, its own are not.
    ToolsOnly,
    NotYet {
        reason: String,
    },
}

/// How a client's shell leads through the wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LedShell {
    Wrapped,
    /// Only when the client is started by `modekeeper run`.
    WhenStarted,
    /// Its hook changes the lines that cannot be read.
    Rewritten,
}

/// What the canary needs to know.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cage<'a> {
    /// Our binary, as the entries name it.
    pub(crate) program: &'a Path,
    pub(crate) project: &'a Path,
    pub(crate) search_path: &'a OsStr,
}

/// The hook decides within a second; a machine may be busy.
const PATIENCE: Duration = Duration::from_secs(10);

impl CanaryResult {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Enforced {
                milliseconds,
                shell,
            } => {
                let shell = match shell {
                    None => "",
                    Some(LedShell::Wrapped) => "; shell walled",
                    Some(LedShell::WhenStarted) => {
                        "; shell walled when started by `modekeeper run`"
                    }
                    Some(LedShell::Rewritten) => "; unclear lines walled",
                };
                format!("enforced (denied in {milliseconds} ms{shell})")
            }
            Self::ToolsOnly => "MCP tools only".to_owned(),
            Self::NotYet { reason } => format!("NOT YET: {reason}"),
        }
    }

    pub(crate) fn is_bad(&self) -> bool {
        matches!(self, Self::NotYet { .. })
    }
}

/// Fires a canary at the hook of a client.
pub(crate) async fn fire(client: ClientId, cage: Cage<'_>) -> CanaryResult {
    let Some(event) = canary(client, cage.project) else {
        return CanaryResult::ToolsOnly;
    };
    let started = Instant::now();
    let said = process::run(ProgramCall {
        program: cage.program,
        arguments: &["hook", client.slug()],
        directory: cage.project,
        input: &event,
        variables: &[],
        limit: PATIENCE,
    })
    .await;
    let milliseconds = started.elapsed().as_millis();
    let reason = match said {
        Err(error) => format!("{error:#}"),
        Ok(said) => {
            let answer = HookAnswer {
                stdout: said.stdout,
                stderr: said.stderr,
                exit_code: u8::try_from(said.exit_code.unwrap_or(1)).unwrap_or(1),
            };
            if is_denial(client, &answer) {
                return match trust::problem(client, cage).await {
                    Some(reason) => CanaryResult::NotYet { reason },
                    None => CanaryResult::Enforced {
                        milliseconds,
                        shell: None,
                    },
                };
            }
            match answer.exit_code {
                0 => "the hook lets everything pass: no mode is set here (run `modekeeper mode SLUG`), or enforcement is paused \
                      (run `modekeeper pause --end`)"
                    .to_owned(),
                code => {
                    let said = answer.stderr.lines().next().unwrap_or_default();
                    format!("the hook failed with exit code {code}: {said}")
                }
            }
        }
    };
    CanaryResult::NotYet { reason }
}

/// Starts the shell of a client as the client does, and asks the kernel from inside of it whether the wall holds: a
/// product that does not find our script runs the line without it, and without a word.
pub(crate) async fn try_shell(
    client: ClientId,
    cage: Cage<'_>,
    scripts: Option<&ShellScripts>,
    milliseconds: u128,
) -> CanaryResult {
    let shell = client.atlas().shell;
    let enforced = |shell| CanaryResult::Enforced {
        milliseconds,
        shell,
    };
    let Some(scripts) = scripts else {
        return enforced(None);
    };
    let program = std::fs::canonicalize(cage.program);
    let program = program.as_deref().unwrap_or(cage.program);
    let own_shell = login_shell().unwrap_or_else(|| "/bin/sh".into());
    let line = inside_line(program);
    let Some(start) = shell.start(scripts, &own_shell, &line) else {
        let rewritten = client.atlas().rewrites_lines.then_some(LedShell::Rewritten);
        return enforced(rewritten);
    };
    let said = start_shell(cage, &start).await;
    let is_inside = said.as_ref().is_ok_and(|said| said.exit_code == Some(0));
    match (is_inside, shell) {
        (true, Shell::BashEnvByStart) => enforced(Some(LedShell::WhenStarted)),
        (true, _) => enforced(Some(LedShell::Wrapped)),
        // Its hook does not count on it either, and refuses what it cannot read.
        (false, _) if shell.is_the_users() && !is_bash_login_shell() => enforced(None),
        (false, _) => {
            let script = shell.script(scripts).filter(|script| !script.is_file());
            let reason = match (script, said) {
                (Some(script), _) => format!("{} is gone", script.display()),
                (None, Ok(said)) => said.stderr.lines().last().unwrap_or_default().to_owned(),
                (None, Err(error)) => format!("{error:#}"),
            };
            let slug = client.slug();
            CanaryResult::NotYet {
                reason: format!(
                    "its shell is not walled: {reason} (run `modekeeper install {slug}`)"
                ),
            }
        }
    }
}

/// Runs a shell as the client does.
async fn start_shell(cage: Cage<'_>, start: &ShellStart) -> anyhow::Result<process::ProgramOutput> {
    let arguments: Vec<&str> = start.arguments.iter().map(String::as_str).collect();
    let variable = start.variable.as_ref();
    let variable = variable.map(|(name, path)| (*name, path.as_path()));
    process::run(ProgramCall {
        program: &start.program,
        arguments: &arguments,
        directory: cage.project,
        input: "",
        variables: variable.as_slice(),
        limit: PATIENCE,
    })
    .await
}
