//! The log of changes, by which servers that share a database know what to look at again.

use std::time::Duration;

use mk_types::Timestamp;

use crate::error::Failure;
use crate::link::{Link, SqlValue, params};

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

/// Ids of one statement: each has two values, of which PostgreSQL takes 65,535.
const IDS: usize = 1000;

/// Appends these ids, and something even if nobody has to look at anything again; the number of the last one.
pub(crate) fn append(
    ids: &[String],
    connection: Link<'_>,
    now: Timestamp,
) -> Result<Option<i64>, Failure> {
    let mut last = None;
    let nothing = [String::new()];
    let ids = if ids.is_empty() { &nothing } else { ids };
    let at = now.as_millis();
    for ids in ids.chunks(IDS) {
        let place = |row: usize| format!("(?{}, ?{})", 2 * row + 1, 2 * row + 2);
        let places: Vec<String> = (0..ids.len()).map(place).collect();
        let places = places.join(", ");
        let statement = format!("INSERT INTO change (key, at) VALUES {places} RETURNING seq");
        let values = ids
            .iter()
            .flat_map(|id| [SqlValue::from(id), SqlValue::from(&at)]);
        let values: Vec<SqlValue<'_>> = values.collect();
        connection.each(&statement, &values, |row| {
            last = last.max(Some(row.get(0)?));
            Ok(())
        })?;
    }
    Ok(last)
}
