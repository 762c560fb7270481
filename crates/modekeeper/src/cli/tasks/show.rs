//! `modekeeper tasks show`

use std::process::ExitCode;

use clap::Args;
use mk_engine::{ProjectWatching, StoredMessage, StoredModeChange, TaskDetails, TaskQuery};
use mk_types::ModeSlug;
use serde_json::{Value, json};

use crate::cli::{FormatArgs, engine};
use crate::config::Config;
use crate::output::{OutputStyle, print, print_json};

/// Show one task with its messages and mode history
#[derive(Debug, Args)]
pub(crate) struct TasksShowArgs {
    /// Session ID of the task
    session: String,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &TasksShowArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let details = engine.tasks().peek(
        &args.session,
        TaskQuery {
            messages: true,
            hierarchy: true,
        },
    )?;
    if args.format.json {
        print_json(&to_json(&details))?;
    } else {
        print(&to_text(&details, OutputStyle::stdout()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn to_json(details: &TaskDetails) -> Value {
    let change = |change: &StoredModeChange| {
        json!({
            "from": change.from.as_ref().map(ModeSlug::as_str),
            "to": change.to.as_str(),
            "reason": change.reason,
            "timestamp": change.at.to_string(),
        })
    };
    let message = |message: &StoredMessage| {
        json!({
            "role": message.role.as_str(),
            "content": message.content,
            "timestamp": message.at.to_string(),
        })
    };
    let children = details.children.iter().map(|id| json!(id.as_str()));
    let mut value = super::to_json(&details.task);
    value["expired"] = json!(details.is_expired);
    value["age_seconds"] = json!(details.age.as_secs());
    value["idle_seconds"] = json!(details.idle.as_secs());
    value["child_task_ids"] = children.collect();
    value["mode_history"] = details.mode_changes.iter().map(change).collect();
    value["messages"] = details.messages.iter().map(message).collect();
    value
}

fn to_text(details: &TaskDetails, style: OutputStyle) -> String {
    let session = &details.task.session;
    let mut text = format!(
        "{}  {}\nTask     {}\nMode     {} ({})\nProject  {}\nCreated  {}\nIdle     {}s\n",
        style.bold(session.id.as_str()),
        match details.is_expired {
            true => "expired",
            false => session.state.as_str(),
        },
        session.task,
        session.mode,
        details.task.mode_name(),
        session.project,
        session.created_at,
        details.idle.as_secs(),
    );
    if let Some(parent) = &session.parent {
        text.push_str(&format!("Parent   {parent}\n"));
    }
    if let Some(result) = &session.result {
        text.push_str(&format!("Result   {result}\n"));
    }
    for child in &details.children {
        text.push_str(&format!("Child    {child}\n"));
    }
    text.push_str(&format!("\n{}\n", style.bold("Modes")));
    for change in &details.mode_changes {
        let reason = change
            .reason
            .as_ref()
            .map(|reason| format!("  {reason}"))
            .unwrap_or_default();
        text.push_str(&format!(
            "{}  {}{reason}\n",
            style.dim(&change.at.to_string()),
            change.to
        ));
    }
    if !details.messages.is_empty() {
        text.push_str(&format!("\n{}\n", style.bold("Messages")));
    }
    for message in &details.messages {
        text.push_str(&format!(
            "{}  {}: {}\n",
            style.dim(&message.at.to_string()),
            message.role,
            message.content
        ));
    }
    text
}
