//! `modekeeper symbols refs`

use std::process::ExitCode;

use clap::Args;
use mk_engine::{Exactness, ProjectWatching, SymbolReference};
use serde_json::{Value, json};

use super::complete;
use crate::cli::{FormatArgs, block_on, engine, operator};
use crate::config::Config;
use crate::output::{OutputStyle, print, print_json};

/// Find references to a symbol, by its name
///
/// Comments and strings are skipped. References by name may include other symbols of that name; use --exact to ask the
/// language server.
#[derive(Debug, Args)]
pub(crate) struct RefsArgs {
    /// Name or name path; only the last name is used
    symbol: String,
    /// Maximum number of results
    #[arg(long, default_value_t = 1000)]
    limit: usize,
    /// Ask the language server, which may take a while to read the project
    #[arg(long)]
    exact: bool,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &RefsArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let (engine, caller) = (engine(config, ProjectWatching::Off), operator(config));
    let exactness = if args.exact {
        Exactness::LanguageServer
    } else {
        complete(&engine, &caller)?;
        Exactness::ByName
    };
    let symbols = engine.project(&caller).symbols();
    let found = symbols.references_for_operator(&args.symbol, args.limit, exactness);
    let found = block_on(found)??;
    if args.format.json {
        print_json(&found.hits.iter().map(to_json).collect::<Value>())?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = OutputStyle::stdout();
    for reference in &found.hits {
        let within = match &reference.within {
            _ if reference.is_definition => "  definition".to_owned(),
            Some(within) => format!("  in {within}"),
            None => String::new(),
        };
        print(&format!(
            "{}:{}:{}: {}{}\n",
            reference.path,
            reference.line,
            reference.column,
            reference.text,
            style.dim(&within)
        ))?;
    }
    if found.hits.len() < found.total {
        print(&style.dim("there are more: raise --limit\n"))?;
    }
    if let Some(note) = found.note {
        print(&style.dim(&format!("{note}\n")))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn to_json(reference: &SymbolReference) -> Value {
    json!({
        "file_path": reference.path.as_str(),
        "line": reference.line,
        "column": reference.column,
        "text": reference.text,
        "within": reference.within,
        "is_definition": reference.is_definition,
    })
}
