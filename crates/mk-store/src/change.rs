//! The log of changes, by which servers that share a database know what to look at again.

use std::time::Duration;

use mk_types::Timestamp;

use crate::error::Failure;
use crate::link::{Link, params};

/// Instead of an id: more than can be listed.
pub(crate) const EVERYTHING: &str = "*";
/// Longer than any server that is still of use has not looked.
const KEPT: Duration = Duration::from_secs(3600);

/// Removes what every server has seen. The embedded database has no such log.
pub(crate) fn prune(connection: Link<'_>, now: Timestamp) -> Result<(), Failure> {
    if matches!(connection, Link::Postgres { .. }) {
        let limit = now.before(KEPT).as_millis();
        connection.run("DELETE FROM change WHERE at < ?1", params![limit])?;
    }
    Ok(())
}

/// Appends these ids, and something even if nobody has to look at anything again; the number of the last one.
pub(crate) fn append(
    ids: &[String],
    connection: Link<'_>,
    now: Timestamp,
) -> Result<Option<i64>, Failure> {
    let mut last = None;
    let nothing = [String::new()];
    let ids = if ids.is_empty() { &nothing } else { ids };
    for id in ids {
        last = connection.first(
            "INSERT INTO change (key, at) VALUES (?1, ?2) RETURNING seq",
            params![id, now.as_millis()],
            |row| row.get(0),
        )?;
    }
    Ok(last)
}
