//! Reading, and opening what is read: inline, on the caller's thread.

use std::sync::atomic::Ordering;
use std::time::Instant;

use mk_types::lock;
use rusqlite::Connection;

use super::{LOCKED_PAUSE, RanJobs, SharedStore, WriteJob};
use crate::StoreLocation;
use crate::error::{Error, Failure};
use crate::link::Link;
use crate::moment;
use crate::open::{ConnectionPurpose, DatabaseIdentity, LockWaits, OpenedDatabase, StoreUse, open};
use crate::recent::RecentQuestion;

impl SharedStore {
    /// Runs `query`, opening what it needs at the first use.
    pub(crate) fn read<T>(
        &self,
        query: impl Fn(Link<'_>) -> Result<T, Failure>,
    ) -> Result<T, Error> {
        match &self.postgres {
            Some(postgres) => postgres.read(query),
            None => self.read_sqlite(|connection| query(Link::Sqlite(connection))),
        }
    }

    /// The same for what is asked at every call: a server remembers the answer until anyone commits.
    pub(crate) fn read_recent<T: Clone + Send + 'static>(
        &self,
        question: RecentQuestion,
        query: impl Fn(Link<'_>) -> Result<T, Failure>,
    ) -> Result<T, Error> {
        let StoreLocation::File(path) = &self.location else {
            return self.read(query);
        };
        if self.store_use != StoreUse::Server {
            return self.read(query);
        }
        let mut as_of = None;
        if let Some(opened) = &mut lock(&self.reader).opened {
            let known = moment::known(self);
            if let Some(answer) = known.and_then(|as_of| opened.recent.find(as_of, &question)) {
                return Ok(answer);
            }
            if opened.identity.is_some() && opened.identity == DatabaseIdentity::of(path) {
                as_of = opened.recent.now(path);
            }
            if let Some(as_of) = as_of {
                moment::note(self, as_of);
                if let Some(answer) = opened.recent.find(as_of, &question) {
                    return Ok(answer);
                }
            }
        }
        let answer = self.read(query)?;
        if let (Some(as_of), Some(opened)) = (as_of, &mut lock(&self.reader).opened) {
            opened.recent.keep(as_of, question, answer.clone());
        }
        Ok(answer)
    }

    /// The same for queries that must all see one moment.
    pub(crate) fn read_at_once<T>(
        &self,
        query: impl Fn(Link<'_>) -> Result<T, Failure>,
    ) -> Result<T, Error> {
        match &self.postgres {
            Some(postgres) => postgres.read_at_once(query),
            None => self.read_sqlite(|connection| query(Link::Sqlite(connection))),
        }
    }

    /// Runs `query` on the connection for reading.
    pub(crate) fn read_sqlite<T>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, Failure>,
    ) -> Result<T, Error> {
        let mut reader = lock(&self.reader);
        if reader
            .locked_until
            .is_some_and(|until| Instant::now() < until)
        {
            return Err(self.locked());
        }
        reader.locked_until = None;
        let outcome = self
            .open_for_reading(&mut reader.opened)
            .and_then(|connection| query(connection).map_err(|failure| failure.at(&self.location)));
        if let Err(error) = &outcome {
            match error {
                Error::Busy { .. } if self.store_use == StoreUse::Server => {
                    reader.locked_until = Some(Instant::now() + LOCKED_PAUSE);
                }
                error if self.is_broken(error) => reader.opened = None,
                _ => {}
            }
        }
        outcome
    }

    pub(super) fn locked(&self) -> Error {
        let busy = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
        Error::from_sqlite(&self.location, rusqlite::Error::SqliteFailure(busy, None))
    }

    /// The connection for reading. A file that was replaced is opened again; of one that was
    /// removed the open connection still has everything, until the writer has put it back.
    fn open_for_reading<'a>(
        &self,
        slot: &'a mut Option<OpenedDatabase>,
    ) -> Result<&'a Connection, Error> {
        if let (StoreLocation::File(path), Some(opened)) = (&self.location, &*slot)
            && let Some(now) = DatabaseIdentity::of(path)
            && opened.identity != Some(now)
        {
            *slot = None;
        }
        if let (StoreLocation::File(path), None) = (&self.location, &*slot)
            && self.commits() > 0
            && DatabaseIdentity::of(path).is_none()
        {
            // Opening would make an empty database, although the writer still has the old one.
            self.wake_writer();
            let location = self.location.clone();
            return Err(Error::Replaced { location });
        }
        let purpose = match (&self.location, self.store_use.only_connection()) {
            (StoreLocation::File(_), Some(only)) => only,
            (StoreLocation::File(_), None) => ConnectionPurpose::Read,
            (StoreLocation::Memory | StoreLocation::Postgres(_), _) => ConnectionPurpose::Write,
        };
        let waits = self.store_use.waits();
        Ok(&self.ensure_open(slot, purpose, waits)?.connection)
    }

    /// Whether reads and writes share a connection.
    pub(crate) fn has_one_connection(&self) -> bool {
        self.location == StoreLocation::Memory || self.store_use.only_connection().is_some()
    }

    /// Has the thread write nothing, which makes it look at the file.
    fn wake_writer(&self) {
        let nothing: WriteJob = Box::new(|_| RanJobs {
            undo: None,
            answer: Box::new(|_| {}),
        });
        lock(&self.inbox).jobs.push_back(nothing);
        self.arrived.notify_one();
    }

    /// A failed opening is not remembered: the next use tries again.
    pub(super) fn ensure_open<'a>(
        &self,
        slot: &'a mut Option<OpenedDatabase>,
        purpose: ConnectionPurpose,
        waits: LockWaits,
    ) -> Result<&'a mut OpenedDatabase, Error> {
        match slot {
            Some(opened) => Ok(opened),
            None => Ok(slot.insert(open(&self.location, purpose, waits, &self.marks)?)),
        }
    }

    /// Whether a connection that failed so has to be opened again: a database that could only be
    /// read when it was opened stays so for that connection. In memory there is only this one.
    pub(super) fn is_broken(&self, error: &Error) -> bool {
        self.location != StoreLocation::Memory
            && matches!(
                error,
                Error::ReadOnly { .. }
                    | Error::Open { .. }
                    | Error::Corrupt { .. }
                    | Error::Replaced { .. }
                    | Error::Database { .. }
            )
    }

    /// How many commits this process made; what `data_version` is where there is one connection.
    pub(crate) fn commits(&self) -> i64 {
        self.commits.load(Ordering::SeqCst)
    }
}
