//! Figures over what was recorded, counted by the database.

use std::time::Duration;

use mk_types::Timestamp;

use crate::Store;
use crate::error::Error;
use crate::link::params;
use crate::model::{ApprovalFigures, ApprovalState, DecisionCount, Ruling};
use crate::row::{all, unsigned, word};

impl Store {
    /// How many decisions there were since then, by stretches of time, tool and ruling, oldest first.
    pub fn count_decisions(
        &self,
        since: Timestamp,
        stretch: Duration,
    ) -> Result<Vec<DecisionCount>, Error> {
        let stretch = i64::try_from(stretch.as_millis())
            .unwrap_or(i64::MAX)
            .max(1);
        let query = "SELECT at / ?2 * ?2 AS stretch, tool, verdict, count(*) FROM decision
             WHERE at >= ?1 GROUP BY stretch, tool, verdict ORDER BY stretch, tool, verdict";
        let shared = &self.inner.shared;
        shared.read(|connection| {
            all(
                connection,
                query,
                params![since.as_millis(), stretch],
                |row| {
                    Ok(DecisionCount {
                        at: Timestamp::from_millis(row.get(0)?),
                        tool: row.get(1)?,
                        ruling: word(row, 2, Ruling::parse)?,
                        count: unsigned(row.get(3)?),
                    })
                },
            )
        })
    }

    /// What became of the requests made since then.
    pub fn count_approvals(&self, since: Timestamp) -> Result<ApprovalFigures, Error> {
        let shared = &self.inner.shared;
        let now = shared.clock.now();
        let query = "SELECT state, created_at, decided_at, expires_at FROM approval
             WHERE created_at >= ?1";
        let rows = shared.read(|connection| {
            all(connection, query, params![since.as_millis()], |row| {
                let state = word(row, 0, ApprovalState::parse)?;
                let created: i64 = row.get(1)?;
                let (decided, expires): (Option<i64>, Option<i64>) = (row.get(2)?, row.get(3)?);
                Ok((state, created, decided, expires))
            })
        })?;
        let mut figures = ApprovalFigures::default();
        for (state, created, decided, expires) in rows {
            figures.asked += 1;
            match state {
                ApprovalState::Granted | ApprovalState::Used => figures.granted += 1,
                ApprovalState::Denied => figures.denied += 1,
                ApprovalState::Pending if expires.is_some_and(|end| end <= now.as_millis()) => {
                    figures.expired += 1;
                }
                ApprovalState::Pending => {}
            }
            if let Some(decided) = decided {
                figures.waits.push(unsigned((decided - created).max(0)));
            }
        }
        figures.waits.sort_unstable();
        Ok(figures)
    }
}
