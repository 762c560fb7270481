//! `modekeeper playbook list`

use std::process::ExitCode;

use clap::Args;
use mk_engine::{PlaybookResourceInfo, ProjectWatching};
use serde_json::{Value, json};

use crate::cli::{FormatArgs, block_on, engine, operator};
use crate::config::Config;
use crate::output::{OutputStyle, print, print_json};

/// List rules, agents, skills and checklists that apply here
#[derive(Debug, Args)]
pub(crate) struct PlaybookListArgs {
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &PlaybookListArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let (engine, operator) = (engine(config, ProjectWatching::Off), operator(config));
    let playbook = engine.project(&operator).playbook();
    let found = block_on(playbook.resources())??;
    if args.format.json {
        print_json(&found.iter().map(to_json).collect::<Value>())?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = OutputStyle::stdout();
    for info in &found {
        let about = info.description.as_deref().unwrap_or(&info.name);
        let about = about.lines().next().unwrap_or_default();
        print(&format!(
            "{}  {}\n",
            style.bold(&info.path),
            style.dim(about)
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn to_json(info: &PlaybookResourceInfo) -> Value {
    json!({ "path": info.path, "name": info.name, "description": info.description })
}
