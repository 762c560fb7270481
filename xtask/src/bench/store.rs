//! 100,000 sessions in the embedded database and in PostgreSQL: reads and switches a second, by threads; and what a
//! notification in every commit would cost beside 20 a second from another connection, as servers have it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::report::{Budget, Row, Spread};
use crate::workspace;

const SESSIONS: &str = "100000";
const SECONDS: &str = "5";
/// Connections of the comparison, as many as the most threads of the store's.
const CLIENTS: &str = "64";

pub(crate) fn measure(load: &Path) -> Result<Vec<Row>> {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("modekeeper.db");
    let embedded = figures(Command::new(load).arg(&file).args([SESSIONS, SECONDS]))?;
    let shared = with_postgres(&format!(
        "'{}' \"$MODEKEEPER_TEST_DATABASE\" {SESSIONS} {SECONDS}",
        load.display()
    ))?;
    let mut rows = Vec::new();
    for ((what, ours), (_, theirs)) in shared.into_iter().zip(embedded) {
        rows.push(Row {
            what: format!("{what}, PostgreSQL"),
            unit: "/s",
            ours: Spread::of(vec![ours]),
            beside: Some(("SQLite", Spread::of(vec![theirs]))),
            budget: Budget::None,
        });
    }
    rows.push(notifications()?);
    Ok(rows)
}

/// The same small commit with a notification of its own, and beside a connection that notifies as servers do. Two
/// connections listen, as of two servers.
fn notifications() -> Result<Row> {
    let rate = |notify: &str, beside: &str| -> Result<f64> {
        let script = format!(
            r#"directory=$(mktemp -d) && trap 'wait; rm -rf "$directory"' EXIT
            programs=$(compgen -G '/usr/lib/postgresql/*/bin' | sort -V | tail -1)
            psql --quiet --command 'CREATE TABLE IF NOT EXISTS told (number bigint)' "$MODEKEEPER_TEST_DATABASE"
            printf 'BEGIN;\nINSERT INTO told VALUES (1);\n{notify}COMMIT;\n' >"$directory/commit.sql"
            say() {{ {{ echo "$1"; for _ in {{1..110}}; do sleep 0.05; echo "$2"; done; }} |
                psql --quiet "$MODEKEEPER_TEST_DATABASE" >/dev/null; }}
            for _ in 1 2; do say 'LISTEN modekeeper;' 'SELECT 1;' & done
            say '' '{beside}' &
            "$programs/pgbench" --no-vacuum --client={CLIENTS} --time={SECONDS} --file="$directory/commit.sql" \
                "$MODEKEEPER_TEST_DATABASE" 2>/dev/null | awk '/^tps/ {{ print "commit {CLIENTS}", $3 }}'"#
        );
        let found = with_postgres(&script)?;
        let (_, rate) = found.first().context("pgbench says no rate")?;
        Ok(*rate)
    };
    Ok(Row {
        what: format!("commits of {CLIENTS} connections, a NOTIFY in each"),
        unit: "/s",
        ours: Spread::of(vec![rate("NOTIFY modekeeper;\\n", "")?]),
        beside: Some((
            "as built",
            Spread::of(vec![rate("", "NOTIFY modekeeper;")?]),
        )),
        budget: Budget::None,
    })
}

fn with_postgres(script: &str) -> Result<Vec<(String, f64)>> {
    let start = workspace::root().join("tests/tools/with-postgres.sh");
    figures(Command::new(start).args(["bash", "-c", script]))
}

/// The figures that a program prints: what, threads, operations a second.
fn figures(command: &mut Command) -> Result<Vec<(String, f64)>> {
    let output = command.output().context("could not start it")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "it failed: {errors}");
    let text = String::from_utf8(output.stdout)?;
    let figure = |line: &str| {
        let mut words = line.split(' ');
        let (what, threads, rate) = (words.next()?, words.next()?, words.next()?);
        Some((format!("{what}s, {threads} at once"), rate.parse().ok()?))
    };
    Ok(text.lines().filter_map(figure).collect())
}
