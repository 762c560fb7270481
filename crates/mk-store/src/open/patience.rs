//! How a lock of another process is waited for.

use std::time::{Duration, Instant};

/// Waits for a lock in steps of 0.3 to 0.9 ms. SQLite's own handler sleeps up to 100 ms at a time,
/// which made single waits of half a second with four busy writers.
#[derive(Debug)]
pub(super) struct Patience {
    limit: Duration,
    since: Option<Instant>,
}

impl Patience {
    pub(super) const fn of(limit: Duration) -> Self {
        Self { limit, since: None }
    }

    /// Sleeps one step; false when the time is up. `attempt` is 0 where a new wait begins.
    #[expect(
        clippy::disallowed_methods,
        reason = "SQLite gives no other way to wait for a lock; writers wait on their own thread"
    )]
    pub(super) fn wait(&mut self, attempt: i32) -> bool {
        let now = Instant::now();
        if attempt == 0 {
            self.since = None;
        }
        let waited = now - *self.since.get_or_insert(now);
        if waited >= self.limit {
            return false;
        }
        // Nanoseconds serve as dice: processes that collided once should not do so in step.
        let dice = u64::from(waited.subsec_nanos()) + u64::from(std::process::id()) * 97;
        std::thread::sleep(Duration::from_micros(300 + dice % 600));
        true
    }
}
