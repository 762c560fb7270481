//! `modekeeper tasks list`

use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use mk_engine::{ListedTask, ProjectWatching, SessionFilter, TaskState};
use serde_json::{Value, json};

use crate::cli::{FormatArgs, engine};
use crate::config::Config;
use crate::output::{OutputStyle, print, print_json};

/// Characters of a title that are shown.
const TITLE: usize = 60;

/// List tasks, newest first
#[derive(Debug, Args)]
pub(crate) struct TasksListArgs {
    /// Only tasks in this state
    #[arg(long, value_enum)]
    state: Option<TaskStateFilter>,
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
pub(crate) enum TaskStateFilter {
    Active,
    Completed,
    Failed,
    Cancelled,
}

impl From<TaskStateFilter> for TaskState {
    fn from(state: TaskStateFilter) -> Self {
        match state {
            TaskStateFilter::Active => Self::Active,
            TaskStateFilter::Completed => Self::Completed,
            TaskStateFilter::Failed => Self::Failed,
            TaskStateFilter::Cancelled => Self::Cancelled,
        }
    }
}

pub(crate) fn run(args: &TasksListArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let filter = SessionFilter {
        state: args.state.map(TaskState::from),
        project: (!args.all_projects).then(|| config.project_root.value.as_str().to_owned()),
        // One more than is shown tells whether there are more.
        limit: Some(args.limit.saturating_add(1)),
        ..SessionFilter::default()
    };
    let mut tasks = engine.tasks().list(&filter)?;
    let is_cut = tasks.len() > args.limit;
    tasks.truncate(args.limit);
    if args.format.json {
        print_json(&tasks.iter().map(to_json).collect::<Value>())?;
        return Ok(ExitCode::SUCCESS);
    }
    for (listed, depth) in in_tree_order(&tasks) {
        print(&line(listed, depth))?;
    }
    if tasks.is_empty() {
        print("no tasks\n")?;
    }
    if is_cut {
        print(&format!(
            "Only the newest {} are shown; list more with --limit\n",
            tasks.len()
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(in crate::cli) fn line(listed: &ListedTask, depth: usize) -> String {
    let style = OutputStyle::stdout();
    let session = &listed.task.session;
    let state = match listed.is_expired {
        true => "expired",
        false => session.state.as_str(),
    };
    let title = listed.title.as_deref().unwrap_or_default();
    let title: String = visible(title).chars().take(TITLE).collect();
    let line = format!(
        "{}{}  {:<12}  {:<9}  {}  {title}",
        "  ".repeat(depth),
        style.bold(session.id.as_str()),
        session.mode.as_str(),
        state,
        style.dim(&format!("idle {}", short(listed.idle))),
    );
    format!("{}\n", line.trim_end())
}

/// A title is an agent's words: it must not move the cursor.
fn visible(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            character if character.is_control() => '\u{fffd}',
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' => {
                '\u{fffd}'
            }
            character => character,
        })
        .collect()
}

fn short(idle: Duration) -> String {
    match idle.as_secs() {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3600 => format!("{}m", seconds / 60),
        seconds @ 3600..86_400 => format!("{}h", seconds / 3600),
        seconds => format!("{}d", seconds / 86_400),
    }
}

/// Newest first, and below each task its children, with their depth. A child whose parent is not listed stands alone.
fn in_tree_order(tasks: &[ListedTask]) -> Vec<(&ListedTask, usize)> {
    let parent_of = |listed: &ListedTask| {
        let parent = listed.task.session.parent.as_ref()?;
        tasks
            .iter()
            .position(|other| other.task.session.task == *parent)
    };
    let parents: Vec<Option<usize>> = tasks.iter().map(parent_of).collect();
    let mut ordered = Vec::new();
    let mut open: Vec<(usize, usize)> = roots_last_first(&parents, None);
    while let Some((task_idx, depth)) = open.pop() {
        ordered.extend(tasks.get(task_idx).map(|task| (task, depth)));
        let children = roots_last_first(&parents, Some(task_idx));
        open.extend(children.into_iter().map(|(child, _)| (child, depth + 1)));
    }
    ordered
}

/// The tasks with this parent, in the order in which a stack gives them back newest first.
fn roots_last_first(parents: &[Option<usize>], parent: Option<usize>) -> Vec<(usize, usize)> {
    let with_parent = parents.iter().enumerate().filter(|(_, it)| **it == parent);
    with_parent
        .map(|(task_idx, _)| (task_idx, 0))
        .rev()
        .collect()
}

pub(in crate::cli) fn to_json(listed: &ListedTask) -> Value {
    let mut value = super::to_json(&listed.task);
    value["title"] = json!(listed.title);
    value["idle_seconds"] = json!(listed.idle.as_secs());
    value["expired"] = json!(listed.is_expired);
    value
}
