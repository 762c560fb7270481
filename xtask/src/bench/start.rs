//! From the start of the process to the answer to `initialize`.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;

use super::Binaries;
use super::report::{Budget, Row, Spread, float, milliseconds};
use crate::peer::{Home, Peer, Wire};

/// Starts are short, so there are more of them.
const STARTS_PER_ROUND: usize = 4;

#[derive(Debug, Default)]
struct Samples {
    cpu: Vec<f64>,
    wall: Vec<f64>,
    resident: Vec<f64>,
}

pub(crate) fn measure(binaries: &Binaries, rounds: usize) -> Result<Vec<Row>> {
    let (mut ours, mut echo) = (Samples::default(), Samples::default());
    // The first start of each reads it from the disk.
    start(&binaries.modekeeper, &["mcp"], &mut Samples::default())?;
    start(&binaries.echo, &[], &mut Samples::default())?;
    for _ in 0..rounds * STARTS_PER_ROUND {
        start(&binaries.modekeeper, &["mcp"], &mut ours)?;
        start(&binaries.echo, &[], &mut echo)?;
    }
    let row = |what: &str, unit, ours, echo, budget| Row {
        what: format!("start → initialize, {what}"),
        unit,
        ours: Spread::of(ours),
        beside: Some(("echo", Spread::of(echo))),
        budget,
    };
    Ok(vec![
        row("CPU", "ms", ours.cpu, echo.cpu, Budget::AtMost(4.0)),
        row("clock", "ms", ours.wall, echo.wall, Budget::None),
        row(
            "resident",
            "MB",
            ours.resident,
            echo.resident,
            Budget::AtMost(15.0),
        ),
    ])
}

fn start(binary: &Path, arguments: &[&str], samples: &mut Samples) -> Result<()> {
    let home = Home::new()?;
    let mut command = home.command(binary);
    command.args(arguments);
    let begun = Instant::now();
    let mut peer = Peer::spawn(command, Wire::Pipes)?;
    peer.greet()?;
    samples.wall.push(milliseconds(begun.elapsed()));
    samples.cpu.push(milliseconds(peer.cpu()?));
    samples.resident.push(float(peer.resident()?) / 1e6);
    Ok(())
}
