//! `modekeeper backups show`

use std::process::ExitCode;

use clap::Args;
use mk_engine::ProjectWatching;

use crate::cli::backups::list::to_json;
use crate::cli::{FormatArgs, engine, operator};
use crate::config::Config;
use crate::output::{OutputStyle, print, print_json};

/// Show the contents of a backup
#[derive(Debug, Args)]
pub(crate) struct BackupsShowArgs {
    /// ID of the backup
    id: String,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &BackupsShowArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let backup = engine(config, ProjectWatching::Off)
        .project(&operator(config))
        .backups()
        .get(&args.id)?;
    if args.format.json {
        print_json(&to_json(&backup))?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = OutputStyle::stdout();
    let mut text = format!(
        "{}  {}\nMade by  {}\n",
        style.bold(&backup.id),
        backup.at,
        backup.tool
    );
    for entry in &backup.files {
        let what = if entry.existed {
            format!("{} bytes", entry.size)
        } else {
            "was not there; restoring removes it".to_owned()
        };
        text.push_str(&format!("  {}  {}\n", entry.path, style.dim(&what)));
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
