//! `modekeeper tasks switch`

use std::process::ExitCode;

use clap::Args;
use mk_engine::{Outcome, ProjectWatching, SwitchedMode};
use serde_json::json;

use crate::cli::{FormatArgs, block_on, close, engine, operator, person};
use crate::config::Config;
use crate::output::{print, print_json};

/// Switch a task to another mode
#[derive(Debug, Args)]
pub(crate) struct SwitchArgs {
    /// Session ID of the task
    session: String,
    /// Slug of the mode
    mode: String,
    /// Why; shown in the task's history
    #[arg(long)]
    reason: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: SwitchArgs, config: &Config) -> anyhow::Result<ExitCode> {
    person::require("tasks switch")?;
    let engine = engine(config, ProjectWatching::Off);
    let caller = operator(config);
    let switching = engine
        .tasks()
        .switch_mode(&caller, &args.session, &args.mode, args.reason);
    let Outcome::Done(SwitchedMode {
        session,
        mode,
        old_mode,
        ..
    }) = block_on(switching)??
    else {
        anyhow::bail!("the switch is waiting for approval");
    };
    let subject = format!("{}: {old_mode} → {}", session.id, mode.slug);
    person::record(&engine, "switch mode", &subject);
    let exit = close(&engine);
    if args.format.json {
        print_json(&json!({
            "session_id": session.id.as_str(), "old_mode": old_mode.as_str(), "new_mode": mode.slug.as_str(),
        }))?;
    } else {
        print(&format!("{subject}\n"))?;
    }
    Ok(exit)
}
