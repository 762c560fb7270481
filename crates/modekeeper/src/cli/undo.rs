//! `modekeeper undo`: puts back what a command inside the wall or one of our own tools changed.

use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;
use mk_engine::ProjectWatching;

use crate::cli::{close, engine, operator, person};
use crate::config::Config;
use crate::output::{print, print_note};

/// Undo what a command or tool changed; without an ID, the last change that is not undone yet
///
/// Undoing is a change, too: `modekeeper undo` with the ID of an undo (`modekeeper backups list`) brings it back.
#[derive(Debug, Args)]
pub(crate) struct UndoArgs {
    /// ID of a backup as `modekeeper backups list` shows it, of a command as `modekeeper log` shows it, or of its permit
    id: Option<String>,
    /// Overwrite files that have changed since then
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
            let last = backups.last_standing()?;
            last.context(
                "nothing is left to undo in this project; `modekeeper backups list` shows every change, and \
                 `modekeeper undo <ID>` of an undo brings it back",
            )?
            .id
        }
    };
    let obstacles = backups.obstacles(&id)?;
    // What cannot be put back keeps nothing else from it; what has changed since waits for the person's word.
    let mut conflicts = backups.conflicts(&id)?;
    conflicts.retain(|path| obstacles.iter().all(|it| it.to_string() != *path));
    if !conflicts.is_empty() && !args.force {
        bail!(
            "changed since then: {}; use --force to restore them anyway",
            conflicts.join(", ")
        );
    }
    let files = backups.restore_except(&id, &obstacles)?.files;
    person::record(&engine, "undo", &id);
    for change in files {
        print(&format!("{} {}\n", change.what, change.path))?;
    }
    for path in &obstacles {
        print_note(&format!(
            "conflict: {path} was not put back because a directory or a link has its name. Move it away and run: modekeeper undo {id} --force"
        ));
    }
    let closed = close(&engine);
    Ok(if obstacles.is_empty() {
        closed
    } else {
        ExitCode::FAILURE
    })
}
