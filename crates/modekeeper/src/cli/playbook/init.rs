//! `modekeeper playbook init`

use std::process::ExitCode;

use clap::Args;
use mk_engine::ProjectWatching;

use crate::cli::{engine, operator, person};
use crate::config::Config;
use crate::output::print;

/// Detect the project's stack and write its configuration; does not overwrite an existing one
#[derive(Debug, Args)]
pub(crate) struct PlaybookInitArgs {
    /// Print the configuration instead of writing it
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(args: &PlaybookInitArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let operator = operator(config);
    let playbook = engine.project(&operator).playbook();
    if args.dry_run {
        print(&playbook.first_config()?)?;
    } else {
        let path = playbook.write_first_config()?;
        person::record(&engine, "write playbook", &path.display().to_string());
        print(&format!("wrote {}\n", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}
