//! The modes that persons have set for projects, once more as small files outside of the database's directory.
//!
//! A database that was lost is made again by whichever program comes next, and one that was put back from a copy knows
//! only what was set before. So each is compared with these files when it is opened, and a person's latest act counts.
//! What was set for single conversations is not in them.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use mk_types::{AbsPath, ModeSlug, ProjectId, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior};
use sha2::{Digest as _, Sha256};

use crate::error::{Error, Failure};
use crate::model::Project;
use crate::open::{private_file, private_folders};
use crate::project_mode::{below, is_held};

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

/// What the modes of a project may do, and since when that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MarkedRights {
    pub(crate) at: Timestamp,
    pub(crate) text: String,
}

impl MarkedRights {
    fn parse(text: &str) -> Option<Self> {
        let (at, text) = text.split_once('\n')?;
        Some(Self {
            at: Timestamp::from_millis(at.parse().ok()?),
            text: text.to_owned(),
        })
    }
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
        if let Err(error) = write(directory, &file_name(mark.root.as_str()), &mark.to_text()) {
            let directory = directory.display();
            tracing::warn!(
                "the mode of {} cannot be kept in {directory}, and would be lost with the database: {error}",
                mark.root
            );
        }
    }

    /// Forgets what a person has taken back.
    pub(crate) fn forget(&self, root: &AbsPath) {
        let Some(directory) = self.0.get() else {
            return;
        };
        let file = directory.join(file_name(root.as_str()));
        match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let file = file.display();
                tracing::warn!(
                    "{file} cannot be removed, and would set the mode of {root} again if the database were lost: {error}"
                );
            }
            _ => {}
        }
    }

    /// Keeps what the modes of a project may do, unless it is kept already.
    pub(crate) fn keep_rights(&self, root: &AbsPath, text: &str, now: Timestamp) {
        let Some(directory) = self.0.get() else {
            return;
        };
        if matches!(self.rights(root), Ok(Some(kept)) if kept.text == text) {
            return;
        }
        let name = rights_name(root);
        let kept = format!("{}\n{text}", now.as_millis());
        if let Err(error) = write(directory, &name, &kept) {
            let directory = directory.display();
            tracing::warn!(
                "what the modes of {root} may do cannot be kept in {directory}, and would be lost with the database: {error}"
            );
        }
    }

    /// What the modes of a project were allowed to do when it was last kept.
    pub(crate) fn rights(&self, root: &AbsPath) -> Result<Option<MarkedRights>, Error> {
        let Some(directory) = self.0.get() else {
            return Ok(None);
        };
        let path = directory.join(rights_name(root));
        let read = match fs::read_to_string(&path) {
            Ok(text) => MarkedRights::parse(&text).ok_or(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => Err(Some(error.into())),
        };
        read.map(Some)
            .map_err(|source| Error::Marks { path, source })
    }

    /// Brings a database up to what persons have set since it was written: all of it, if it was just made. Refuses one
    /// of which that is unknown, because a file cannot be read and no project of the database is its.
    pub(crate) fn bring_into(&self, connection: &mut Connection) -> Result<(), Failure> {
        let Some(directory) = self.0.get() else {
            return Ok(());
        };
        let (marks, unreadable) = read_all(directory).map_err(|source| Error::Marks {
            path: directory.clone(),
            source: Some(source.into()),
        })?;
        let mut later = Vec::new();
        for mark in marks {
            if mark.is_later(connection)? {
                later.push(mark);
            }
        }
        if !unreadable.is_empty() {
            refuse_unknown(connection, &unreadable)?;
        }
        if later.is_empty() {
            return Ok(());
        }
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for mark in later {
            // Another process may have been faster, or a person.
            if mark.is_later(&transaction)? {
                mark.put_into(&transaction)?;
            }
        }
        transaction.commit()?;
        Ok(())
    }
}

/// Refuses if one of the files is about a project that the database has no mode of.
fn refuse_unknown(connection: &Connection, unreadable: &[PathBuf]) -> Result<(), Failure> {
    let mut query = connection.prepare("SELECT root FROM project WHERE mode IS NOT NULL")?;
    let known = query.query_map([], |row| Ok(file_name(&row.get::<_, String>(0)?)))?;
    let known: Vec<String> = known.collect::<Result<_, _>>()?;
    let is_known = |file: &&PathBuf| {
        let name = file.file_name().and_then(|it| it.to_str());
        name.is_some_and(|name| known.iter().any(|it| it == name))
    };
    match unreadable.iter().find(|file| !is_known(file)) {
        Some(file) => Err(Failure::Refused(Error::Marks {
            path: file.clone(),
            source: None,
        })),
        None => Ok(()),
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

    /// Whether a person has set this after what the database knows of the project.
    fn is_later(&self, connection: &Connection) -> rusqlite::Result<bool> {
        let query = "SELECT mode, mode_since FROM project WHERE root = ?1";
        let mut query = connection.prepare_cached(query)?;
        let row = |row: &rusqlite::Row<'_>| {
            Ok((
                row.get::<_, Option<String>>(0)?,
                row.get::<_, Option<i64>>(1)?,
            ))
        };
        let known = query.query_row([self.root.as_str()], row).optional()?;
        Ok(match known {
            Some((Some(mode), since)) => {
                mode != self.mode.as_str() && since.is_none_or(|it| it < self.since.as_millis())
            }
            Some((None, _)) | None => true,
        })
    }

    /// As if the person set it now: conversations and tasks that have not ended are in the mode, too.
    fn put_into(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let (root, mode) = (self.root.as_str(), self.mode.as_str());
        let switching = Some(self.switching.as_str()).filter(|it| !it.is_empty());
        transaction.execute(
            "INSERT INTO project (id, root, mode, switching, created_at, mode_since)
             VALUES (?1, ?2, ?3, ?4, ?5, ?5)
             ON CONFLICT (root) DO UPDATE SET mode = ?3, switching = coalesce(?4, switching), mode_since = ?5",
            rusqlite::params![
                ProjectId::random().as_str(),
                root,
                mode,
                switching,
                self.since.as_millis()
            ],
        )?;
        let held = rusqlite::params![root, below(&self.root), mode];
        transaction.execute(
            concat!(
                "UPDATE conversation SET mode = ?3 WHERE mode IS NOT NULL AND project IN (
                     SELECT j.key FROM project j WHERE ",
                is_held!("j.root"),
                ")"
            ),
            held,
        )?;
        transaction.execute(
            concat!(
                "UPDATE session SET mode = ?3 WHERE state = 'active' AND ",
                is_held!("session.project")
            ),
            held,
        )?;
        Ok(())
    }
}

/// Of two processes that write at once, one wins, and no reader sees half a file.
fn write(directory: &Path, name: &str, text: &str) -> io::Result<()> {
    private_folders().create(directory)?;
    let unfinished = directory.join(format!("{name}.{}", std::process::id()));
    // What a killed process of this number has left.
    drop(fs::remove_file(&unfinished));
    let mut file = private_file().open(&unfinished)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&unfinished, directory.join(name))
}

/// Programs of older versions leave a name with a dot alone.
fn rights_name(root: &AbsPath) -> String {
    format!("{}.modes", file_name(root.as_str()))
}

/// One name for one project, whatever its path is made of.
fn file_name(root: &str) -> String {
    let hash = Sha256::digest(root.as_bytes());
    hash.iter().take(16).map(|it| format!("{it:02x}")).collect()
}

/// What can be read, and the files that cannot; a directory that is not there has none. Other files are not ours.
fn read_all(directory: &Path) -> io::Result<(Vec<ProjectMark>, Vec<PathBuf>)> {
    let (mut marks, mut unreadable) = (Vec::new(), Vec::new());
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((marks, unreadable)),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let is_ours =
            |name: &str| name.len() == 32 && name.bytes().all(|it| it.is_ascii_hexdigit());
        if !name.to_str().is_some_and(is_ours) {
            continue;
        }
        let text = fs::read_to_string(entry.path()).ok();
        match text.as_deref().and_then(ProjectMark::parse) {
            Some(mark) if name.to_str() == Some(&file_name(mark.root.as_str())) => marks.push(mark),
            _ => unreadable.push(entry.path()),
        }
    }
    Ok((marks, unreadable))
}
