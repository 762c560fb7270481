//! `modekeeper store check`

use std::process::ExitCode;

use clap::Args;
use mk_engine::StoreLocation;
use serde_json::json;

use super::database;
use crate::cli::FormatArgs;
use crate::config::Config;
use crate::output::{print, print_json};

/// Check that the database is intact and no decision was tampered with; exit code 0 if so, 1 if not
#[derive(Debug, Args)]
pub(crate) struct StoreCheckArgs {
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &StoreCheckArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let location = config.store_location();
    // Pages are PostgreSQL's own affair, and the record of decisions is ours.
    let problems = match &location {
        StoreLocation::Postgres(_) => Vec::new(),
        StoreLocation::File(_) | StoreLocation::Memory => database(config)?.check()?,
    };
    let place = location.to_string();
    // What cannot be read as a database has no chain to look at.
    let chain = match problems.is_empty() {
        true => Some(mk_engine::check_decisions(location)?),
        false => None,
    };
    let broken = chain.as_ref().and_then(|chain| chain.broken.clone());
    if args.format.json {
        let chain = chain.map(|it| {
            json!({ "sealed": it.sealed, "unsealed": it.unsealed, "head": it.head, "broken": it.broken })
        });
        print_json(&json!({ "path": place, "problems": problems, "decisions": chain }))?;
    } else if let Some(broken) = &broken {
        print(&format!("{place}: {broken}\n"))?;
        print("Hint: someone has changed the record; compare it with a backup\n")?;
    } else if problems.is_empty() {
        print(&format!("{place}: ok\n"))?;
    } else {
        for problem in &problems {
            print(&format!("{place}: {problem}\n"))?;
        }
        print("Hint: run `modekeeper store recover` after stopping every agent\n")?;
    }
    Ok(match problems.is_empty() && broken.is_none() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}
