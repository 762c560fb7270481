//! `modekeeper store`: looks after the database that all of a user's agents share.

mod backup;
mod check;
mod recover;

use std::process::ExitCode;

use anyhow::bail;
use clap::Subcommand;
use mk_engine::{StoreFile, StoreLocation};

use crate::config::Config;

#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Check that the database is intact and no decision was tampered with; exit code 0 if so, 1 if not
    Check(check::StoreCheckArgs),
    /// Copy the database to a file; safe while it is in use
    Backup(backup::BackupArgs),
    /// Replace a damaged database with what can be read from it
    Recover(recover::RecoverArgs),
}

pub(crate) fn run(command: &StoreCommand, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        StoreCommand::Check(args) => check::run(args, config),
        StoreCommand::Backup(args) => backup::run(args, config),
        StoreCommand::Recover(args) => recover::run(args, config),
    }
}

/// The database's file; without one there is nothing to look after.
fn database(config: &Config) -> anyhow::Result<StoreFile> {
    match config.store_location() {
        StoreLocation::File(path) if path.exists() => Ok(StoreFile::at(path)),
        StoreLocation::File(path) => bail!("there is no database at `{}` yet", path.display()),
        StoreLocation::Postgres(url) => bail!(
            "the state is in {url}: copy and repair it with PostgreSQL's own tools, such as pg_dump"
        ),
        StoreLocation::Memory => bail!("tasks are kept in memory: there is no database"),
    }
}
