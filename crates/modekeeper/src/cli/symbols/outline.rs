//! `modekeeper symbols outline`

use std::process::ExitCode;

use clap::Args;
use mk_symbols::Outline;
use mk_types::ProjectPath;
use serde_json::{Value, json};

use super::look;
use crate::cli::FormatArgs;
use crate::config::Config;
use crate::output::{Style, print, print_json};

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
    let outline = look(config, move |workspace| workspace.outline(&file))?;
    if args.format.json {
        print_json(&to_json(&outline))?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = Style::stdout();
    for (position, symbol) in outline.symbols.iter().enumerate() {
        let indent = "  ".repeat(outline.depth(position));
        let lines = format!("{}-{}:", symbol.lines.start, symbol.lines.end);
        print(&format!(
            "{indent}{} {}\n",
            style.dim(&lines),
            symbol.signature
        ))?;
    }
    if outline.symbols.is_empty() {
        print("no symbols\n")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn to_json(outline: &Outline) -> Value {
    let symbols = outline.symbols.iter().enumerate();
    symbols
        .map(|(position, symbol)| {
            json!({
                "name_path": outline.indexed_path(position),
                "kind": symbol.kind.as_str(),
                "start_line": symbol.lines.start,
                "end_line": symbol.lines.end,
                "signature": symbol.signature,
                "docs": symbol.doc,
            })
        })
        .collect()
}
