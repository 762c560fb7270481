//! `modekeeper undo`: puts back what a command inside the wall or one of our own tools changed.

use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;
use mk_engine::ProjectWatching;

use crate::cli::{close, engine, operator, person};
use crate::config::Config;
use crate::output::print;

/// Undo what a command or tool changed; without an ID, the last change
///
/// Undoing is a change, too: `modekeeper undo` a second time brings it back.
#[derive(Debug, Args)]
pub(crate) struct UndoArgs {
    /// ID of a backup as `modekeeper backups list` shows it, of a command as `modekeeper log` shows it, or of its permit
    id: Option<String>,
    /// Overwrite files that have changed again since
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &UndoArgs, config: &Config) -> anyhow::Result<ExitCode> {
    person::require("undo")?;
    let engine = engine(config, ProjectWatching::Off);
    let caller = operator(config);
    let backups = engine.project(&caller).backups();
    let id = match &args.id {
        Some(id) => engine
            .command_records()
            .undo_of(id)?
            .unwrap_or_else(|| id.clone()),
        None => {
            let last = backups.list()?.into_iter().next();
            last.context("nothing has changed in this project that can be undone")?
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
    let files = backups.restore(&id)?.files;
    person::record(&engine, "undo", &id);
    for change in files {
        print(&format!("{} {}\n", change.what, change.path))?;
    }
    Ok(close(&engine))
}
