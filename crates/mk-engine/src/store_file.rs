//! The database that all of a user's agents share, as a file to look after. Without an engine around it: a damaged
//! one must not keep its own repair from starting.

use std::path::{Path, PathBuf};

use mk_store::{ChainCheck, CloseOutcome, RecoveredStore, Store, StoreLocation};
use mk_types::Clock;

use crate::error::Error;

/// What is asked of a database in use.
const STOP_FIRST: &str = "stop every agent and server first";

/// Whether a store can be read, wherever it is.
pub fn reach_store(location: StoreLocation) -> Result<(), Error> {
    let store = Store::new(location, Clock::System);
    store.projects()?;
    // Nothing was written.
    let _closed = store.close();
    Ok(())
}

/// Whether the record of decisions is as it was written, wherever it is.
pub fn check_decisions(location: StoreLocation) -> Result<ChainCheck, Error> {
    Ok(Store::new(location, Clock::System).check_chain()?)
}

/// A database's file.
#[derive(Debug, Clone)]
pub struct StoreFile {
    path: PathBuf,
}

/// When a database is replaced by what can be read of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    IfDamaged,
    Always,
}

impl StoreFile {
    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it can be opened, read and closed in time.
    pub fn open_and_close(&self) -> Result<CloseOutcome, Error> {
        let store = self.store();
        let projects = store.projects();
        let closed = store.close();
        projects?;
        Ok(closed)
    }

    /// What is wrong with it; nothing if it is whole.
    pub fn check(&self) -> Result<Vec<String>, Error> {
        match self.store().check() {
            Ok(problems) => Ok(problems),
            // A file that cannot even be opened as a database is an answer, too.
            Err(error @ mk_store::Error::Corrupt { .. }) => Ok(vec![error.to_string()]),
            Err(error) => Err(error.into()),
        }
    }

    /// Copies it while others use it.
    pub fn back_up(&self, target: &Path) -> Result<(), Error> {
        Ok(self.store().back_up(target)?)
    }

    /// Replaces it by what can be read of it; `None` if nothing is wrong with it.
    pub fn recover(&self, recovery: Recovery) -> Result<Option<RecoveredStore>, Error> {
        let store = self.store();
        match store.check() {
            Ok(problems) if problems.is_empty() && recovery == Recovery::IfDamaged => {
                return Ok(None);
            }
            Err(error @ (mk_store::Error::Newer { .. } | mk_store::Error::Foreign { .. })) => {
                return Err(error.into());
            }
            Err(source @ mk_store::Error::Busy { .. }) => {
                return Err(Error::Unavailable {
                    source,
                    hint: Some(STOP_FIRST.into()),
                });
            }
            Ok(_) | Err(_) => {}
        }
        drop(store);
        Ok(Some(mk_store::recover(&self.path)?))
    }

    fn store(&self) -> Store {
        Store::new(StoreLocation::File(self.path.clone()), Clock::System)
    }
}
