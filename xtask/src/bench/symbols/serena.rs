//! Serena, if it is installed: the same questions over the same protocol.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::package::tools;
use crate::bench::report::milliseconds;
use crate::peer::{Home, Peer, Wire};

/// A call takes seconds.
const MOST_ROUNDS: usize = 3;

/// Milliseconds of processor time, of the server and of the language servers it starts.
#[derive(Debug)]
pub(super) struct Figures {
    /// From the start to the first answer.
    pub(super) cold: f64,
    /// Every round of every query.
    pub(super) warm: Vec<Vec<f64>>,
}

/// `None` if it is not installed.
pub(super) fn measure(home: &Home, patterns: &[&str], rounds: usize) -> Result<Option<Figures>> {
    if Command::new("serena").arg("--version").output().is_err() {
        return Ok(None);
    }
    let before = cpu_of_descendants()?;
    // With our environment: it says where packages come from.
    let mut command = Command::new("serena");
    command.current_dir(home.project());
    let line = "start-mcp-server --project . --agent-interface tools --enable-web-dashboard false \
                --log-level ERROR";
    command.args(line.split_whitespace());
    // Language servers that it fetches are kept; what it knows of the project is in the project.
    command.env("HOME", tools()?.join("serena-home"));
    command.env("SERENA_USAGE_REPORTING", "false");
    let mut peer = Peer::spawn(command, Wire::Pipes)?;
    peer.initialize()?;
    let first = patterns.first().context("no pattern")?;
    let line = peer.line("tools/call", &call(first));
    peer.sequential(&[line])?;
    let cold = milliseconds(cpu_of_descendants()?.saturating_sub(before));
    let mut warm = Vec::new();
    for pattern in patterns {
        let mut times = Vec::new();
        for _ in 0..rounds.min(MOST_ROUNDS) {
            let line = peer.line("tools/call", &call(pattern));
            let before = cpu_of_descendants()?;
            peer.sequential(&[line])?;
            times.push(milliseconds(cpu_of_descendants()?.saturating_sub(before)));
        }
        warm.push(times);
    }
    Ok(Some(Figures { cold, warm }))
}

fn call(pattern: &str) -> Value {
    let arguments = json!({ "name_path_pattern": pattern, "substring_matching": true });
    json!({ "name": "find_symbol", "arguments": arguments })
}

/// Of every process below this one, in hundredths of a second; also of those that ended, if someone waited for them.
fn cpu_of_descendants() -> Result<Duration> {
    let mut processes: Vec<(u32, u32, u64)> = Vec::new();
    for entry in std::fs::read_dir("/proc")? {
        let Ok(id) = entry?.file_name().to_string_lossy().parse::<u32>() else {
            continue;
        };
        // One that has ended meanwhile is counted with its parent.
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{id}/stat")) else {
            continue;
        };
        let (_, fields) = stat.rsplit_once(") ").context("no name in stat")?;
        let fields: Vec<&str> = fields.split(' ').collect();
        let field = |index: usize| fields.get(index).context("a short stat");
        let mut ticks = 0;
        for index in 11..=14 {
            ticks += field(index)?.parse::<u64>()?;
        }
        processes.push((id, field(1)?.parse()?, ticks));
    }
    let mut below = vec![std::process::id()];
    let mut ticks = 0;
    while let Some(parent) = below.pop() {
        for (id, _, spent) in processes.iter().filter(|(_, of, _)| *of == parent) {
            below.push(*id);
            ticks += spent;
        }
    }
    Ok(Duration::from_millis(ticks * 10))
}
