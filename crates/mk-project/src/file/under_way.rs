//! Change sets that this process is applying right now, so that an orderly end can wait for them.

use std::sync::{Condvar, Mutex};
use std::time::Duration;

use mk_types::{lock, unpoisoned};

static UNDER_WAY: Mutex<usize> = Mutex::new(0);
static DONE: Condvar = Condvar::new();

/// Counts as long as it lives.
#[derive(Debug)]
pub(super) struct UnderWay(());

impl UnderWay {
    pub(super) fn begin() -> Self {
        *lock(&UNDER_WAY) += 1;
        Self(())
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut under_way = lock(&UNDER_WAY);
        *under_way = under_way.saturating_sub(1);
        DONE.notify_all();
    }
}

/// Waits until no change set is being applied, at most so long; tells whether none is. One that is cut off is finished
/// by the next process that changes the project.
pub fn wait_for_edits(longest: Duration) -> bool {
    let under_way = lock(&UNDER_WAY);
    let waited = DONE.wait_timeout_while(under_way, longest, |under_way| *under_way > 0);
    let (under_way, _) = unpoisoned(waited);
    *under_way == 0
}
