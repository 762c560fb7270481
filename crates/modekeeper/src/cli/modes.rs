//! `modekeeper modes`: what modes there are.

pub(super) mod lint;
mod list;
mod prompt;
mod show;

use std::process::ExitCode;

use clap::Subcommand;

use crate::config::Config;

#[derive(Debug, Subcommand)]
pub(crate) enum ModesCommand {
    /// List the modes of this project
    List(list::ListArgs),
    /// Show one mode in full
    Show(show::ShowArgs),
    /// Print the system prompt of a mode
    Prompt(prompt::PromptArgs),
    /// Report every problem in mode files; exit code 1 if there are errors
    Lint(lint::LintArgs),
}

pub(crate) fn run(command: ModesCommand, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        ModesCommand::List(args) => list::run(&args, config),
        ModesCommand::Show(args) => show::run(&args, config),
        ModesCommand::Prompt(args) => prompt::run(&args, config),
        ModesCommand::Lint(args) => lint::run(&args, config),
    }
}
