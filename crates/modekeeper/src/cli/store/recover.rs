//! `modekeeper store recover`

use std::process::ExitCode;

use clap::Args;
use mk_engine::Recovery;

use super::database;
use crate::config::Config;
use crate::output::print;

/// Replace a damaged database with what can be read from it
///
/// Stop every agent and server first. The damaged file is kept.
#[derive(Debug, Args)]
pub(crate) struct RecoverArgs {
    /// Recover even if no damage was found
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &RecoverArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let database = database(config)?;
    let path = database.path();
    let recovery = if args.force {
        Recovery::Always
    } else {
        Recovery::IfDamaged
    };
    let Some(recovered) = database.recover(recovery)? else {
        print(&format!("{}: ok, nothing to recover\n", path.display()))?;
        return Ok(ExitCode::SUCCESS);
    };
    let rows = match recovered.rows {
        1 => "1 row".to_owned(),
        rows => format!("{rows} rows"),
    };
    print(&format!(
        "{}: saved {rows}; the damaged file is {}\n",
        path.display(),
        recovered.kept.display()
    ))?;
    for table in &recovered.damaged_tables {
        print(&format!("Some rows of `{table}` could not be read\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}
