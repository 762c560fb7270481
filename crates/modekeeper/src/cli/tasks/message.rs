//! `modekeeper tasks message`

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use mk_engine::{ProjectWatching, Role};

use crate::cli::{block_on, engine};
use crate::config::Config;
use crate::output::print;

/// Add a message to a task's history
#[derive(Debug, Args)]
pub(crate) struct MessageArgs {
    /// Session ID of the task
    session: String,
    /// What was said
    text: String,
    /// Who said it
    #[arg(long, value_enum, default_value_t = Speaker::User)]
    role: Speaker,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Speaker {
    User,
    Assistant,
}

pub(crate) fn run(args: MessageArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let role = match args.role {
        Speaker::User => Role::User,
        Speaker::Assistant => Role::Assistant,
    };
    let added = engine.tasks().add_message(&args.session, role, args.text);
    block_on(added)??;
    let exit = crate::cli::close(&engine);
    print(&format!("{}: message added\n", args.session))?;
    Ok(exit)
}
