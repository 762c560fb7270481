//! One decision of the hook: processor time from the start of the process to its end.
//!
//! Beside it `--version`, the cheapest thing that the same binary does: what is above it is the decision.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use super::report::{Budget, Row, Spread, float};
use crate::peer::{Home, cpu_of_ended_children};

/// The kernel shows the time of ended children in hundredths of a second.
const CALLS_PER_ROUND: u32 = 100;

pub(crate) fn measure(binary: &Path, rounds: usize) -> Result<Vec<Row>> {
    let home = Home::new()?;
    hold(&home, binary)?;
    let project = home.project();
    let main = project.join("src/main.rs");
    let event = |tool, input| event(&project, tool, &input);
    let denied = event(
        "Edit",
        json!({ "file_path": main, "old_string": "a", "new_string": "b" }),
    );
    let passed = event("Read", json!({ "file_path": main }));
    let line = event("Bash", json!({ "command": "git status && ls -la src" }));
    // The first event opens the conversation, and is not what one waits for a thousand times a day.
    ensure!(
        answer(&home, binary, &denied)?.contains("deny"),
        "the hook did not deny"
    );
    let mut rows = Vec::new();
    for (what, input) in [
        ("denied", &denied),
        ("let pass", &passed),
        ("shell line", &line),
    ] {
        let (mut ours, mut beside) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            ours.push(cpu_each(|| answer(&home, binary, input).map(drop))?);
            beside.push(cpu_each(|| version(&home, binary))?);
        }
        rows.push(Row {
            what: format!("hook, start → exit, {what}, CPU"),
            unit: "ms",
            ours: Spread::of(ours),
            beside: Some(("--version", Spread::of(beside))),
            budget: Budget::AtMost(5.0),
        });
    }
    Ok(rows)
}

/// Puts the project into a mode by the configuration, as an operator does on a machine without a person.
fn hold(home: &Home, binary: &Path) -> Result<()> {
    let config = home.path().join(".config/modekeeper");
    std::fs::create_dir_all(&config)?;
    std::fs::write(
        config.join("config.json"),
        r#"{ "default_mode": "architect" }"#,
    )?;
    std::fs::create_dir_all(home.project().join("src"))?;
    std::fs::write(home.project().join("src/main.rs"), "fn main() {}\n")?;
    // Any command that uses the store makes it.
    let made = home.command(binary).args(["tasks", "list"]).output()?;
    ensure!(
        made.status.success(),
        "the store could not be made: {made:?}"
    );
    Ok(())
}

fn event(project: &Path, tool: &str, input: &serde_json::Value) -> String {
    json!({
        "hook_event_name": "PreToolUse", "session_id": "bench", "cwd": project,
        "tool_name": tool, "tool_input": input,
    })
    .to_string()
}

fn answer(home: &Home, binary: &Path, event: &str) -> Result<String> {
    let mut command = home.command(binary);
    command.args(["hook", "claude"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn()?;
    let mut input = child.stdin.take().context("no stdin")?;
    input.write_all(event.as_bytes())?;
    drop(input);
    let output = child.wait_with_output()?;
    Ok(String::from_utf8(output.stdout)?)
}

fn version(home: &Home, binary: &Path) -> Result<()> {
    let output = home.command(binary).arg("--version").output()?;
    ensure!(output.status.success(), "--version failed");
    Ok(())
}

/// Milliseconds of processor time of one call.
pub(super) fn cpu_each(mut call: impl FnMut() -> Result<()>) -> Result<f64> {
    let before = cpu_of_ended_children()?;
    for _ in 0..CALLS_PER_ROUND {
        call()?;
    }
    let spent = cpu_of_ended_children()?.saturating_sub(before);
    Ok(spent.as_secs_f64() * 1000.0 / float(CALLS_PER_ROUND.into()))
}
