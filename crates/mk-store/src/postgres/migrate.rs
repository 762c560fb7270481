//! Brings the schema up to date: what is missing is added, all or nothing, by the first who comes.

use tokio_postgres::error::SqlState;

use super::{PgClient, PostgresTrouble};

/// Append only: a released migration never changes, and one only adds, so that servers of the
/// version before go on working while they are replaced one by one.
const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/postgres/0001_state.sql"),
    include_str!("../../migrations/postgres/0002_mode_since.sql"),
    include_str!("../../migrations/postgres/0003_mode_at.sql"),
];

/// The versions that were applied; in the statements of a transaction that holds the writers' turn.
const VERSIONS: &str = "CREATE TABLE IF NOT EXISTS schema_version (
    version BIGINT PRIMARY KEY,
    applied TIMESTAMPTZ NOT NULL DEFAULT now()
)";

pub(super) fn migrate(client: &PgClient) -> Result<(), PostgresTrouble> {
    if version(client)? >= MIGRATIONS.len() {
        return Ok(());
    }
    client.begin()?;
    client.batch(VERSIONS)?;
    let applied = version(client)?;
    for (index, migration) in MIGRATIONS.iter().enumerate().skip(applied) {
        client.batch(migration)?;
        let version = index + 1;
        client.batch(&format!(
            "INSERT INTO schema_version (version) VALUES ({version})"
        ))?;
    }
    client.run("COMMIT", &[])?;
    Ok(())
}

/// How many were applied. A newer server's count for nothing here: they only add.
fn version(client: &PgClient) -> Result<usize, PostgresTrouble> {
    let query = "SELECT max(version) FROM schema_version";
    let rows = match client.query(query, &[]) {
        Err(PostgresTrouble::Driver(error)) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => {
            return Ok(0);
        }
        answer => answer?,
    };
    let version: Option<i64> = match rows.first() {
        Some(row) => row.try_get(0)?,
        None => None,
    };
    Ok(version.and_then(|it| usize::try_from(it).ok()).unwrap_or(0))
}
