//! `modekeeper store check`

use std::process::ExitCode;

use clap::Args;
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
    let database = database(config)?;
    let problems = database.check()?;
    let path = database.path();
    // What cannot be read as a database has no chain to look at.
    let chain = if problems.is_empty() {
        Some(database.check_decisions()?)
    } else {
        None
    };
    let broken = chain.as_ref().and_then(|chain| chain.broken.clone());
    if args.format.json {
        let chain = chain.map(|it| {
            json!({ "sealed": it.sealed, "unsealed": it.unsealed, "head": it.head, "broken": it.broken })
        });
        print_json(&json!({
            "path": path.display().to_string(),
            "problems": problems,
            "decisions": chain,
        }))?;
    } else if let Some(broken) = &broken {
        print(&format!("{}: {broken}\n", path.display()))?;
        print("Hint: someone has changed the record; compare it with a backup\n")?;
    } else if problems.is_empty() {
        print(&format!("{}: ok\n", path.display()))?;
    } else {
        for problem in &problems {
            print(&format!("{}: {problem}\n", path.display()))?;
        }
        print("Hint: run `modekeeper store recover` after stopping every agent\n")?;
    }
    Ok(match problems.is_empty() && broken.is_none() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}
