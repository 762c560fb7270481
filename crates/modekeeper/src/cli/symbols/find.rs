//! `modekeeper symbols find`

use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use mk_engine::{FoundDefinition, ProjectWatching, SymbolQuery, symbol_kinds};
use serde_json::{Value, json};

use super::complete;
use crate::cli::{FormatArgs, block_on, engine, operator};
use crate::config::Config;
use crate::output::{OutputStyle, print, print_json};

/// Find definitions by name; exit code 1 if there are none
#[derive(Debug, Args)]
pub(crate) struct FindArgs {
    /// Name, part of a name, or name path: A/b, or /A/b from the top
    query: String,
    /// Only this kind: class, function, method, variable, module, …
    #[arg(long)]
    kind: Option<String>,
    /// Only files matching this glob
    #[arg(long, value_name = "GLOB")]
    files: Option<String>,
    /// Maximum number of results
    #[arg(long, default_value_t = 50)]
    limit: usize,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: FindArgs, config: &Config) -> anyhow::Result<ExitCode> {
    if let Some(kind) = args
        .kind
        .as_deref()
        .filter(|kind| !symbol_kinds().contains(kind))
    {
        let kinds = symbol_kinds().join(", ");
        bail!("`{kind}` is not a kind of symbol; there are {kinds}");
    }
    let query = SymbolQuery {
        name: args.query,
        kind: args.kind,
        files: args.files,
        limit: args.limit,
    };
    let (engine, caller) = (engine(config, ProjectWatching::Off), operator(config));
    complete(&engine, &caller)?;
    let symbols = engine.project(&caller).symbols();
    let found = block_on(symbols.find_for_operator(query))??;
    if args.format.json {
        print_json(&found.hits.iter().map(to_json).collect::<Value>())?;
    } else {
        let style = OutputStyle::stdout();
        for hit in &found.hits {
            print(&format!(
                "{}:{}: {} {}  {}\n",
                hit.path,
                hit.start_line,
                hit.kind,
                style.bold(&hit.name_path),
                style.dim(&hit.signature)
            ))?;
        }
        if found.hits.is_empty() {
            print("no symbols\n")?;
        } else if found.hits.len() < found.total {
            let shown = format!("{} of {} shown\n", found.hits.len(), found.total);
            print(&style.dim(&shown))?;
        }
    }
    Ok(if found.hits.is_empty() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn to_json(hit: &FoundDefinition) -> Value {
    json!({
        "name_path": hit.name_path,
        "kind": hit.kind,
        "file_path": hit.path.as_str(),
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "column": hit.column,
        "signature": hit.signature,
        "docs": hit.docs,
    })
}
