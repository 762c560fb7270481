//! How long the evaluation of one call may take, in CPU time of its thread: a loaded machine refuses nothing more.
//!
//! What a call names is bounded before, by its length and its number of files; here it is what looking at them costs.

use std::cell::Cell;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

const MOST: Duration = Duration::from_millis(50);

/// What one evaluation may still spend. It stays on the thread where it starts.
///
/// On a virtual machine, what the host takes away at once counts as the thread's time. So the limit is extended once: an
/// evaluation that needs too much has at most twice as long, and one that was interrupted goes on.
#[derive(Debug)]
pub(crate) struct CpuAllowance {
    end: Cell<Duration>,
    is_extended: Cell<bool>,
}

impl CpuAllowance {
    pub(crate) fn start() -> Self {
        Self {
            end: Cell::new(spent_by_thread() + MOST),
            is_extended: Cell::new(false),
        }
    }

    /// Takes a step of the evaluation, unless the time is over.
    pub(crate) fn permits<T>(&self, step: impl FnOnce() -> T) -> Option<T> {
        self.is_left_at(spent_by_thread()).then(step)
    }

    pub(crate) fn is_left_at(&self, now: Duration) -> bool {
        if now >= self.end.get() && !self.is_extended.replace(true) {
            self.end.set(now + MOST);
        }
        now < self.end.get()
    }
}

pub(crate) fn spent_by_thread() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    // The kernel counts from the thread's start: neither part is negative.
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(seconds, nanoseconds)
}
