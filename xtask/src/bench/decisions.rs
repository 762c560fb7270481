//! What the record of a decision costs: on the path of a resident server, where it is queued, and in a hook, which waits
//! for it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::report::{Budget, Row, Spread};

/// What it prints, what that is, its unit and its budget.
const FIGURES: [(&str, &str, &str, Budget); 3] = [
    (
        "queued",
        "record of a decision, queued, CPU of the caller",
        "µs",
        Budget::AtMost(5.0),
    ),
    (
        "all",
        "record of a decision, queued and written, CPU",
        "µs",
        Budget::None,
    ),
    (
        "hook",
        "record of a decision in a hook, CPU",
        "ms",
        Budget::AtMost(0.7),
    ),
];

pub(crate) fn measure(program: &Path) -> Result<Vec<Row>> {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("modekeeper.db");
    let output = Command::new(program).arg(&file).output();
    let output = output.context("could not start it")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "it failed: {errors}");
    let text = String::from_utf8(output.stdout)?;
    let rows = FIGURES.map(|(name, what, unit, budget)| {
        let values = text.lines().filter_map(|line| {
            let (of, value) = line.split_once(' ')?;
            value.parse().ok().filter(|_| of == name)
        });
        Row {
            what: what.to_owned(),
            unit,
            ours: Spread::of(values.collect()),
            beside: None,
            budget,
        }
    });
    Ok(rows.into())
}
