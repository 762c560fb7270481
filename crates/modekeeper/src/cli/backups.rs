//! `modekeeper backups`: undo what agents did to files.

mod list;
mod restore;
mod show;

use std::process::ExitCode;

use clap::Subcommand;

use crate::config::Config;

#[derive(Debug, Subcommand)]
pub(crate) enum BackupsCommand {
    /// List backups, newest first
    List(list::BackupsListArgs),
    /// Show the contents of a backup
    Show(show::BackupsShowArgs),
    /// Restore the files of a backup
    Restore(restore::RestoreArgs),
}

pub(crate) fn run(command: &BackupsCommand, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        BackupsCommand::List(args) => list::run(args, config),
        BackupsCommand::Show(args) => show::run(args, config),
        BackupsCommand::Restore(args) => restore::run(args, config),
    }
}
