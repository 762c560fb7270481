//! `modekeeper tasks list`

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use mk_engine::{SessionFilter, TaskState, Watching};
use serde_json::Value;

use crate::cli::{FormatArgs, engine};
use crate::config::Config;
use crate::output::{Style, print, print_json};

/// List tasks, newest first
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only tasks in this state
    #[arg(long, value_enum)]
    state: Option<State>,
    /// List the tasks of every project, not only this one
    #[arg(long)]
    all_projects: bool,
    /// Maximum number of results
    #[arg(long, default_value_t = 50)]
    limit: usize,
    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum State {
    Active,
    Completed,
    Failed,
    Cancelled,
}

impl From<State> for TaskState {
    fn from(state: State) -> Self {
        match state {
            State::Active => Self::Active,
            State::Completed => Self::Completed,
            State::Failed => Self::Failed,
            State::Cancelled => Self::Cancelled,
        }
    }
}

pub(crate) fn run(args: &ListArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, Watching::Off);
    let filter = SessionFilter {
        state: args.state.map(TaskState::from),
        project: (!args.all_projects).then(|| config.project_root.value.as_str().to_owned()),
        limit: Some(args.limit),
    };
    let tasks = engine.tasks().list(&filter)?;
    if args.format.json {
        print_json(&tasks.iter().map(super::to_json).collect::<Value>())?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = Style::stdout();
    for task in &tasks {
        let session = &task.session;
        print(&format!(
            "{}  {:<12}  {:<9}  {}\n",
            style.bold(session.id.as_str()),
            session.mode.as_str(),
            session.state.as_str(),
            style.dim(&session.created_at.to_string()),
        ))?;
    }
    if tasks.is_empty() {
        print("no tasks\n")?;
    }
    Ok(ExitCode::SUCCESS)
}
