//! Undoing what was done to files: the operator's business.

use std::collections::HashSet;

use mk_policy::Permit;
use mk_project::{Backup, Backups, RootDir};
use mk_types::{AbsPath, ProjectPath, Timestamp};

use crate::edit::FileChanges;
use crate::error::Error;
use crate::project::ProjectHandle;

/// How a change set says what it has undone, in the place of a tool's name.
const UNDO: &str = "undo ";

/// One change set that can be undone.
#[derive(Debug, Clone)]
pub struct BackupInfo {
    pub id: String,
    pub at: Timestamp,
    /// The tool that made the changes.
    pub tool: String,
    /// The change set that this one has undone.
    pub undoes: Option<String>,
    pub files: Vec<BackedUpFile>,
}

#[derive(Debug, Clone)]
pub struct BackedUpFile {
    pub path: ProjectPath,
    /// Restoring removes a file that was not there.
    pub existed: bool,
    pub size: u64,
}

/// The backups of a project.
#[derive(Debug, Clone)]
pub struct ProjectBackups<'a> {
    project: ProjectHandle<'a>,
}

impl<'a> ProjectHandle<'a> {
    pub fn backups(self) -> ProjectBackups<'a> {
        ProjectBackups { project: self }
    }
}

impl ProjectBackups<'_> {
    /// What can be undone, newest first.
    pub fn list(&self) -> Result<Vec<BackupInfo>, Error> {
        let backups = self.stored().list()?;
        Ok(backups.into_iter().map(BackupInfo::from).collect())
    }

    pub fn get(&self, id: &str) -> Result<BackupInfo, Error> {
        Ok(self.stored().get(id)?.into())
    }

    /// The newest change that still stands: neither an undo, nor undone. An undo that was itself undone does not count.
    pub fn last_standing(&self) -> Result<Option<BackupInfo>, Error> {
        let mut undone = HashSet::new();
        for backup in self.list()? {
            if undone.contains(&backup.id) {
                continue;
            }
            match backup.undoes {
                Some(id) => undone.insert(id),
                None => return Ok(Some(backup)),
            };
        }
        Ok(None)
    }

    /// Puts files back as they were; what is there now is backed up first.
    pub fn restore(&self, id: &str) -> Result<FileChanges, Error> {
        self.restore_except(id, &[])
    }

    /// The same, leaving some files as they are now.
    pub fn restore_except(&self, id: &str, left: &[ProjectPath]) -> Result<FileChanges, Error> {
        let backups = self.stored();
        let paths = backups.get(id)?.paths();
        let root = RootDir::open(&self.root())?;
        let permit = Permit::operator(&format!("{UNDO}{id}"), paths);
        Ok(backups.restore_except(&root, permit, id, left)?.into())
    }

    /// Files of a change set that cannot be put back, because something else has taken their place.
    pub fn obstacles(&self, id: &str) -> Result<Vec<ProjectPath>, Error> {
        let root = RootDir::open(&self.root())?;
        Ok(self.stored().obstacles(&root, id)?)
    }

    /// Files of a change set that have changed again since.
    pub fn conflicts(&self, id: &str) -> Result<Vec<String>, Error> {
        let conflicts = self.stored().conflicts(id)?;
        Ok(conflicts.iter().map(|it| it.path.to_string()).collect())
    }

    fn stored(&self) -> Backups {
        let inner = &self.project.engine.inner;
        Backups::new(&inner.folders.state, &self.root(), inner.clock.clone())
    }

    fn root(&self) -> AbsPath {
        self.project.engine.project_of(&self.project.caller.project)
    }
}

impl From<Backup> for BackupInfo {
    fn from(backup: Backup) -> Self {
        let file = |entry: mk_project::BackupEntry| BackedUpFile {
            path: entry.path,
            existed: entry.existed,
            size: entry.size,
        };
        Self {
            id: backup.id,
            at: backup.at,
            undoes: backup.tool.strip_prefix(UNDO).map(str::to_owned),
            tool: backup.tool,
            files: backup.entries.into_iter().map(file).collect(),
        }
    }
}
