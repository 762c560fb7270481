//! Whether the wall clock can be believed: it is compared with the time since boot, which nobody
//! can set. Sleep counts in both.

use mk_types::Timestamp;

use crate::error::Failure;
use crate::link::{Link, params};
use crate::row::{first, run};

/// How far the clocks may drift apart before it counts as moved: more than a leap second or the
/// slow corrections of a time service, less than any timeout.
const TOLERANCE: i64 = 60_000;

/// The time since this machine was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SinceBoot {
    /// Tells one start of the machine from another.
    pub(crate) boot: String,
    pub(crate) millis: i64,
}

impl SinceBoot {
    /// `None` where the system does not tell.
    pub(crate) fn now() -> Option<Self> {
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        let uptime = std::fs::read_to_string("/proc/uptime").ok()?;
        let (seconds, hundredths) = uptime.split_whitespace().next()?.split_once('.')?;
        let seconds: i64 = seconds.parse().ok()?;
        let hundredths: i64 = hundredths.parse().ok()?;
        Some(Self {
            boot: boot.trim().to_owned(),
            millis: seconds * 1000 + hundredths * 10,
        })
    }
}

/// Whether the wall clock moved against the time since boot since the last sweep, here or in
/// another process. A move is believed once two sweeps in a row have seen the same: a clock that
/// is wrong for a moment never is.
pub(crate) fn wall_clock_moved(
    connection: Link<'_>,
    wall: Timestamp,
    since_boot: &SinceBoot,
) -> Result<bool, Failure> {
    let distance = wall.as_millis() - since_boot.millis;
    let query = "SELECT boot, distance, candidate FROM clock";
    let known = first(connection, query, params![], |row| {
        Ok((
            row.get::<String>(0)?,
            row.get::<i64>(1)?,
            row.get::<Option<i64>>(2)?,
        ))
    })?;
    let near = |other: i64| distance.abs_diff(other) <= TOLERANCE.unsigned_abs();
    let (trusted, candidate) = match known {
        Some((boot, known, _)) if boot == since_boot.boot && near(known) => (distance, None),
        Some((boot, known, candidate)) if boot == since_boot.boot => {
            if candidate.is_some_and(near) {
                (distance, None)
            } else {
                (known, Some(distance))
            }
        }
        // After a start of the machine there is nothing to compare with.
        Some(_) | None => (distance, None),
    };
    run(
        connection,
        "INSERT INTO clock (key, boot, distance, candidate) VALUES (1, ?1, ?2, ?3)
         ON CONFLICT (key) DO UPDATE SET boot = excluded.boot, distance = excluded.distance,
             candidate = excluded.candidate",
        params![since_boot.boot, trusted, candidate],
    )?;
    Ok(candidate.is_some())
}
