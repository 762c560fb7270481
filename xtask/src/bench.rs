//! `cargo xtask bench`: the budgets of the design, measured beside others in the same run.
//!
//! Processor time first: on a busy machine, the time on the clock says little. It is never part of the tests.

mod acp;
mod calls;
mod decisions;
mod files;
mod hook;
mod http;
mod load;
mod playbook;
mod report;
mod sessions;
mod start;
mod store;
mod symbols;
mod wall;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};

use self::report::Row;
use crate::workspace;

/// Measure the budgets, beside a bare rmcp server, fd and rg
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// What to measure
    #[arg(default_value = "all")]
    what: What,
    /// Answer with JSON
    #[arg(long)]
    json: bool,
    /// Exit with 1 if a budget is exceeded
    #[arg(long)]
    strict: bool,
    /// Build nothing; measure the binaries in this folder, such as target/release
    #[arg(long, value_name = "DIR")]
    built: Option<PathBuf>,
    /// How often each measurement is repeated
    #[arg(long, default_value_t = 9)]
    rounds: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// From the start of the process to the answer to `initialize`
    Start,
    /// `validate_tool_use`, one after the other and all at once
    Calls,
    /// The same over `/mcp`, beside stdio, and from up to 512 clients over `/mcp`, REST and SSE
    Http,
    /// The same with 1 to 100,000 sessions in the store
    Sessions,
    /// 100,000 sessions in SQLite and PostgreSQL, by threads; needs PostgreSQL (tests/tools/postgres.sh)
    Store,
    /// The record of a decision, queued in a server and written by a hook
    Decisions,
    /// One decision of the hook, from the start of the process to its end
    Hook,
    /// Messages and streamed chunks through the ACP proxy, beside a bare relay of two pipes
    Acp,
    /// What the wall costs a command
    Wall,
    /// Finding, listing and searching 100,000 files, beside fd and rg
    Files,
    /// The rules tools, with our content and with 2,000 files of the user's
    Playbook,
    /// The index of symbols on Django, tokio and a TypeScript package, beside ctags and Serena
    Symbols,
    All,
}

/// What is compared.
#[derive(Debug)]
struct Binaries {
    modekeeper: PathBuf,
    echo: PathBuf,
    acp: PathBuf,
    index: PathBuf,
    load: PathBuf,
    decision: PathBuf,
}

impl Binaries {
    fn build() -> Result<Self> {
        eprintln!("building …");
        // As `./run` builds it.
        let release = ["--release", "--config", ".cargo/static.toml"];
        let release = |arguments: &[&str]| workspace::build(&[&release, arguments].concat());
        Ok(Self {
            modekeeper: release(&["--package", "modekeeper"])?,
            echo: release(&["--package", "xtask", "--example", "echo"])?,
            acp: release(&["--package", "xtask", "--example", "acp"])?,
            index: release(&["--package", "mk-symbols", "--example", "measure"])?,
            load: release(&["--package", "mk-store", "--example", "store_load"])?,
            decision: release(&["--package", "mk-store", "--example", "decision_cost"])?,
        })
    }

    fn found(folder: &Path) -> Result<Self> {
        let folder = std::path::absolute(folder)?;
        Ok(Self {
            modekeeper: folder.join("modekeeper"),
            echo: folder.join("examples/echo"),
            acp: folder.join("examples/acp"),
            index: folder.join("examples/measure"),
            load: folder.join("examples/store_load"),
            decision: folder.join("examples/decision_cost"),
        })
    }
}

pub(crate) fn run(args: &BenchArgs) -> Result<ExitCode> {
    let binaries = match &args.built {
        Some(folder) => Binaries::found(folder)?,
        None => Binaries::build()?,
    };
    let rows = measure(args, &binaries)?;
    if args.json {
        println!("{:#}", report::to_json(&rows));
    } else {
        print!("{}", report::to_table(&rows));
    }
    let exceeded = rows.iter().any(|row| row.within() == Some(false));
    Ok(ExitCode::from(u8::from(exceeded && args.strict)))
}

fn measure(args: &BenchArgs, binaries: &Binaries) -> Result<Vec<Row>> {
    let rounds = args.rounds.max(1);
    let wanted = |what| args.what == what || args.what == What::All;
    let mut rows: Vec<Row> = Vec::new();
    if wanted(What::Start) {
        eprintln!("start …");
        rows.extend(start::measure(binaries, rounds)?);
    }
    if wanted(What::Calls) {
        eprintln!("calls …");
        rows.extend(calls::measure(binaries, rounds)?);
    }
    if wanted(What::Http) {
        eprintln!("http …");
        rows.extend(http::measure(&binaries.modekeeper, rounds)?);
        rows.extend(load::measure(&binaries.modekeeper, rounds)?);
    }
    if wanted(What::Sessions) {
        eprintln!("sessions …");
        rows.extend(sessions::measure(&binaries.modekeeper, rounds)?);
    }
    if wanted(What::Store) {
        eprintln!("store …");
        rows.extend(store::measure(&binaries.load)?);
    }
    if wanted(What::Decisions) {
        eprintln!("decisions …");
        rows.extend(decisions::measure(&binaries.decision)?);
    }
    if wanted(What::Hook) {
        eprintln!("hook …");
        rows.extend(hook::measure(&binaries.modekeeper, rounds)?);
    }
    if wanted(What::Acp) {
        eprintln!("acp …");
        rows.extend(acp::measure(&binaries.modekeeper, &binaries.acp, rounds)?);
    }
    if wanted(What::Wall) {
        eprintln!("wall …");
        rows.extend(wall::measure(&binaries.modekeeper, rounds)?);
    }
    if wanted(What::Files) {
        eprintln!("files …");
        rows.extend(files::measure(&binaries.modekeeper, rounds)?);
    }
    if wanted(What::Playbook) {
        eprintln!("playbook …");
        rows.extend(playbook::measure(&binaries.modekeeper, rounds)?);
    }
    if wanted(What::Symbols) {
        eprintln!("symbols …");
        rows.extend(symbols::measure(
            &binaries.modekeeper,
            &binaries.index,
            rounds,
        )?);
    }
    Ok(rows)
}
