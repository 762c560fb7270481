//! `modekeeper backups restore`

use std::process::ExitCode;

use clap::Args;
use mk_engine::{FileChange, ProjectWatching};
use serde_json::{Value, json};

use crate::cli::{FormatArgs, engine, operator, person};
use crate::config::Config;
use crate::output::{print, print_json};

/// Restore the files of a backup; the current files are backed up first
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// ID of the backup
    id: String,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &RestoreArgs, config: &Config) -> anyhow::Result<ExitCode> {
    person::require("backups restore")?;
    let engine = engine(config, ProjectWatching::Off);
    let caller = operator(config);
    let written = engine.project(&caller).backups().restore(&args.id)?.files;
    person::record(&engine, "undo", &args.id);
    if args.format.json {
        let change = |change: &FileChange| json!({ "path": change.path.as_str(), "change": change.what, "backup": change.backup });
        print_json(&written.iter().map(change).collect::<Value>())?;
        return Ok(ExitCode::SUCCESS);
    }
    for change in &written {
        print(&format!("{} {}\n", change.what, change.path))?;
    }
    if written.is_empty() {
        print("nothing to change: the files are as they were\n")?;
    }
    Ok(ExitCode::SUCCESS)
}
