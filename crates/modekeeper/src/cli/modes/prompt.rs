//! `modekeeper modes prompt`

use std::process::ExitCode;

use clap::Args;
use mk_engine::ProjectWatching;

use crate::cli::{engine, operator};
use crate::config::Config;
use crate::output::print;

/// Print the system prompt of a mode
#[derive(Debug, Args)]
pub(crate) struct PromptArgs {
    /// Slug of the mode
    slug: String,
}

pub(crate) fn run(args: &PromptArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let caller = operator(config);
    let mode = engine.modes().get(&caller, "slug", &args.slug)?;
    print(&engine.modes().system_prompt(&caller, &mode.slug)?)?;
    Ok(ExitCode::SUCCESS)
}
