//! `modekeeper lsp`: the language servers that make references, renames and diagnostics exact.

mod install;
mod list;
mod restart;

use std::process::ExitCode;

use clap::Subcommand;

use crate::config::Config;

#[derive(Debug, Subcommand)]
pub(crate) enum LspCommand {
    /// List the servers that are known, and which are installed
    List(list::ListArgs),
    /// Install a server for a language
    Install(install::InstallArgs),
    /// Start a language's server anew, wherever it runs
    Restart(restart::RestartArgs),
}

pub(crate) fn run(command: &LspCommand, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        LspCommand::List(args) => list::run(args, config),
        LspCommand::Install(args) => install::run(args, config),
        LspCommand::Restart(args) => restart::run(args, config),
    }
}
