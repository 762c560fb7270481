//! `modekeeper index`

use std::process::ExitCode;

use clap::Args;
use mk_engine::{IndexContents, ProjectWatching};
use mk_types::ProjectPath;
use serde_json::{Value, json};

use super::symbols::complete;
use crate::cli::{FormatArgs, engine, operator};
use crate::config::Config;
use crate::output::{OutputStyle, print, print_json};

/// Build or update the symbol index
///
/// A server does this on the first request about symbols; a cache keeps the index.
#[derive(Debug, Args)]
pub(crate) struct IndexArgs {
    #[command(flatten)]
    format: FormatArgs,
    /// List the files that are not indexed, and why
    #[arg(long)]
    skipped: bool,
}

pub(crate) fn run(args: &IndexArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let (engine, caller) = (engine(config, ProjectWatching::Off), operator(config));
    let IndexContents {
        is_complete,
        files,
        symbols,
        skipped,
    } = complete(&engine, &caller)?;
    if args.format.json {
        let show = |(path, reason): &(ProjectPath, String)| json!({ "file_path": path.as_str(), "reason": reason });
        print_json(&json!({
            "complete": is_complete,
            "files": files,
            "symbols": symbols,
            "skipped": skipped.iter().map(show).collect::<Vec<Value>>(),
        }))?;
    } else {
        print(&format!(
            "files: {files}\nsymbols: {symbols}\nskipped: {}\n",
            skipped.len()
        ))?;
        let style = OutputStyle::stdout();
        for (path, reason) in skipped.iter().filter(|_| args.skipped) {
            print(&format!("  {path}  {}\n", style.dim(reason)))?;
        }
    }
    Ok(if is_complete {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
