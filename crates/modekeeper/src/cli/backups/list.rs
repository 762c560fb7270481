//! `modekeeper backups list`

use std::process::ExitCode;

use clap::Args;
use mk_engine::{BackedUpFile, BackupInfo, ProjectWatching};
use serde_json::{Value, json};

use crate::cli::{FormatArgs, engine, operator};
use crate::config::Config;
use crate::output::{OutputStyle, print, print_json};

/// List backups, newest first
#[derive(Debug, Args)]
pub(crate) struct BackupsListArgs {
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &BackupsListArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let backups = engine(config, ProjectWatching::Off)
        .project(&operator(config))
        .backups()
        .list()?;
    if args.format.json {
        print_json(&backups.iter().map(to_json).collect::<Value>())?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = OutputStyle::stdout();
    for backup in &backups {
        let paths: Vec<&str> = backup
            .files
            .iter()
            .map(|entry| entry.path.as_str())
            .collect();
        print(&format!(
            "{}  {}  {}  {}\n",
            style.bold(&backup.id),
            style.dim(&backup.at.to_string()),
            backup.tool,
            paths.join(", ")
        ))?;
    }
    if backups.is_empty() {
        print("no backups\n")?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn to_json(backup: &BackupInfo) -> Value {
    let entry = |entry: &BackedUpFile| json!({ "path": entry.path.as_str(), "existed": entry.existed, "size": entry.size });
    json!({
        "id": backup.id,
        "at": backup.at.to_string(),
        "tool": backup.tool,
        "files": backup.files.iter().map(entry).collect::<Vec<_>>(),
    })
}
