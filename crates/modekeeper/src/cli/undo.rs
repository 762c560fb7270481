//! `modekeeper undo`: puts back what a command inside the wall changed.

use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;
use mk_engine::Watching;

use crate::cli::{engine, operator, person};
use crate::config::Config;
use crate::output::print;

/// Put back what a command changed; without an ID, what the last command changed
#[derive(Debug, Args)]
pub(crate) struct UndoArgs {
    /// ID of the backup as `modekeeper backups list` shows it, or of the command's permit
    id: Option<String>,
    /// Put files back that have changed again since
    #[arg(long)]
    force: bool,
}

/// What journals of commands are called in the list of backups.
const TOOL: &str = "exec";

pub(crate) fn run(args: &UndoArgs, config: &Config) -> anyhow::Result<ExitCode> {
    person::require("undo")?;
    let engine = engine(config, Watching::Off);
    let caller = operator(config);
    let backups = engine.project(&caller).backups();
    let id = match &args.id {
        Some(id) => backups.of_permit(id)?.unwrap_or_else(|| id.clone()),
        None => {
            let last = backups
                .list()?
                .into_iter()
                .find(|backup| backup.tool == TOOL);
            last.context("no command has changed anything in this project")?
                .id
        }
    };
    let conflicts = backups.conflicts(&id)?;
    if !conflicts.is_empty() && !args.force {
        bail!(
            "changed again since: {}; use --force to put them back anyway",
            conflicts.join(", ")
        );
    }
    for change in backups.restore(&id)?.files {
        print(&format!("{} {}\n", change.what, change.path))?;
    }
    Ok(ExitCode::SUCCESS)
}
