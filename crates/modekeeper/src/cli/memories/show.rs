//! `modekeeper memories show`

use std::process::ExitCode;

use clap::Args;
use mk_engine::ProjectWatching;

use crate::cli::{block_on, engine, operator};
use crate::config::Config;
use crate::output::print;

/// Print a memory
#[derive(Debug, Args)]
pub(crate) struct MemoriesShowArgs {
    /// Name of the memory, as `memories list` shows it
    name: String,
}

pub(crate) fn run(args: &MemoriesShowArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let (engine, operator) = (engine(config, ProjectWatching::Off), operator(config));
    let memories = engine.project(&operator).memories();
    let text = block_on(memories.read_for_operator(&args.name))??;
    print(&format!("{}\n", text.trim_end_matches('\n')))?;
    Ok(ExitCode::SUCCESS)
}
