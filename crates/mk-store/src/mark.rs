//! The modes that persons have set for projects, once more as small files outside of the database's directory.
//!
//! A database that was lost is made again by whichever program comes next. Without these files the new one would know
//! of no mode, and hooks would let everything pass. What was set for single conversations is not in them.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use mk_types::{AbsPath, ModeSlug, ProjectId, Timestamp};
use rusqlite::Connection;
use sha2::{Digest as _, Sha256};

use crate::model::Project;
use crate::open::{private_file, private_folders};

/// The directory of the files, where there is one.
#[derive(Debug, Default)]
pub(crate) struct ProjectMarks(OnceLock<PathBuf>);

/// One project with the mode that a person has set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectMark {
    root: AbsPath,
    mode: ModeSlug,
    switching: String,
    since: Timestamp,
}

impl ProjectMarks {
    /// Says where they are, before the first use of the store.
    pub(crate) fn set_directory(&self, directory: PathBuf) {
        // The first word counts.
        let _set = self.0.set(directory);
    }

    /// Keeps what a person has set. The database has it already: a failure is only told.
    pub(crate) fn keep(&self, project: &Project, now: Timestamp) {
        let (Some(directory), Some(mode)) = (self.0.get(), &project.mode) else {
            return;
        };
        let mark = ProjectMark {
            root: project.root.clone(),
            mode: mode.clone(),
            switching: project.switching.clone().unwrap_or_default(),
            since: now,
        };
        if let Err(error) = mark.write(directory) {
            let directory = directory.display();
            tracing::warn!(
                "the mode of {} cannot be kept in {directory}, and would be lost with the database: {error}",
                mark.root
            );
        }
    }

    /// Puts all of them into a database that was just made.
    pub(crate) fn put_into(&self, connection: &Connection) -> rusqlite::Result<()> {
        let Some(directory) = self.0.get() else {
            return Ok(());
        };
        for mark in read_all(directory) {
            let since = mark.since.as_millis();
            let switching = Some(mark.switching).filter(|it| !it.is_empty());
            connection.execute(
                "INSERT OR IGNORE INTO project (id, root, mode, switching, created_at, mode_since)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?5)",
                rusqlite::params![
                    ProjectId::random().as_str(),
                    mark.root.as_str(),
                    mark.mode.as_str(),
                    switching,
                    since
                ],
            )?;
        }
        Ok(())
    }
}

impl ProjectMark {
    /// A path may have any character, so it is the last line and all that follows.
    fn to_text(&self) -> String {
        let Self {
            root,
            mode,
            switching,
            since,
        } = self;
        format!("{mode}\n{switching}\n{}\n{root}", since.as_millis())
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.splitn(4, '\n');
        let (mode, switching, since) = (lines.next()?, lines.next()?, lines.next()?);
        Some(Self {
            root: AbsPath::new(Path::new(lines.next()?))?,
            mode: ModeSlug::parse(mode).ok()?,
            switching: switching.to_owned(),
            since: Timestamp::from_millis(since.parse().ok()?),
        })
    }

    /// One name for one project, whatever its path is made of.
    fn file_name(&self) -> String {
        let hash = Sha256::digest(self.root.as_str().as_bytes());
        hash.iter().take(16).map(|it| format!("{it:02x}")).collect()
    }

    /// Of two processes that write at once, one wins, and no reader sees half a file.
    fn write(&self, directory: &Path) -> io::Result<()> {
        private_folders().create(directory)?;
        let name = self.file_name();
        let unfinished = directory.join(format!("{name}.{}", std::process::id()));
        // What a killed process of this number has left.
        drop(fs::remove_file(&unfinished));
        let mut file = private_file().open(&unfinished)?;
        file.write_all(self.to_text().as_bytes())?;
        file.sync_all()?;
        fs::rename(&unfinished, directory.join(name))
    }
}

/// What can be read; a directory that is not there has none.
fn read_all(directory: &Path) -> Vec<ProjectMark> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let whole = entries.filter(|entry| entry.path().extension().is_none());
    let marks = whole.filter_map(|entry| {
        let text = fs::read_to_string(entry.path()).ok();
        let mark = text.as_deref().and_then(ProjectMark::parse);
        if mark.is_none() {
            let file = entry.path();
            tracing::warn!(file = %file.display(), "a project's mode cannot be read from this file");
        }
        mark
    });
    marks.collect()
}
