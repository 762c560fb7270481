//! `modekeeper config`: what is set, and where it was set.

mod init;
mod show;

use std::process::ExitCode;

use clap::Subcommand;

use crate::config::Config;

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show every setting, its value and where the value comes from
    Show(show::ConfigShowArgs),
    /// Write a configuration file with the defaults; does not overwrite an existing one
    Init(init::ConfigInitArgs),
}

pub(crate) fn run(command: &ConfigCommand, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        ConfigCommand::Show(args) => show::run(args, config),
        ConfigCommand::Init(args) => init::run(args, config),
    }
}
