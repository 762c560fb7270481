//! `modekeeper playbook`: how the team works.

mod eval;
mod init;
mod lint;

use std::process::ExitCode;

use clap::Subcommand;

use crate::config::Config;

#[derive(Debug, Subcommand)]
pub(crate) enum PlaybookCommand {
    /// Write a configuration of the project from what is found in it; an existing one is left alone
    Init(init::InitArgs),
    /// Say how well prompts are understood, on cases of your own
    Eval(eval::EvalArgs),
    /// Report every problem of rules, agents, skills, checklists and the project's configuration
    Lint(lint::LintArgs),
}

pub(crate) fn run(command: &PlaybookCommand, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        PlaybookCommand::Init(args) => init::run(args, config),
        PlaybookCommand::Eval(args) => eval::run(args, config),
        PlaybookCommand::Lint(args) => lint::run(args, config),
    }
}
