//! `modekeeper memories list`

use std::process::ExitCode;

use clap::Args;
use mk_engine::{MemoryInfo, ProjectWatching};
use serde_json::{Value, json};

use crate::cli::{FormatArgs, block_on, engine, operator};
use crate::config::Config;
use crate::output::{OutputStyle, print, print_json};

/// List the memories of this project
#[derive(Debug, Args)]
pub(crate) struct MemoriesListArgs {
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &MemoriesListArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let (engine, operator) = (engine(config, ProjectWatching::Off), operator(config));
    let memories = engine.project(&operator).memories();
    let found = block_on(memories.list_for_operator())??;
    if args.format.json {
        print_json(&found.iter().map(to_json).collect::<Value>())?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = OutputStyle::stdout();
    for memory in &found {
        let about = format!("{} bytes  {}", memory.size, memory.modified);
        print(&format!(
            "{}  {}\n",
            style.bold(&memory.name),
            style.dim(&about)
        ))?;
    }
    if found.is_empty() {
        print("no memories\n")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn to_json(memory: &MemoryInfo) -> Value {
    json!({
        "name": memory.name,
        "size": memory.size,
        "modified": memory.modified.to_string(),
        "read_only": memory.read_only,
    })
}
