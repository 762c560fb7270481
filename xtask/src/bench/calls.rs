//! `validate_tool_use` over stdio: what a call costs beyond what rmcp costs.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::Binaries;
use super::report::{Budget, Row, Spread, microseconds};
use crate::peer::{Home, Peer, Wire};

const WARM_UP: usize = 500;
const CALLS: u32 = 3_000;

#[derive(Debug, Default)]
struct Samples {
    sequential_cpu: Vec<f64>,
    sequential_wall: Vec<f64>,
    pipelined_cpu: Vec<f64>,
    pipelined_wall: Vec<f64>,
}

pub(crate) fn measure(binaries: &Binaries, rounds: usize) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for wire in [Wire::Pipes, Wire::Sockets] {
        let (mut ours, mut echo) = (Samples::default(), Samples::default());
        for _ in 0..rounds {
            round(&binaries.modekeeper, &["mcp"], wire, &mut ours)?;
            round(&binaries.echo, &[], wire, &mut echo)?;
        }
        let row = |what: &str, ours, echo, budget| Row {
            what: format!("validate_tool_use, {}, {what}", wire.name()),
            unit: "µs",
            ours: Spread::of(ours),
            beside: Some(("echo", Spread::of(echo))),
            budget,
        };
        let budget = Budget::Times(1.3);
        let none = Budget::None;
        rows.extend([
            row(
                "one by one, CPU",
                ours.sequential_cpu,
                echo.sequential_cpu,
                budget,
            ),
            row(
                "one by one, clock",
                ours.sequential_wall,
                echo.sequential_wall,
                none,
            ),
            row(
                "all at once, CPU",
                ours.pipelined_cpu,
                echo.pipelined_cpu,
                budget,
            ),
            row(
                "all at once, clock",
                ours.pipelined_wall,
                echo.pipelined_wall,
                none,
            ),
        ]);
    }
    Ok(rows)
}

fn round(binary: &Path, arguments: &[&str], wire: Wire, samples: &mut Samples) -> Result<()> {
    let home = Home::new()?;
    let mut command = home.command(binary);
    command.args(arguments);
    let mut peer = Peer::spawn(command, wire)?;
    peer.initialize()?;
    let session = match arguments {
        [] => "0123456789abcdef0123456789abcdef".to_owned(),
        _ => create_task(&mut peer)?,
    };
    let mut lines = |count: usize| -> Vec<String> {
        let params = validate(&session);
        (0..count)
            .map(|_| peer.line("tools/call", &params))
            .collect()
    };
    let (warm_up, calls) = (lines(WARM_UP), lines(CALLS as usize));
    peer.sequential(&warm_up)?;
    let per_call = |time: std::time::Duration| microseconds(time / CALLS);

    let before = peer.cpu()?;
    let times = peer.sequential(&calls)?;
    samples.sequential_cpu.push(per_call(peer.cpu()? - before));
    samples.sequential_wall.push(per_call(times.iter().sum()));

    let before = peer.cpu()?;
    let time = peer.pipelined(&calls, |_| Ok(()))?;
    samples.pipelined_cpu.push(per_call(peer.cpu()? - before));
    samples.pipelined_wall.push(per_call(time));
    Ok(())
}

/// A call as an agent in architect mode makes it before it edits a file.
pub(crate) fn validate(session: &str) -> Value {
    json!({
        "name": "validate_tool_use",
        "arguments": { "session_id": session, "tool_name": "write_to_file", "file_path": "docs/plan.md" },
    })
}

pub(crate) fn create_task(peer: &mut Peer) -> Result<String> {
    let created = peer.request("tools/call", &new_task())?;
    session_of(&created)
}

pub(crate) fn new_task() -> Value {
    json!({ "name": "create_task", "arguments": { "mode_slug": "architect" } })
}

pub(crate) fn session_of(result: &Value) -> Result<String> {
    let session = result["structuredContent"]["session_id"].as_str();
    Ok(session.context("create_task named no session")?.to_owned())
}
