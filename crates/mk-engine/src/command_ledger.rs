//! What `exec` writes when a command has ended: the record of what it did, and what undoes it.

use std::path::Path;

use mk_project::{Backups, CommandJournal};
use mk_store::{CloseOutcome, Store};
use mk_types::{AbsPath, Clock};

use crate::Engine;
use crate::command::RecordedCommand;
use crate::error::Error;

/// The records of a store.
#[derive(Debug)]
pub struct CommandLedger {
    store: Store,
}

impl Engine {
    /// The records of this engine's store, for after a fork. Everything that runs in a thread has ended then: a store
    /// that needs one is closed now, and opened again to record.
    pub fn ledger(&self) -> Result<CommandLedger, CloseOutcome> {
        let store = &self.inner.store;
        if store.needs_no_thread() {
            return Ok(CommandLedger {
                store: store.clone(),
            });
        }
        match self.close() {
            CloseOutcome::CutOff => Err(CloseOutcome::CutOff),
            CloseOutcome::Complete => Ok(CommandLedger {
                store: Store::for_a_moment(store.location().clone(), Clock::System),
            }),
        }
    }
}

impl CommandLedger {
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
