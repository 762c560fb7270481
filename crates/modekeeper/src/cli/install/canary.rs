//! Whether a client is really held: its entries are in place, its hook answers a forbidden call with a denial in the
//! client's own contract, and the client trusts the hook.

use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, Instant};

use mk_clients::{ClientId, HookAnswer, canary, is_denial};

use super::process::{self, Call};
use super::trust;

/// What was found out about one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Held {
    Enforced {
        milliseconds: u128,
    },
    /// It has no hooks: our MCP tools are limited, its own are not.
    ToolsOnly,
    NotYet {
        reason: String,
    },
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

impl Held {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Enforced { milliseconds } => format!("enforced (denied in {milliseconds} ms)"),
            Self::ToolsOnly => "MCP tools only".to_owned(),
            Self::NotYet { reason } => format!("NOT YET: {reason}"),
        }
    }

    pub(crate) fn is_bad(&self) -> bool {
        matches!(self, Self::NotYet { .. })
    }
}

/// Fires a canary at the hook of a client.
pub(crate) async fn fire(client: ClientId, cage: Cage<'_>) -> Held {
    let Some(event) = canary(client, cage.project) else {
        return Held::ToolsOnly;
    };
    let started = Instant::now();
    let said = process::run(Call {
        program: cage.program,
        arguments: &["hook", client.slug()],
        directory: cage.project,
        input: &event,
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
                    Some(reason) => Held::NotYet { reason },
                    None => Held::Enforced { milliseconds },
                };
            }
            match answer.exit_code {
                0 => "the hook lets everything pass: no mode is set here (run `modekeeper mode SLUG`)"
                    .to_owned(),
                code => {
                    let said = answer.stderr.lines().next().unwrap_or_default();
                    format!("the hook failed with exit code {code}: {said}")
                }
            }
        }
    };
    Held::NotYet { reason }
}
