//! Removes what is old, a handful at a time: between two handfuls other writers get their turn,
//! those of other processes included.

use mk_types::Timestamp;

use crate::change::{self, EVERYTHING};
use crate::error::Failure;
use crate::link::params;
use crate::row::run;
use crate::seal;
use crate::writer::Turn;

/// Sessions per job: 3 ms in memory with messages and history, 20 to 35 on disk among 100,000,
/// because their index pages lie scattered.
pub(crate) const SESSIONS: u16 = 100;
/// Tombstones or approvals per job.
pub(crate) const LEFTOVERS: u16 = 1000;

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
