//! What the store could not do, and what somebody can do about it.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use mk_types::{ApprovalId, ConversationId, ModeSlug, ProjectId, SessionId, TaskId};
use rusqlite::ErrorCode;

use crate::StoreLocation;
use crate::model::{ApprovalState, TaskState};
use crate::postgres::PostgresTrouble;

/// Causes are behind an `Arc`: when a commit fails, every job in it gets the same error.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    #[error("{0} does not exist")]
    NotFound(MissingSubject),
    #[error("{0} has expired")]
    Expired(MissingSubject),
    #[error("parent task `{parent}` is {state}")]
    ParentFinished { parent: TaskId, state: TaskState },
    #[error("session `{session}` is in mode `{actual}`, not `{expected}`")]
    Conflict {
        session: SessionId,
        expected: ModeSlug,
        actual: ModeSlug,
    },
    #[error("the mode was changed by a person meanwhile")]
    Overtaken,
    #[error("the task of session `{session}` is {state}")]
    Finished {
        session: SessionId,
        state: TaskState,
    },
    #[error("a task cannot be completed as `{state}`")]
    NotAnEnd { state: TaskState },
    #[error("approval `{id}` is already {state}")]
    AlreadyDecided {
        id: ApprovalId,
        state: ApprovalState,
    },
    #[error("approval `{id}` is {state}, not granted")]
    NotGranted {
        id: ApprovalId,
        state: ApprovalState,
    },

    #[error("could not create `{path}`")]
    Create {
        path: PathBuf,
        #[source]
        source: Arc<io::Error>,
    },
    #[error("could not open the database `{location}`")]
    Open {
        location: StoreLocation,
        #[source]
        source: Arc<rusqlite::Error>,
    },
    #[error("`{path}` keeps {content}, and cannot be read")]
    Marks {
        path: PathBuf,
        content: MarkContent,
        #[source]
        source: Option<Arc<io::Error>>,
    },
    #[error("the database `{location}` has schema {found}, this program supports up to {known}")]
    Newer {
        location: StoreLocation,
        found: i64,
        known: i64,
    },
    #[error("`{location}` belongs to another program")]
    Foreign { location: StoreLocation },
    #[error("`{location}` is damaged or not a database")]
    Corrupt {
        location: StoreLocation,
        #[source]
        source: Arc<rusqlite::Error>,
    },
    #[error("the database `{location}` cannot be written")]
    ReadOnly {
        location: StoreLocation,
        #[source]
        source: Arc<rusqlite::Error>,
    },
    #[error("no space is left for the database `{location}`")]
    Full {
        location: StoreLocation,
        #[source]
        source: Arc<rusqlite::Error>,
    },
    #[error("the database `{location}` is locked by another process")]
    Busy {
        location: StoreLocation,
        #[source]
        source: Arc<rusqlite::Error>,
    },
    #[error("the database `{location}` was removed or replaced while it was being written")]
    Replaced { location: StoreLocation },
    #[error("the database `{location}` failed")]
    Database {
        location: StoreLocation,
        #[source]
        source: Arc<rusqlite::Error>,
    },
    #[error("the database `{location}` cannot be reached: {source}")]
    Unreachable {
        location: StoreLocation,
        #[source]
        source: Arc<PostgresTrouble>,
    },
    #[error("the database `{location}` refused: {source}")]
    Server {
        location: StoreLocation,
        #[source]
        source: Arc<PostgresTrouble>,
    },
    #[error("`{location}` is not a file")]
    NotAFile { location: StoreLocation },
    #[error("could not start the thread that writes `{location}`")]
    Thread {
        location: StoreLocation,
        #[source]
        source: Arc<io::Error>,
    },
    #[error("the store is closed")]
    Closed,
    #[error("a write to the store panicked and was undone")]
    Panicked,
}

impl Error {
    /// What to do now, where something can be done.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Create { .. } | Self::Open { .. } => Some(
                "check that the directory exists and is yours, or choose another one with `storage_path`",
            ),
            Self::Newer { .. } => Some(
                "a newer Modekeeper wrote it: update this one, or choose another `storage_path`",
            ),
            Self::Marks { content, .. } => Some(content.hint()),
            Self::Foreign { .. } => Some("choose another `storage_path`"),
            Self::ReadOnly { .. } => {
                Some("check the permissions of the file and its directory, and the disk")
            }
            Self::Full { .. } => Some("free some space and try again; nothing was lost"),
            Self::Busy { .. } => Some("try again; if it stays, find the process that holds it"),
            Self::Replaced { .. } => Some("try again; nothing of this change was written"),
            Self::Unreachable { .. } => Some(
                "check that PostgreSQL runs and accepts connections from here; servers recover by themselves",
            ),
            Self::NotAFile { .. } => Some("use PostgreSQL's own tools, such as `pg_dump`"),
            Self::Conflict { .. } | Self::Overtaken => Some("read the session again, then retry"),
            // What can be saved, a face says how.
            Self::Corrupt { .. } => None,
            Self::NotFound(_)
            | Self::Expired(_)
            | Self::ParentFinished { .. }
            | Self::Finished { .. }
            | Self::NotAnEnd { .. }
            | Self::AlreadyDecided { .. }
            | Self::NotGranted { .. }
            | Self::Database { .. }
            | Self::Server { .. }
            | Self::Thread { .. }
            | Self::Closed
            | Self::Panicked => None,
        }
    }

    pub(crate) fn from_sqlite(location: &StoreLocation, source: rusqlite::Error) -> Self {
        let location = location.clone();
        let unreadable_value = matches!(
            source,
            rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::Utf8Error(..)
        );
        let code = source.sqlite_error_code();
        let source = Arc::new(source);
        match code {
            _ if unreadable_value => Self::Corrupt { location, source },
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                Self::Corrupt { location, source }
            }
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                Self::ReadOnly { location, source }
            }
            Some(ErrorCode::DiskFull) => Self::Full { location, source },
            Some(ErrorCode::CannotOpen) => Self::Open { location, source },
            Some(
                ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::FileLockingProtocolFailed,
            ) => Self::Busy { location, source },
            _ => Self::Database { location, source },
        }
    }
}

/// What is kept outside of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkContent {
    Mode,
    Rights,
}

impl MarkContent {
    const fn hint(self) -> &'static str {
        match self {
            Self::Mode => "repair or remove it, then set the modes of your projects again",
            Self::Rights => {
                "repair it, or review the modes of the project and remove it: what they allow then counts as agreed to"
            }
        }
    }
}

impl fmt::Display for MarkContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mode => "which mode a person has set for a project",
            Self::Rights => "what the modes of a project may do",
        })
    }
}

/// What is missing or gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingSubject {
    Session(SessionId),
    Task(TaskId),
    Approval(ApprovalId),
    Conversation(ConversationId),
    Project(ProjectId),
}

impl fmt::Display for MissingSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session(id) => write!(f, "session `{id}`"),
            Self::Task(id) => write!(f, "task `{id}`"),
            Self::Approval(id) => write!(f, "approval `{id}`"),
            Self::Conversation(id) => write!(f, "conversation `{id}`"),
            Self::Project(id) => write!(f, "project `{id}`"),
        }
    }
}

/// How a query or a job fails inside: SQLite's errors get the database's name at the boundary.
#[derive(Debug)]
pub(crate) enum Failure {
    Sqlite(rusqlite::Error),
    Postgres(PostgresTrouble),
    Refused(Error),
}

impl Failure {
    pub(crate) fn at(self, location: &StoreLocation) -> Error {
        match self {
            Self::Sqlite(source) => Error::from_sqlite(location, source),
            Self::Postgres(trouble) => trouble.at(location),
            Self::Refused(error) => error,
        }
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(source: rusqlite::Error) -> Self {
        Self::Sqlite(source)
    }
}

impl From<PostgresTrouble> for Failure {
    fn from(trouble: PostgresTrouble) -> Self {
        Self::Postgres(trouble)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}
