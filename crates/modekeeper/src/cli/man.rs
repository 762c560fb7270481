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
    // As one word or several, and with our own name before them, as `--list` prints them.
    let words = args.command.iter().flat_map(|it| it.split_whitespace());
    let names: Vec<&str> = words.collect();
    let names = match names.split_first() {
        Some((first, rest)) if *first == top.get_name() => rest,
        _ => &names,
    };
    for name in names {
        let found = command.find_subcommand(name);
        command = found.with_context(|| {
            format!("there is no command `{name}`: `modekeeper man --list` lists them")
        })?;
    }
    let source = format!("modekeeper {}", env!("CARGO_PKG_VERSION"));
    let mut page = Vec::new();
    Man::new(command.clone()).source(source).render(&mut page)?;
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
