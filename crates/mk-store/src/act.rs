//! What people and programs changed over HTTP: appended and never changed.

use mk_types::Timestamp;

use crate::Store;
use crate::error::Error;
use crate::link::params;
use crate::model::{AuditedChange, NewAct};
use crate::row::{all, run};

impl Store {
    /// Records a change; it is on disk when this resolves.
    pub async fn record_act(&self, new: NewAct) -> Result<(), Error> {
        self.write(move |turn| {
            run(
                turn.connection,
                "INSERT INTO act (at, who, origin, action, subject) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![
                    turn.now.as_millis(),
                    new.who,
                    new.origin,
                    new.action,
                    new.subject
                ],
            )?;
            Ok(())
        })
        .await
    }

    /// The latest changes, newest first.
    pub fn acts(&self, limit: usize) -> Result<Vec<AuditedChange>, Error> {
        let query = "SELECT at, who, origin, action, subject FROM act ORDER BY key DESC LIMIT ?1";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let shared = &self.inner.shared;
        shared.read(|connection| {
            all(connection, query, params![limit], |row| {
                Ok(AuditedChange {
                    at: Timestamp::from_millis(row.get(0)?),
                    who: row.get(1)?,
                    origin: row.get(2)?,
                    action: row.get(3)?,
                    subject: row.get(4)?,
                })
            })
        })
    }
}
