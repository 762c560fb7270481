//! `modekeeper backups`: undo what agents did to files.

mod list;
mod restore;
mod show;

use std::process::ExitCode;

use clap::Subcommand;

use crate::config::Config;

#[derive(Debug, Subcommand)]
pub(crate) enum BackupsCommand {
    /// List what can be undone, newest first
    List(list::ListArgs),
    /// Show what a backup holds
    Show(show::ShowArgs),
    /// Put the files of a backup back as they were
    Restore(restore::RestoreArgs),
}

pub(crate) fn run(command: &BackupsCommand, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        BackupsCommand::List(args) => list::run(args, config),
        BackupsCommand::Show(args) => show::run(args, config),
        BackupsCommand::Restore(args) => restore::run(args, config),
    }
}
