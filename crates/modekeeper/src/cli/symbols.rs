//! `modekeeper symbols`: what the index knows, for people. It waits until the index is complete.

mod find;
mod map;
mod outline;
mod refs;

use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use clap::Subcommand;
use mk_engine::{Error, Watching, Workspace};
use mk_symbols::{Index, IndexState, Progress};

use crate::cli::{block_on, engine, operator};
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
        SymbolsCommand::Refs(args) => refs::run(args, config),
        SymbolsCommand::Map(args) => map::run(args, config),
    }
}

/// Looks into the project as the person at the command line.
pub(super) fn look<T: Send + 'static>(
    config: &Config,
    look: impl FnOnce(&Workspace) -> Result<T, Error> + Send + 'static,
) -> anyhow::Result<T> {
    let engine = engine(config, Watching::Off);
    let in_force = engine.project(&operator(config)).in_force()?;
    Ok(block_on(engine.on_disk(&in_force, look))??)
}

/// The same with an index that is complete.
fn ask<T: Send + 'static>(
    config: &Config,
    ask: impl FnOnce(&Workspace) -> Result<T, Error> + Send + 'static,
) -> anyhow::Result<T> {
    look(config, |workspace| {
        complete(&*workspace.index()?);
        ask(workspace)
    })
}

/// Waits for the index; a terminal shows how far it is.
pub(super) fn complete(index: &Index) -> Progress {
    let mut bar = io::stderr().is_terminal().then(io::stderr);
    loop {
        let progress = index.wait(Duration::from_millis(100));
        let is_busy = matches!(progress.state, IndexState::Listing | IndexState::Parsing);
        if let Some(bar) = &mut bar {
            let line = if is_busy {
                draw(progress)
            } else {
                "\r\u{1b}[K".to_owned()
            };
            // No one is told less by a bar that cannot be drawn.
            drop(bar.write_all(line.as_bytes()));
        }
        if !is_busy {
            return progress;
        }
    }
}

fn draw(progress: Progress) -> String {
    const WIDTH: usize = 30;
    let Progress {
        files_done,
        files_total,
        ..
    } = progress;
    let filled = files_done * WIDTH / files_total.max(1);
    let bar: String = (0..WIDTH)
        .map(|cell| if cell < filled { '█' } else { '░' })
        .collect();
    format!("\r\u{1b}[K{bar} {files_done}/{files_total} files")
}
