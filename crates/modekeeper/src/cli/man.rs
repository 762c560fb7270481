//! `modekeeper man`

use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, Command, CommandFactory as _};
use clap_mangen::Man;

use crate::cli::Cli;
use crate::output::print;

/// Print a manual page; `modekeeper man | man -l -` shows it
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Command, such as `tasks list` (default: modekeeper itself)
    command: Vec<String>,
    /// List the commands that have a page
    #[arg(long, conflicts_with = "command")]
    list: bool,
}

pub(crate) fn run(args: &ManArgs) -> anyhow::Result<ExitCode> {
    let mut top = Cli::command();
    // Gives every command the options that it inherits.
    top.build();
    if args.list {
        let mut pages = String::new();
        list(&top, &mut pages);
        print(&pages)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut command = &top;
    // As `--list` prints them.
    let names = match args.command.split_first() {
        Some((first, rest)) if first == top.get_name() => rest,
        _ => args.command.as_slice(),
    };
    for name in names {
        let found = command.find_subcommand(name);
        command = found.with_context(|| format!("there is no command `{name}`"))?;
    }
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    print(&String::from_utf8_lossy(&page))?;
    Ok(ExitCode::SUCCESS)
}

fn full_name(command: &Command) -> &str {
    command.get_bin_name().unwrap_or("modekeeper")
}

fn list(command: &Command, pages: &mut String) {
    pages.push_str(full_name(command));
    pages.push('\n');
    let named = command.get_subcommands();
    for command in named.filter(|it| it.get_name() != "help") {
        list(command, pages);
    }
}
