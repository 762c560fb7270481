//! `modekeeper store check`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::database;
use crate::cli::FormatArgs;
use crate::config::Config;
use crate::output::{print, print_json};

/// Check that the database is whole; exit code 0 if it is, 1 if not
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &CheckArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let database = database(config)?;
    let problems = database.check()?;
    let path = database.path();
    if args.format.json {
        print_json(&json!({ "path": path.display().to_string(), "problems": problems }))?;
    } else if problems.is_empty() {
        print(&format!("{}: ok\n", path.display()))?;
    } else {
        for problem in &problems {
            print(&format!("{}: {problem}\n", path.display()))?;
        }
        print("Hint: run `modekeeper store recover` after stopping every agent\n")?;
    }
    Ok(match problems.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}
