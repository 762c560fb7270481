//! `modekeeper playbook`: how the team works.

mod eval;
mod export;
mod init;
mod lint;
mod list;
mod show;

use std::process::ExitCode;

use clap::Subcommand;

use crate::config::Config;

#[derive(Debug, Subcommand)]
pub(crate) enum PlaybookCommand {
    /// Detect the project's stack and write its configuration; does not overwrite an existing one
    Init(init::PlaybookInitArgs),
    /// List rules, agents, skills and checklists that apply here
    List(list::PlaybookListArgs),
    /// Print a rule, agent, skill or checklist
    Show(show::PlaybookShowArgs),
    /// Measure on your own cases how well prompts are understood
    Eval(eval::EvalArgs),
    /// Report every problem in rules, agents, skills, checklists and the project's configuration
    Lint(lint::PlaybookLintArgs),
    /// Export the built-in skills to a product's skill directory
    Export(export::ExportArgs),
}

pub(crate) fn run(command: &PlaybookCommand, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        PlaybookCommand::Init(args) => init::run(args, config),
        PlaybookCommand::List(args) => list::run(args, config),
        PlaybookCommand::Show(args) => show::run(args, config),
        PlaybookCommand::Eval(args) => eval::run(args, config),
        PlaybookCommand::Lint(args) => lint::run(args, config),
        PlaybookCommand::Export(args) => export::run(args, config),
    }
}
