//! Waiting for what happens elsewhere, with a deadline that only a fault reaches.

use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// Generous: the machine may be busy. What must be fast is measured, not waited for.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Looks again and again until there is an answer.
#[track_caller]
pub fn wait_for<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    wait_within(PATIENCE, what, look)
}

/// The same for what takes other programs longer.
#[track_caller]
pub fn wait_within<T>(patience: Duration, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "{what}: not within {patience:?}");
        pause();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "between two looks; there is nothing to be woken by"
)]
fn pause() {
    std::thread::sleep(Duration::from_millis(2));
}

/// Waits until a process has ended, and says how long that took.
#[track_caller]
pub fn wait_for_end(child: &mut Child) -> (ExitStatus, Duration) {
    let since = Instant::now();
    let status = wait_for("the end of the process", || child.try_wait().unwrap());
    (status, since.elapsed())
}
