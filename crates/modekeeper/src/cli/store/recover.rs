//! `modekeeper store recover`

use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use mk_store::{Location, Store};
use mk_types::Clock;

use super::database;
use crate::config::Config;
use crate::output::print;

/// Replace a damaged database by what can be read of it
///
/// Stop every agent and server first. The damaged file is kept.
#[derive(Debug, Args)]
pub(crate) struct RecoverArgs {
    /// Recover a database in which nothing wrong was found, too
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &RecoverArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let path = database(config)?;
    let store = Store::new(Location::File(path.clone()), Clock::System);
    match store.check() {
        Ok(problems) if problems.is_empty() && !args.force => {
            print(&format!("{}: ok, nothing to recover\n", path.display()))?;
            return Ok(ExitCode::SUCCESS);
        }
        Err(error @ (mk_store::Error::Newer { .. } | mk_store::Error::Foreign { .. })) => {
            return Err(error.into());
        }
        Err(error @ mk_store::Error::Busy { .. }) => {
            bail!("{error}: stop every agent and server first");
        }
        Ok(_) | Err(_) => {}
    }
    drop(store);
    let recovered = mk_store::recover(&path)?;
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
