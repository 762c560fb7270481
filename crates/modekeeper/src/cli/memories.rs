//! `modekeeper memories`: what agents and people wrote down for later.

mod list;
mod show;

use std::process::ExitCode;

use clap::Subcommand;

use crate::config::Config;

#[derive(Debug, Subcommand)]
pub(crate) enum MemoriesCommand {
    /// List the memories of this project
    List(list::MemoriesListArgs),
    /// Print a memory
    Show(show::MemoriesShowArgs),
}

pub(crate) fn run(command: &MemoriesCommand, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        MemoriesCommand::List(args) => list::run(args, config),
        MemoriesCommand::Show(args) => show::run(args, config),
    }
}
