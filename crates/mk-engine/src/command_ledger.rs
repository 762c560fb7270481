//! What `exec` writes when a command has ended: the record of what it did, and what undoes it. Opened after the fork of
//! the wall, so it is no part of an engine.

use std::path::Path;

use mk_project::{Backups, CommandJournal};
use mk_store::{CloseOutcome, Store, StoreLocation};
use mk_types::{AbsPath, Clock};

use crate::command::RecordedCommand;
use crate::error::Error;

/// The records of a store.
#[derive(Debug)]
pub struct CommandLedger {
    store: Store,
}

impl CommandLedger {
    pub fn open(location: StoreLocation) -> Self {
        Self {
            store: Store::for_a_moment(location, Clock::System),
        }
    }

    /// Records what a command did in a project.
    pub async fn record(&self, mut command: RecordedCommand, root: &AbsPath) -> Result<(), Error> {
        if command.project.is_none() {
            command.project = Some(self.store.open_project(root).await?.id);
        }
        self.store.record_command(command.to_new()).await?;
        Ok(())
    }

    /// Leaves no thread behind.
    pub fn close(&self) -> CloseOutcome {
        self.store.close()
    }
}

/// The change sets of a project's commands, which `undo` puts back.
#[derive(Debug)]
pub struct CommandJournals {
    backups: Backups,
}

impl CommandJournals {
    pub fn of(state: &Path, project: &AbsPath) -> Self {
        Self {
            backups: Backups::new(state, project, Clock::System),
        }
    }

    pub fn begin(&self, tool: &str) -> Result<CommandJournal, Error> {
        Ok(self.backups.begin_command(tool)?)
    }

    /// Removes some of what is too old or too much.
    pub fn prune(&self) -> Result<usize, Error> {
        Ok(self.backups.prune()?)
    }
}
