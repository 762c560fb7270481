//! `modekeeper lsp`: the language servers that make references, renames and diagnostics exact.

mod install;
mod list;
mod restart;

use std::process::ExitCode;

use clap::Subcommand;

use crate::config::Config;

#[derive(Debug, Subcommand)]
pub(crate) enum LspCommand {
    /// List known language servers, and which are installed
    List(list::LspListArgs),
    /// Install a language server
    Install(install::LspInstallArgs),
    /// Restart the language server of a language
    Restart(restart::RestartArgs),
}

pub(crate) fn run(command: &LspCommand, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        LspCommand::List(args) => list::run(args, config),
        LspCommand::Install(args) => install::run(args, config),
        LspCommand::Restart(args) => restart::run(args, config),
    }
}
