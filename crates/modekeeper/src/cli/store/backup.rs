//! `modekeeper store backup`

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;

use super::database;
use crate::config::Config;
use crate::output::print;

/// Copy the database to a file; safe while it is in use
#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// File to write; it must not exist
    #[arg(value_name = "FILE")]
    target: PathBuf,
}

pub(crate) fn run(args: &BackupArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let database = database(config)?;
    if args.target.exists() {
        bail!("`{}` already exists", args.target.display());
    }
    database.back_up(&args.target)?;
    print(&format!("{}\n", args.target.display()))?;
    Ok(ExitCode::SUCCESS)
}
