//! Commands of the operator are for a person: they want a terminal, and refuse below an agent or a server of ours.
//!
//! A hurdle, not a proof: what runs as the same user can open a terminal of its own.

use std::io::{self, IsTerminal as _};

use anyhow::{anyhow, bail};
use mk_engine::{Engine, NewAct, ProjectWatching};

use crate::cli::{block_on, engine};
use crate::config::Config;
use crate::env::Env;

/// Commands of ours that run on behalf of agents.
const SERVERS: [&str; 5] = ["mcp", "serve", "acp", "hook", "exec"];
/// More processes above one another than anybody has.
const MOST_ANCESTORS: usize = 64;

/// Refuses without a terminal. Below an agent the command line has refused before.
pub(crate) fn require(command: &str) -> anyhow::Result<()> {
    if !io::stdin().is_terminal() {
        bail!(
            "`modekeeper {command}` needs a terminal, because it is for people and not for agents: run it in one"
        );
    }
    Ok(())
}

/// Adds a change to the record of changes: who made it, at which terminal. It has happened even if this fails.
pub(crate) fn record(engine: &Engine, action: &str, subject: &str) {
    let terminal = std::fs::read_link("/proc/self/fd/0").ok();
    let terminal = terminal.and_then(|path| path.to_str().map(str::to_owned));
    let act = NewAct {
        who: format!("user {}", rustix::process::getuid().as_raw()),
        origin: terminal.unwrap_or_else(|| "a terminal".to_owned()),
        action: action.to_owned(),
        subject: subject.to_owned(),
    };
    if !matches!(block_on(engine.access().record(act)), Ok(Ok(()))) {
        tracing::warn!(action, "a change is not in the record of changes");
    }
}

/// The same for commands that work without an engine.
pub(crate) fn record_in(config: &Config, action: &str, subject: &str) {
    record(&engine(config, ProjectWatching::Off), action, subject);
}

/// What this process was started by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartedBy {
    Wall,
    Agent(&'static str),
    Server,
}

impl StartedBy {
    /// Why a person's command does not run here.
    pub(super) fn refusal(self, command: &str) -> anyhow::Error {
        let above = match self {
            Self::Wall => {
                return anyhow!(
                    "`modekeeper {command}` is for people: it does not run inside the wall"
                );
            }
            Self::Agent(agent) => format!("`{agent}`"),
            Self::Server => "a Modekeeper server".to_owned(),
        };
        anyhow!(
            "`modekeeper {command}` cannot be run by {above}: it is for the person who uses the agent; \
             run it in a terminal of your own"
        )
    }
}

/// The wall, agent or server of ours that this process was started by, if there is one.
///
/// A process that has cut itself off from those above it, as a daemon does, still has what clients tell their children.
pub(super) fn agent_above(env: &Env) -> Option<StartedBy> {
    if mk_wall::is_inside() {
        return Some(StartedBy::Wall);
    }
    let told = env.client_sessions.first();
    process_above().or(told.map(|(client, _)| StartedBy::Agent(client)))
}

fn process_above() -> Option<StartedBy> {
    let mut process = parent("self")?;
    for _ in 0..MOST_ANCESTORS {
        let line = command_line(&process);
        if let Some(agent) = mk_clients::agent_process(&line) {
            return Some(StartedBy::Agent(agent));
        }
        let is_ours = line
            .first()
            .is_some_and(|path| path.ends_with("modekeeper"));
        if is_ours && line.iter().any(|word| SERVERS.contains(&word.as_str())) {
            return Some(StartedBy::Server);
        }
        process = parent(&process)?;
    }
    None
}

fn command_line(process: &str) -> Vec<String> {
    let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let words = line
        .split(|byte| *byte == 0)
        .filter(|word| !word.is_empty());
    words
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect()
}

/// The parent's number. The name before it may hold anything, closing brackets included.
fn parent(process: &str) -> Option<String> {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, fields) = status.rsplit_once(')')?;
    let parent = fields.split_whitespace().nth(1)?;
    (parent != "0").then(|| parent.to_owned())
}
