//! `modekeeper symbols find`

use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use mk_symbols::{Hit, Query, SymbolKind};
use serde_json::{Value, json};

use super::ask;
use crate::cli::FormatArgs;
use crate::config::Config;
use crate::output::{Style, print, print_json};

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
    let kind = args.kind.as_deref().map(kind_of).transpose()?;
    let query = Query {
        kind,
        files: args.files,
        limit: args.limit,
        ..Query::new(args.query)
    };
    let found = ask(config, move |workspace| workspace.find_symbols(&query))?;
    if args.format.json {
        print_json(&found.hits.iter().map(to_json).collect::<Value>())?;
    } else {
        let style = Style::stdout();
        for hit in &found.hits {
            print(&format!(
                "{}:{}: {} {}  {}\n",
                hit.path,
                hit.lines.start,
                hit.kind.as_str(),
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

fn kind_of(name: &str) -> anyhow::Result<SymbolKind> {
    SymbolKind::parse(name).with_context(|| {
        let kinds = SymbolKind::ALL.map(SymbolKind::as_str).join(", ");
        format!("`{name}` is not a kind of symbol; there are {kinds}")
    })
}

fn to_json(hit: &Hit) -> Value {
    json!({
        "name_path": hit.name_path,
        "kind": hit.kind.as_str(),
        "file_path": hit.path.as_str(),
        "start_line": hit.lines.start,
        "end_line": hit.lines.end,
        "column": hit.column,
        "signature": hit.signature,
        "docs": hit.doc,
    })
}
