//! `modekeeper symbols map`

use std::process::ExitCode;

use clap::Args;
use mk_engine::ProjectWatching;
use serde_json::json;

use super::complete;
use crate::cli::{FormatArgs, block_on, engine, operator};
use crate::config::Config;
use crate::output::{print, print_json};

/// Show the most used symbols of the project
#[derive(Debug, Args)]
pub(crate) struct MapArgs {
    /// Maximum length of the map
    #[arg(long, default_value_t = 1000)]
    tokens: usize,
    /// File or glob; the symbols it uses come first
    #[arg(long, value_name = "GLOB")]
    focus: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: MapArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let (engine, caller) = (engine(config, ProjectWatching::Off), operator(config));
    complete(&engine, &caller)?;
    let symbols = engine.project(&caller).symbols();
    let map = block_on(symbols.map_for_operator(args.tokens, args.focus))??;
    if args.format.json {
        print_json(&json!({
            "map": map.text,
            "tokens": map.tokens,
            "files_shown": map.files_shown,
            "files_total": map.files_total,
        }))?;
    } else {
        print(&map.text)?;
    }
    Ok(ExitCode::SUCCESS)
}
