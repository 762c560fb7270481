//! What hooks and `exec` tell each other about commands, across processes: permits for single lines, and records of
//! what a command did. Opened and closed around the fork of the wall, so it is no part of an engine.

use std::path::Path;

use mk_project::{Backups, CommandJournal};
use mk_store::{Client, Closed, CommandPermit, Location, NewCommandRecord, Store};
use mk_types::{AbsPath, Clock};

use crate::error::Error;

/// The permits and records of a store.
#[derive(Debug)]
pub struct CommandLedger {
    store: Store,
}

impl CommandLedger {
    pub fn open(location: Location) -> Self {
        Self {
            store: Store::new(location, Clock::System),
        }
    }

    /// Takes the permit for a line, if a hook has stored one. Of several the oldest, of the first of these clients that
    /// is in a conversation.
    pub async fn take_permit(
        &self,
        clients: &[Client],
        directory: &AbsPath,
        line_hash: &str,
    ) -> Result<Option<CommandPermit>, Error> {
        let mut conversation = None;
        for client in clients {
            if let Some(found) = self.store.conversation_of_client(client)? {
                conversation = Some(found.id);
                break;
            }
        }
        let permits = self
            .store
            .permits_for(conversation.as_ref(), directory, line_hash)?;
        match permits.first() {
            Some(permit) => Ok(self.store.take_permit(&permit.id).await?),
            None => Ok(None),
        }
    }

    pub async fn record(&self, command: NewCommandRecord) -> Result<(), Error> {
        self.store.record_command(command).await?;
        Ok(())
    }

    /// Leaves no thread behind.
    pub fn close(&self) -> Closed {
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
}
