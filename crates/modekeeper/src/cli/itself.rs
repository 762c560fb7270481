//! `modekeeper self`: what this program does to its own installation.

mod uninstall;

use std::process::ExitCode;

use clap::Subcommand;

use crate::config::Config;
use crate::env::Env;

#[derive(Debug, Subcommand)]
pub(crate) enum SelfCommand {
    /// Remove Modekeeper from this machine
    Uninstall(uninstall::SelfUninstallArgs),
}

pub(crate) fn run(command: &SelfCommand, config: &Config, env: &Env) -> anyhow::Result<ExitCode> {
    match command {
        SelfCommand::Uninstall(args) => uninstall::run(args, config, env),
    }
}
