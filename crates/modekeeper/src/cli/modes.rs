//! `modekeeper modes`: what modes there are.

mod draft;
mod edit;
pub(super) mod lint;
mod list;
mod new;
mod prompt;
mod show;
pub(crate) mod trouble;
mod trust;

use std::process::ExitCode;

use clap::Subcommand;

use crate::config::Config;
use crate::env::Env;

#[derive(Debug, Subcommand)]
pub(crate) enum ModesCommand {
    /// List the modes of this project
    List(list::ModesListArgs),
    /// Show one mode in full
    Show(show::ModesShowArgs),
    /// Print the system prompt of a mode
    Prompt(prompt::PromptArgs),
    /// Add a mode to the project's mode file
    New(new::NewArgs),
    /// Edit the project's mode file in your editor; shows whose rights change before it is saved
    Edit(edit::EditArgs),
    /// Report every problem in mode files; exit code 1 if there are errors
    Lint(lint::ModesLintArgs),
    /// Trust a mode that allows more than before; without a slug, list the modes that wait for it
    Trust(trust::TrustArgs),
}

pub(crate) fn run(command: ModesCommand, config: &Config, env: &Env) -> anyhow::Result<ExitCode> {
    match command {
        ModesCommand::List(args) => list::run(&args, config),
        ModesCommand::Show(args) => show::run(&args, config),
        ModesCommand::Prompt(args) => prompt::run(&args, config),
        ModesCommand::New(args) => new::run(&args, config),
        ModesCommand::Edit(args) => edit::run(&args, config, env),
        ModesCommand::Lint(args) => lint::run(&args, config),
        ModesCommand::Trust(args) => trust::run(&args, config),
    }
}
