//! `modekeeper index`

use std::process::ExitCode;

use clap::Args;
use mk_symbols::{IndexState, SkippedFile};
use serde_json::{Value, json};

use super::symbols::{complete, look};
use crate::cli::FormatArgs;
use crate::config::Config;
use crate::output::{Style, print, print_json};

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
    let (progress, (files, symbols), skipped) = look(config, |workspace| {
        let index = workspace.index()?;
        Ok((complete(&index), index.size(), index.skipped()))
    })?;
    let is_complete = progress.state == IndexState::Ready;
    if args.format.json {
        let show = |file: &SkippedFile| json!({ "file_path": file.path.as_str(), "reason": file.reason.to_string() });
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
        let style = Style::stdout();
        for file in skipped.iter().filter(|_| args.skipped) {
            let reason = style.dim(&file.reason.to_string());
            print(&format!("  {}  {reason}\n", file.path))?;
        }
    }
    Ok(if is_complete {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
