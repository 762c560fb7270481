//! `modekeeper tasks complete`

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use mk_engine::{ProjectWatching, TaskState};

use crate::cli::{FormatArgs, block_on, close, engine, operator, person};
use crate::config::Config;
use crate::output::{print, print_json};

/// Complete a task
#[derive(Debug, Args)]
pub(crate) struct CompleteArgs {
    /// Session ID of the task
    session: String,
    /// Status of the task
    #[arg(long, value_enum, default_value_t = CompleteStatus::Completed)]
    status: CompleteStatus,
    /// Summary of the result
    #[arg(long)]
    result: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum CompleteStatus {
    Completed,
    Failed,
    Cancelled,
}

pub(crate) fn run(args: CompleteArgs, config: &Config) -> anyhow::Result<ExitCode> {
    person::require("tasks complete")?;
    let engine = engine(config, ProjectWatching::Off);
    let state = match args.status {
        CompleteStatus::Completed => TaskState::Completed,
        CompleteStatus::Failed => TaskState::Failed,
        CompleteStatus::Cancelled => TaskState::Cancelled,
    };
    let (person, tasks) = (operator(config), engine.tasks());
    let completed = tasks.complete(&person, &args.session, state, args.result);
    let task = block_on(completed)??;
    let (id, state) = (&task.session.id, task.session.state);
    person::record(&engine, "end task", &format!("{id}: {state}"));
    let exit = close(&engine);
    if args.format.json {
        print_json(&super::to_json(&task))?;
    } else {
        print(&format!("{}: {}\n", task.session.id, task.session.state))?;
    }
    Ok(exit)
}
