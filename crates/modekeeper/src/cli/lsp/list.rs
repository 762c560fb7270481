//! `modekeeper lsp list`

use std::process::ExitCode;

use clap::Args;
use mk_engine::{KnownServer, ProjectWatching};
use serde_json::{Value, json};

use crate::cli::{FormatArgs, engine};
use crate::config::Config;
use crate::output::{OutputStyle, print, print_json};

/// List known language servers, and which are installed
///
/// The first installed server of a language is used. Programs inside the project are ignored.
#[derive(Debug, Args)]
pub(crate) struct LspListArgs {
    /// Only installed servers
    #[arg(long)]
    installed: bool,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &LspListArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let mut servers = engine.language_servers().list(&config.project_root.value);
    servers.retain(|server| !args.installed || server.program.is_some());
    if args.format.json {
        print_json(&servers.iter().map(to_json).collect::<Value>())?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = OutputStyle::stdout();
    let width = |of: fn(&KnownServer) -> &String| {
        let widths = servers.iter().map(|server| of(server).chars().count());
        widths.max().unwrap_or(0)
    };
    let (languages, names) = (width(|it| &it.language), width(|it| &it.name));
    let mut last = "";
    for server in &servers {
        let language = if server.language == last {
            ""
        } else {
            &server.language
        };
        last = &server.language;
        let program = match &server.program {
            Some(program) => style.green(&program.display().to_string()),
            None => style.dim("not installed"),
        };
        print(&format!(
            "{language:languages$}  {:names$}  {program}\n",
            server.name
        ))?;
    }
    if servers.is_empty() {
        print("no language server is installed: see `modekeeper lsp list`\n")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn to_json(server: &KnownServer) -> Value {
    json!({
        "language": server.language,
        "name": server.name,
        "program": server.program,
    })
}
