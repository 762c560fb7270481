//! How long the evaluation of one call may take, in CPU time of its thread: a loaded machine refuses nothing more.
//!
//! What a call names is bounded before, by its length and its number of files; here it is what looking at them costs.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

const MOST: Duration = Duration::from_millis(50);

/// What one evaluation may still spend. It stays on the thread where it starts.
#[derive(Debug)]
pub(crate) struct CpuAllowance {
    end: Duration,
}

impl CpuAllowance {
    pub(crate) fn start() -> Self {
        Self {
            end: spent_by_thread() + MOST,
        }
    }

    /// Takes a step of the evaluation, unless the time is over.
    pub(crate) fn permits<T>(&self, step: impl FnOnce() -> T) -> Option<T> {
        (spent_by_thread() < self.end).then(step)
    }
}

fn spent_by_thread() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    // The kernel counts from the thread's start: neither part is negative.
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(seconds, nanoseconds)
}
