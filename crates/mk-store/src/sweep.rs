//! Removes what is old, a handful at a time: between two handfuls other writers get their turn,
//! those of other processes included.

use mk_types::{Clock, Timestamp};

use crate::boot::{self, SinceBoot};
use crate::change::{self, EVERYTHING};
use crate::error::{Error, Failure};
use crate::link::params;
use crate::row::run;
use crate::seal;
use crate::writer::{TOUCHES_PER_COMMIT, Turn};
use crate::{Retention, Store, SweptSessions};

/// Sessions per job: 3 ms in memory with messages and history, 20 to 35 on disk among 100,000,
/// because their index pages lie scattered.
pub(crate) const SESSIONS: u16 = 100;
/// Tombstones or approvals per job.
pub(crate) const LEFTOVERS: u16 = 1000;

impl Store {
    /// Lets active tasks expire that are idle for longer than `keep.timeout`, and removes what is
    /// older than `keep.retention`. In small steps, so other writers get through. Nothing happens
    /// while the wall clock has moved against the time since boot.
    pub async fn sweep(&self, keep: Retention) -> Result<SweptSessions, Error> {
        self.sweep_at(keep, SinceBoot::now()).await
    }

    async fn sweep_at(
        &self,
        keep: Retention,
        since_boot: Option<SinceBoot>,
    ) -> Result<SweptSessions, Error> {
        let shared = &self.inner.shared;
        // Every commit takes some of the touches along: after these, none of now is missing.
        for _ in 0..=shared.waiting_touches() / TOUCHES_PER_COMMIT {
            self.write(|_| Ok(())).await?;
        }
        let now = shared.clock.now();
        if let (Some(since_boot), Clock::System) = (since_boot, &shared.clock) {
            let moved = self
                .write(move |turn| boot::wall_clock_moved(turn.connection, now, &since_boot))
                .await?;
            if moved {
                tracing::warn!("the system's clock was moved; nothing expires for now");
                return Ok(SweptSessions::default());
            }
        }
        let idle = now.before(keep.timeout);
        let old = now.before(keep.retention);
        let forgotten = now.before(keep.tombstones);
        Ok(SweptSessions {
            expired: self
                .write_until_fewer(SESSIONS, move |turn| expire(turn, idle))
                .await?,
            sessions: self
                .write_until_fewer(SESSIONS, move |turn| sessions(turn, old))
                .await?,
            tombstones: self
                .write_until_fewer(LEFTOVERS, move |turn| tombstones(turn, forgotten))
                .await?,
            approvals: self
                .write_until_fewer(LEFTOVERS, move |turn| approvals(turn, old))
                .await?,
            records: self
                .write_until_fewer(LEFTOVERS, move |turn| records(turn, old))
                .await?,
        })
    }

    /// Repeats `work` in jobs of its own until it changes fewer than `full` rows.
    async fn write_until_fewer(
        &self,
        full: u16,
        work: impl Fn(&Turn<'_>) -> Result<usize, Failure> + Clone + Send + 'static,
    ) -> Result<usize, Error> {
        let mut total = 0;
        loop {
            let changed = self.write(work.clone()).await?;
            total += changed;
            if changed < usize::from(full) {
                return Ok(total);
            }
        }
    }
}

/// Lets some of the active tasks expire that are idle since before `limit`. Only that: what they
/// hold can still be read.
pub(crate) fn expire(turn: &Turn<'_>, limit: Timestamp) -> Result<usize, Failure> {
    let expired = run(
        turn.connection,
        "UPDATE session SET expired_at = ?3 WHERE key IN (
             SELECT key FROM session
             WHERE expired_at IS NULL AND last_activity < ?1 AND state = 'active'
             ORDER BY last_activity LIMIT ?2)",
        params![limit.as_millis(), SESSIONS, turn.now.as_millis()],
    )?;
    if expired > 0 {
        turn.changed(EVERYTHING);
    }
    Ok(expired)
}

/// Removes some of the sessions idle since before `limit`, leaving tombstones.
pub(crate) fn sessions(turn: &Turn<'_>, limit: Timestamp) -> Result<usize, Failure> {
    // The order is the index's own, so both statements choose the same rows and neither sorts.
    run(
        turn.connection,
        "INSERT INTO tombstone (id, task, at)
         SELECT id, task, ?3 FROM session WHERE last_activity < ?1
         ORDER BY last_activity, key LIMIT ?2
         ON CONFLICT (id) DO UPDATE SET at = excluded.at",
        params![limit.as_millis(), SESSIONS, turn.now.as_millis()],
    )?;
    run(
        turn.connection,
        "DELETE FROM session WHERE key IN (
             SELECT key FROM session WHERE last_activity < ?1
             ORDER BY last_activity, key LIMIT ?2)",
        params![limit.as_millis(), SESSIONS],
    )
}

/// Removes some of the tombstones set before `limit`.
pub(crate) fn tombstones(turn: &Turn<'_>, limit: Timestamp) -> Result<usize, Failure> {
    run(
        turn.connection,
        "DELETE FROM tombstone WHERE id IN (SELECT id FROM tombstone WHERE at < ?1 LIMIT ?2)",
        params![limit.as_millis(), LEFTOVERS],
    )
}

/// Removes some of the approvals decided before `limit`, and of those asked before it that nobody
/// ever answered.
pub(crate) fn approvals(turn: &Turn<'_>, limit: Timestamp) -> Result<usize, Failure> {
    run(
        turn.connection,
        "DELETE FROM approval WHERE key IN (
             SELECT key FROM approval WHERE coalesce(decided_at, created_at) < ?1 LIMIT ?2)",
        params![limit.as_millis(), LEFTOVERS],
    )
}

/// Removes some of the decisions, credentials, acts, permits, records of commands and conversations
/// of before `limit`.
pub(crate) fn records(turn: &Turn<'_>, limit: Timestamp) -> Result<usize, Failure> {
    let mut removed = seal::prune(turn.connection, limit, LEFTOVERS)?;
    change::prune(turn.connection, turn.now)?;
    for statement in [
        "DELETE FROM credential WHERE key IN (
             SELECT key FROM credential WHERE coalesce(revoked_at, expires_at) < ?1 LIMIT ?2)",
        "DELETE FROM act WHERE key IN (SELECT key FROM act WHERE at < ?1 LIMIT ?2)",
        "DELETE FROM permit WHERE key IN (SELECT key FROM permit WHERE expires_at < ?1 LIMIT ?2)",
        "DELETE FROM command WHERE key IN (SELECT key FROM command WHERE ended_at < ?1 LIMIT ?2)",
        "DELETE FROM conversation WHERE key IN (
             SELECT key FROM conversation WHERE last_active < ?1 LIMIT ?2)",
    ] {
        removed += run(
            turn.connection,
            statement,
            params![limit.as_millis(), LEFTOVERS],
        )?;
    }
    Ok(removed)
}
