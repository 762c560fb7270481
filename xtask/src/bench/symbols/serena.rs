//! Serena, if it is installed: the same questions over the same protocol.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::Question;
use super::package::tools;
use crate::bench::report::{float, milliseconds};
use crate::peer::{Home, Peer, Wire};

/// A call takes seconds.
const MOST_ROUNDS: usize = 3;
const ENOUGH: Duration = Duration::from_millis(200);
const MOST_CALLS: u32 = 30;

/// Milliseconds of processor time, of the server and of the language servers it starts.
#[derive(Debug)]
pub(super) struct Figures {
    /// From the start to the first answer.
    pub(super) cold: f64,
    /// Every round of every query.
    pub(super) warm: Vec<Vec<f64>>,
    /// Every round of every question.
    pub(super) asked: Vec<Vec<f64>>,
    /// Megabytes, of all its processes.
    pub(super) resident: f64,
}

/// `None` if it is not installed.
pub(super) fn measure(
    home: &Home,
    patterns: &[&str],
    questions: &[Question],
    rounds: usize,
) -> Result<Option<Figures>> {
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
    let rounds = rounds.min(MOST_ROUNDS);
    let mut warm = Vec::new();
    for pattern in patterns {
        warm.push(times(&mut peer, &call(pattern), rounds)?);
    }
    let mut asked = Vec::new();
    for question in questions {
        let (tool, arguments) = question.theirs;
        let arguments: Value = serde_json::from_str(arguments)?;
        let call = json!({ "name": tool, "arguments": arguments });
        // The first of a kind starts a language server, or makes it read the project.
        times(&mut peer, &call, 1)?;
        asked.push(times(&mut peer, &call, rounds)?);
    }
    let resident = resident_of_descendants()?;
    Ok(Some(Figures {
        cold,
        warm,
        asked,
        resident,
    }))
}

/// Of one call each. A quick one is made again until the kernel, which counts hundredths of a second, has seen enough.
fn times(peer: &mut Peer, call: &Value, rounds: usize) -> Result<Vec<f64>> {
    let mut times = Vec::new();
    for _ in 0..rounds {
        let before = cpu_of_descendants()?;
        let (mut n_calls, mut spent) = (0_u32, Duration::ZERO);
        while spent < ENOUGH && n_calls < MOST_CALLS {
            let line = peer.line("tools/call", call);
            peer.sequential(&[line])?;
            n_calls += 1;
            spent = cpu_of_descendants()?.saturating_sub(before);
        }
        times.push(milliseconds(spent / n_calls));
    }
    Ok(times)
}

fn call(pattern: &str) -> Value {
    let arguments = json!({ "name_path_pattern": pattern, "substring_matching": true });
    json!({ "name": "find_symbol", "arguments": arguments })
}

/// Of every process below this one, in hundredths of a second; also of those that ended, if someone waited for them.
fn cpu_of_descendants() -> Result<Duration> {
    let ticks: u64 = descendants()?.iter().map(|process| process.ticks).sum();
    Ok(Duration::from_millis(ticks * 10))
}

/// In megabytes.
fn resident_of_descendants() -> Result<f64> {
    let pages: u64 = descendants()?.iter().map(|process| process.pages).sum();
    Ok(float(pages * 4096) / 1e6)
}

struct Process {
    id: u32,
    parent: u32,
    ticks: u64,
    pages: u64,
}

/// Every process below this one.
fn descendants() -> Result<Vec<Process>> {
    let mut processes: Vec<Process> = Vec::new();
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
        processes.push(Process {
            id,
            parent: field(1)?.parse()?,
            ticks,
            pages: field(21)?.parse()?,
        });
    }
    let mut below = vec![std::process::id()];
    let mut found = Vec::new();
    while let Some(parent) = below.pop() {
        let (children, others): (Vec<Process>, Vec<Process>) =
            processes.into_iter().partition(|one| one.parent == parent);
        below.extend(children.iter().map(|one| one.id));
        found.extend(children);
        processes = others;
    }
    Ok(found)
}
