//! Undoing what was done to files: the operator's business.

use mk_policy::Permit;
use mk_project::{Backup, Backups, RootDir, Written};

use crate::error::Error;
use crate::{Caller, Engine};

impl Engine {
    /// What can be undone in the caller's project, newest first.
    pub fn backups(&self, caller: &Caller) -> Result<Vec<Backup>, Error> {
        Ok(self.backups_of(caller).list()?)
    }

    pub fn backup(&self, caller: &Caller, id: &str) -> Result<Backup, Error> {
        Ok(self.backups_of(caller).get(id)?)
    }

    /// Puts files back as they were; what is there now is backed up first.
    pub fn restore_backup(&self, caller: &Caller, id: &str) -> Result<Vec<Written>, Error> {
        let backups = self.backups_of(caller);
        let paths = backups.get(id)?.paths();
        let root = RootDir::open(&caller.project)?;
        Ok(backups.restore(&root, Permit::operator("backups restore", paths), id)?)
    }

    /// Files of a change set that have changed again since.
    pub fn backup_conflicts(&self, caller: &Caller, id: &str) -> Result<Vec<String>, Error> {
        let conflicts = self.backups_of(caller).conflicts(id)?;
        Ok(conflicts.iter().map(|it| it.path.to_string()).collect())
    }

    /// The change set that a person means by a permit's id: what its command changed.
    pub fn backup_of_permit(&self, id: &str) -> Result<Option<String>, Error> {
        let Ok(permit) = mk_types::PermitId::parse(id) else {
            return Ok(None);
        };
        let record = self.inner.store.command_of_permit(&permit)?;
        Ok(record.and_then(|record| {
            let written: serde_json::Value = serde_json::from_str(&record.written).ok()?;
            Some(written.get("undo")?.as_str()?.to_owned())
        }))
    }

    fn backups_of(&self, caller: &Caller) -> Backups {
        Backups::new(
            &self.inner.folders.state,
            &caller.project,
            self.inner.clock.clone(),
        )
    }
}
