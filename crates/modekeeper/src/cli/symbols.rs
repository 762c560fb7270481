//! `modekeeper symbols`: what the index knows, for people. It waits until the index is complete.

mod find;
mod map;
mod outline;
mod refs;

use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use clap::Subcommand;
use mk_engine::{Caller, Engine, IndexContents, IndexProgress};

use crate::cli::block_on;
use crate::config::Config;

#[derive(Debug, Subcommand)]
pub(crate) enum SymbolsCommand {
    /// Find definitions by name
    Find(find::FindArgs),
    /// Show the symbols that a file defines
    Outline(outline::OutlineArgs),
    /// Find references to a symbol, by its name
    Refs(refs::RefsArgs),
    /// Show the most used symbols of the project
    Map(map::MapArgs),
}

pub(crate) fn run(command: SymbolsCommand, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        SymbolsCommand::Find(args) => find::run(args, config),
        SymbolsCommand::Outline(args) => outline::run(&args, config),
        SymbolsCommand::Refs(args) => refs::run(&args, config),
        SymbolsCommand::Map(args) => map::run(args, config),
    }
}

/// Waits for the index; a terminal shows how far it is.
pub(super) fn complete(engine: &Engine, caller: &Caller) -> anyhow::Result<IndexContents> {
    let mut bar = io::stderr().is_terminal().then(io::stderr);
    let tell = move |progress| {
        if let Some(bar) = &mut bar {
            // Nobody is told less by a bar that cannot be drawn.
            drop(bar.write_all(draw(progress).as_bytes()));
        }
    };
    Ok(block_on(engine.project(caller).symbols().index(tell))??)
}

fn draw(progress: IndexProgress) -> String {
    const WIDTH: usize = 30;
    let (done, total) = match progress {
        IndexProgress::Ready | IndexProgress::Stopped => return "\r\u{1b}[K".to_owned(),
        IndexProgress::Listing => (0, 0),
        IndexProgress::Parsing { done, total } => (done, total),
    };
    let filled = done * WIDTH / total.max(1);
    let bar: String = (0..WIDTH)
        .map(|cell| if cell < filled { '█' } else { '░' })
        .collect();
    format!("\r\u{1b}[K{bar} {done}/{total} files")
}
