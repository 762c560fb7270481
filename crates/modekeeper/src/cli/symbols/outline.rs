//! `modekeeper symbols outline`

use std::process::ExitCode;

use clap::Args;
use mk_engine::{FileOutline, OutlineEntry, ProjectWatching};
use mk_types::ProjectPath;
use serde_json::{Value, json};

use crate::cli::{FormatArgs, block_on, engine, operator};
use crate::config::Config;
use crate::output::{OutputStyle, print, print_json};

/// Show the symbols that a file defines
#[derive(Debug, Args)]
pub(crate) struct OutlineArgs {
    /// File, relative to the project's root
    file: String,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &OutlineArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let file = ProjectPath::parse(&args.file, &config.project_root.value)?;
    let (engine, caller) = (engine(config, ProjectWatching::Off), operator(config));
    let symbols = engine.project(&caller).symbols();
    let outline = block_on(symbols.outline_for_operator(file))??;
    if args.format.json {
        print_json(&to_json(&outline))?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = OutputStyle::stdout();
    for symbol in &outline.entries {
        let indent = "  ".repeat(symbol.depth);
        let lines = format!("{}-{}:", symbol.start_line, symbol.end_line);
        print(&format!(
            "{indent}{} {}\n",
            style.dim(&lines),
            symbol.signature
        ))?;
    }
    if outline.entries.is_empty() {
        print("no symbols\n")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn to_json(outline: &FileOutline) -> Value {
    let entry = |symbol: &OutlineEntry| {
        json!({
            "name_path": symbol.name_path,
            "kind": symbol.kind,
            "start_line": symbol.start_line,
            "end_line": symbol.end_line,
            "signature": symbol.signature,
            "docs": symbol.docs,
        })
    };
    outline.entries.iter().map(entry).collect()
}
