//! How long the evaluation of one call may take, in CPU time of its thread: a loaded machine refuses nothing more.
//!
//! What a call names is bounded before, by its length and its number of files; here it is what looking at them costs.

use std::cell::Cell;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

const MOST: Duration = Duration::from_millis(50);
/// How long only the clock on the wall is asked: reading it costs no system call, and no thread spends more than passes.
const UNCOUNTED: Duration = Duration::from_millis(5);

/// What one evaluation may still spend. It stays on the thread where it starts.
///
/// On a virtual machine, what the host takes away at once counts as the thread's time. So the limit is extended once: an
/// evaluation that needs too much has at most twice as long, and one that was interrupted goes on.
#[derive(Debug)]
pub(crate) struct CpuAllowance {
    begun: Instant,
    /// Known once it took longer than [`UNCOUNTED`].
    end: Cell<Option<Duration>>,
    is_extended: Cell<bool>,
}

impl CpuAllowance {
    pub(crate) fn start() -> Self {
        Self {
            begun: Instant::now(),
            end: Cell::new(None),
            is_extended: Cell::new(false),
        }
    }

    /// Takes a step of the evaluation, unless the time is over.
    pub(crate) fn permits<T>(&self, step: impl FnOnce() -> T) -> Option<T> {
        let is_left = self.begun.elapsed() < UNCOUNTED || self.is_left_at(spent_by_thread());
        is_left.then(step)
    }

    /// Whether time is left when the thread has spent so much, of which [`UNCOUNTED`] counts as spent here.
    pub(crate) fn is_left_at(&self, now: Duration) -> bool {
        let end = self.end.get().unwrap_or(now + MOST - UNCOUNTED);
        let end = match now < end || self.is_extended.replace(true) {
            true => end,
            false => now + MOST,
        };
        self.end.set(Some(end));
        now < end
    }
}

pub(crate) fn spent_by_thread() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    // The kernel counts from the thread's start: neither part is negative.
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(seconds, nanoseconds)
}
