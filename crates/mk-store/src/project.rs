//! Projects: a pause that a person has set, which mode texts are trusted, and the last good text
//! of each mode file; modes are in `project_mode.rs`. Rows here and never files in the project, because agents write those.

use std::path::Path;

use mk_types::{AbsPath, ModeSlug, ProjectId, Timestamp};

use crate::error::{Error, Failure, MissingSubject};
use crate::link::{Link, Row, params};
use crate::model::Project;
use crate::row::{all, first, optional, parsed, run};
use crate::writer::Turn;
use crate::{Store, StoreLocation};

macro_rules! select_project {
    ($rest:literal) => {
        concat!(
            "SELECT id, root, mode, switching, paused_until, created_at, mode_since FROM project ",
            $rest
        )
    };
}
pub(crate) use select_project;

impl Store {
    /// The project with this root; `None` if nothing was ever stored about it.
    pub fn project_at(&self, root: &AbsPath) -> Result<Option<Project>, Error> {
        let shared = &self.inner.shared;
        shared.read(|connection| at(connection, root))
    }

    pub fn project(&self, id: &ProjectId) -> Result<Option<Project>, Error> {
        let shared = &self.inner.shared;
        shared.read(|connection| find(connection, id))
    }

    /// All projects, in order of creation.
    pub fn projects(&self) -> Result<Vec<Project>, Error> {
        let shared = &self.inner.shared;
        shared.read(|connection| all(connection, select_project!("ORDER BY key"), params![], read))
    }

    /// The project with this root, made if there is none.
    pub async fn open_project(&self, root: &AbsPath) -> Result<Project, Error> {
        let root = root.clone();
        self.write(move |turn| open(turn, &root)).await
    }

    /// Makes the project with this root under this id, unless there is one. Written soon; no caller waits for it.
    pub fn open_project_soon(&self, root: &AbsPath, id: &ProjectId) -> Result<(), Error> {
        let (root, id) = (root.clone(), id.clone());
        self.write_soon(move |turn| match at(turn.connection, &root)? {
            Some(_) => Ok(()),
            None => insert(turn, &root, &id),
        })
    }

    /// Suspends enforcement until then; `None` resumes it.
    pub async fn pause_project(
        &self,
        id: &ProjectId,
        until: Option<Timestamp>,
    ) -> Result<Project, Error> {
        let id = id.clone();
        self.write(move |turn| {
            turn.changed(id.as_str());
            let until = until.map(Timestamp::as_millis);
            let statement = "UPDATE project SET paused_until = ?2 WHERE id = ?1";
            run(turn.connection, statement, params![id.as_str(), until])?;
            existing(turn.connection, &id)
        })
        .await
    }

    /// Whether a person has trusted this text of a project's mode.
    pub fn is_trusted(
        &self,
        project: &ProjectId,
        slug: &ModeSlug,
        hash: &str,
    ) -> Result<bool, Error> {
        let query = "SELECT 1 FROM trusted_mode WHERE project = ?1 AND slug = ?2 AND hash = ?3";
        let shared = &self.inner.shared;
        let found = shared.read(|connection| {
            first(
                connection,
                query,
                params![project.as_str(), slug.as_str(), hash],
                |_| Ok(()),
            )
        });
        Ok(found?.is_some())
    }

    /// The trusted texts of a project's modes, by slug and hash.
    pub fn trusted_modes(&self, project: &ProjectId) -> Result<Vec<(ModeSlug, String)>, Error> {
        let query = "SELECT slug, hash FROM trusted_mode WHERE project = ?1 ORDER BY slug, at";
        let shared = &self.inner.shared;
        shared.read(|connection| {
            all(connection, query, params![project.as_str()], |row| {
                Ok((parsed(row, 0, ModeSlug::parse)?, row.get(1)?))
            })
        })
    }

    /// Records that a person trusts this text of a project's mode.
    pub async fn trust_mode(
        &self,
        project: &ProjectId,
        slug: &ModeSlug,
        hash: &str,
    ) -> Result<(), Error> {
        let (project, slug, hash) = (project.clone(), slug.clone(), hash.to_owned());
        self.write(move |turn| {
            turn.changed(project.as_str());
            let statement = "INSERT INTO trusted_mode (project, slug, hash, at)
                             VALUES (?1, ?2, ?3, ?4)
                             ON CONFLICT (project, slug, hash) DO UPDATE SET at = excluded.at";
            let at = turn.now.as_millis();
            run(
                turn.connection,
                statement,
                params![project.as_str(), slug.as_str(), hash, at],
            )?;
            Ok(())
        })
        .await
    }

    /// Takes the trust in every text of a project's mode back; tells how many there were.
    pub async fn distrust_mode(
        &self,
        project: &ProjectId,
        slug: &ModeSlug,
    ) -> Result<usize, Error> {
        let (project, slug) = (project.clone(), slug.clone());
        self.write(move |turn| {
            turn.changed(project.as_str());
            let statement = "DELETE FROM trusted_mode WHERE project = ?1 AND slug = ?2";
            run(
                turn.connection,
                statement,
                params![project.as_str(), slug.as_str()],
            )
        })
        .await
    }

    /// The last text of a mode file that could be read as a whole.
    pub fn last_good_mode_file(&self, path: &AbsPath) -> Result<Option<String>, Error> {
        let query = "SELECT text FROM mode_file WHERE path = ?1";
        let shared = &self.inner.shared;
        shared.read(|connection| first(connection, query, params![path.as_str()], |row| row.get(0)))
    }

    /// What the modes of the project at `root` were last allowed to do, as a mode file.
    ///
    /// Kept like the text of a mode file, in the place of the directory, and once more outside of the database: where that
    /// was lost, or put back from a copy, the later of both counts.
    pub fn last_rights(&self, root: &AbsPath) -> Result<Option<String>, Error> {
        let shared = &self.inner.shared;
        let marked = match shared.location {
            StoreLocation::File(_) | StoreLocation::Memory => shared.marks.rights(root)?,
            StoreLocation::Postgres(_) => None,
        };
        let Some(marked) = marked else {
            return self.last_good_mode_file(root);
        };
        let query = "SELECT text FROM mode_file WHERE path = ?1 AND at >= ?2";
        let at = marked.at.as_millis();
        let later = shared.read(|connection| {
            first(connection, query, params![root.as_str(), at], |row| {
                row.get(0)
            })
        })?;
        Ok(Some(later.unwrap_or(marked.text)))
    }

    /// Keeps what the modes of the project at `root` may do.
    pub fn keep_rights(&self, root: &AbsPath, hash: &str, text: &str) -> Result<(), Error> {
        let shared = &self.inner.shared;
        // What was seen in memory ends with it.
        if matches!(shared.location, StoreLocation::File(_)) {
            shared.marks.keep_rights(root, text, shared.clock.now());
        }
        self.keep_mode_file(root, hash, text)
    }

    /// Forgets the text of a mode file that is gone. Written soon; no caller waits for it.
    pub fn forget_mode_file(&self, path: &AbsPath) -> Result<(), Error> {
        let path = path.clone();
        self.write_soon(move |turn| {
            turn.changed(path.as_str());
            let statement = "DELETE FROM mode_file WHERE path = ?1";
            run(turn.connection, statement, params![path.as_str()])?;
            Ok(())
        })
    }

    /// Keeps a mode file's text for the time when the file can no longer be read. The hash spares
    /// the write of a text that is there already. Written soon; no caller waits for it.
    pub fn keep_mode_file(&self, path: &AbsPath, hash: &str, text: &str) -> Result<(), Error> {
        let query = "SELECT 1 FROM mode_file WHERE path = ?1 AND hash = ?2";
        let shared = &self.inner.shared;
        let known = shared.read(|connection| {
            first(connection, query, params![path.as_str(), hash], |_| Ok(()))
        })?;
        if known.is_some() {
            return Ok(());
        }
        let (path, hash, text) = (path.clone(), hash.to_owned(), text.to_owned());
        self.write_soon(move |turn| {
            turn.changed(path.as_str());
            let statement = "INSERT INTO mode_file (path, hash, text, at)
                             VALUES (?1, ?2, ?3, ?4)
                             ON CONFLICT (path) DO UPDATE
                             SET hash = excluded.hash, text = excluded.text, at = excluded.at";
            let at = turn.now.as_millis();
            run(
                turn.connection,
                statement,
                params![path.as_str(), hash, text, at],
            )?;
            Ok(())
        })
    }
}

pub(crate) fn find(connection: Link<'_>, id: &ProjectId) -> Result<Option<Project>, Failure> {
    let query = select_project!("WHERE id = ?1");
    first(connection, query, params![id.as_str()], read)
}

/// The key that other tables know a project by.
pub(crate) fn key(connection: Link<'_>, id: &ProjectId) -> Result<i64, Failure> {
    let query = "SELECT key FROM project WHERE id = ?1";
    let found = first(connection, query, params![id.as_str()], |row| row.get(0))?;
    found.ok_or_else(|| missing(id))
}

/// Reads an absolute path that was stored.
pub(crate) fn absolute(text: &str) -> Result<AbsPath, NotAbsolute> {
    AbsPath::new(Path::new(text)).ok_or_else(|| NotAbsolute(text.to_owned()))
}

#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not an absolute path")]
pub(crate) struct NotAbsolute(String);

fn at(connection: Link<'_>, root: &AbsPath) -> Result<Option<Project>, Failure> {
    let query = select_project!("WHERE root = ?1");
    first(connection, query, params![root.as_str()], read)
}

pub(crate) fn open(turn: &Turn<'_>, root: &AbsPath) -> Result<Project, Failure> {
    if let Some(found) = at(turn.connection, root)? {
        return Ok(found);
    }
    let id = ProjectId::random();
    insert(turn, root, &id)?;
    existing(turn.connection, &id)
}

fn insert(turn: &Turn<'_>, root: &AbsPath, id: &ProjectId) -> Result<(), Failure> {
    turn.changed(root.as_str());
    run(
        turn.connection,
        "INSERT INTO project (id, root, created_at) VALUES (?1, ?2, ?3)",
        params![id.as_str(), root.as_str(), turn.now.as_millis()],
    )?;
    Ok(())
}

pub(crate) fn existing(connection: Link<'_>, id: &ProjectId) -> Result<Project, Failure> {
    find(connection, id)?.ok_or_else(|| missing(id))
}

fn missing(id: &ProjectId) -> Failure {
    Error::NotFound(MissingSubject::Project(id.clone())).into()
}

pub(crate) fn read(row: &Row<'_>) -> Result<Project, Failure> {
    Ok(Project {
        id: parsed(row, 0, ProjectId::parse)?,
        root: parsed(row, 1, absolute)?,
        mode: optional(row, 2, ModeSlug::parse)?,
        switching: row.get(3)?,
        paused_until: row.get::<Option<i64>>(4)?.map(Timestamp::from_millis),
        created_at: Timestamp::from_millis(row.get(5)?),
        mode_since: row.get::<Option<i64>>(6)?.map(Timestamp::from_millis),
    })
}
