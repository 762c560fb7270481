//! Places in the PostgreSQL that `tests/tools/with-postgres.sh` starts, one for each fixture.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// The URL of an empty schema of its own; `None` where the tests run without PostgreSQL.
#[expect(
    clippy::disallowed_methods,
    reason = "the script that starts the database says where it is"
)]
pub fn schema() -> Option<String> {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let url = std::env::var("MODEKEEPER_TEST_DATABASE").ok()?;
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let name = format!("test_{}_{number}", std::process::id());
    let made = Command::new("psql")
        .args(["--quiet", "--no-psqlrc", "--command"])
        .arg(format!("CREATE SCHEMA {name}"))
        .arg(&url)
        .status()
        .expect("psql runs");
    assert!(made.success(), "no schema in {url}");
    let separator = if url.contains('?') { '&' } else { '?' };
    Some(format!("{url}{separator}options=-csearch_path%3D{name}"))
}
