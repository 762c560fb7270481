//! What the wall costs a command: its start, the wall itself, permit and record, and each file opened for writing.
//!
//! Beside each figure stands the same work without the wall; the budgets are for the difference.

mod build;

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use rustix::process::WaitOptions;

use super::hook::cpu_each;
use super::report::{Budget, Row, Spread};
use crate::peer::Home;

const MODES: &str = r"customModes:
  - slug: docs
    name: Docs
    roleDefinition: You write documents.
    groups: [read, command, [edit, {fileRegex: '\.md$'}]]
";
const OPENS: u32 = 1000;
/// A build takes seconds.
const BUILD_ROUNDS: usize = 5;

pub(crate) fn measure(binary: &Path, rounds: usize) -> Result<Vec<Row>> {
    // The supervisor of a command is not our child, and its time counts, too.
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let home = Home::new()?;
    std::fs::create_dir_all(home.project())?;
    std::fs::write(home.project().join(".roomodes"), MODES)?;
    std::fs::write(home.project().join("notes.md"), "notes\n")?;
    let line = format!("i=0; while [ $i -lt {OPENS} ]; do : > notes.md; i=$((i+1)); done");
    let shell = ["/bin/sh", "-c", line.as_str()];
    let nothing = ["/bin/true"];
    let exec = |options: &[&str], command: &[&str]| {
        let mut all = home.command(binary);
        all.arg("exec").args(options).arg("--").args(command);
        all
    };
    let plain = |command: &[&str]| match command {
        [program, arguments @ ..] => {
            let mut all = home.command(Path::new(program));
            all.args(arguments);
            all
        }
        [] => home.command(binary),
    };
    let inside = || {
        let mut command = home.command(binary);
        command.args(["exec", "--inside"]);
        command
    };
    // The first command makes directories and the store.
    run(exec(&[], &nothing))?;
    let mut rows = Vec::new();
    rows.push(compare(
        "start of exec, above /bin/true, CPU",
        Budget::AtMost(1.5),
        rounds,
        &inside,
        &|| plain(&nothing),
    )?);
    rows.push(compare(
        "command with its rights at hand, as a language server has them, above /bin/true, CPU",
        Budget::AtMost(1.5),
        rounds,
        &|| exec(&["--language-server"], &nothing),
        &|| plain(&nothing),
    )?);
    rows.push(compare(
        "command with mode looked up and record written, above /bin/true, CPU",
        Budget::AtMost(3.0),
        rounds,
        &|| exec(&["--mode", "docs"], &nothing),
        &|| plain(&nothing),
    )?);
    let opens = compare(
        "a thousand files opened for writing, above the same without the wall, CPU",
        Budget::AtMost(60.0 + 3.0),
        rounds,
        &|| exec(&["--mode", "docs"], &shell),
        &|| plain(&shell),
    )?;
    rows.push(opens);
    rows.extend(build::measure(binary, rounds.min(BUILD_ROUNDS))?);
    Ok(rows)
}

/// Waits for what a command has left to us: its supervisor ends after the process that we started.
fn all_ended() {
    while let Ok(Some(_)) = rustix::process::wait(WaitOptions::empty()) {}
}

/// The difference between two commands.
fn compare(
    what: &str,
    budget: Budget,
    rounds: usize,
    walled: &dyn Fn() -> Command,
    plain: &dyn Fn() -> Command,
) -> Result<Row> {
    let (mut above, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let free = cpu_each(|| run_any(plain()))?;
        above.push(cpu_each(|| run_any(walled()))? - free);
        beside.push(free);
    }
    Ok(Row {
        what: what.to_owned(),
        unit: "ms",
        ours: Spread::of(above),
        beside: Some(("without", Spread::of(beside))),
        budget,
    })
}

fn run_any(mut command: Command) -> Result<()> {
    command.output()?;
    all_ended();
    Ok(())
}

fn run(mut command: Command) -> Result<()> {
    let output = command.output()?;
    ensure!(output.status.success(), "{output:?}");
    Ok(())
}
