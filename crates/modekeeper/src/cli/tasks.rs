//! `modekeeper tasks`: what agents are at.

mod complete;
pub(super) mod list;
mod message;
mod show;
mod switch;

use std::process::ExitCode;

use clap::Subcommand;
use mk_engine::Task;
use mk_types::TaskId;
use serde_json::{Value, json};

use crate::config::Config;

#[derive(Debug, Subcommand)]
pub(crate) enum TasksCommand {
    /// List tasks, newest first
    List(list::TasksListArgs),
    /// Show one task with its messages and mode history
    Show(show::TasksShowArgs),
    /// Add a message to a task's history
    Message(message::MessageArgs),
    /// Switch a task to another mode
    Switch(switch::SwitchArgs),
    /// Complete a task
    Complete(complete::CompleteArgs),
}

pub(crate) fn run(command: TasksCommand, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        TasksCommand::List(args) => list::run(&args, config),
        TasksCommand::Show(args) => show::run(&args, config),
        TasksCommand::Message(args) => message::run(args, config),
        TasksCommand::Switch(args) => switch::run(args, config),
        TasksCommand::Complete(args) => complete::run(args, config),
    }
}

/// A task for programs.
fn to_json(task: &Task) -> Value {
    let session = &task.session;
    json!({
        "session_id": session.id.as_str(),
        "task_id": session.task.as_str(),
        "mode": session.mode.as_str(),
        "state": session.state.as_str(),
        "project": session.project,
        "parent_task_id": session.parent.as_ref().map(TaskId::as_str),
        "created_at": session.created_at.to_string(),
        "last_activity": session.last_activity.to_string(),
        "completed_at": session.finished_at.map(|at| at.to_string()),
        "result": session.result,
    })
}
