//! The same work on many files at once, on threads that keep their parsers from file to file.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::parse::Parsers;

/// More threads would take the machine from the person who works on it.
const MOST_THREADS: usize = 4;
/// Fewer files are done before a thread has started.
const FILES_A_THREAD: usize = 8;

/// What `work` makes of each item, in their order.
pub(crate) fn map<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&mut Parsers, &T) -> R + Sync,
) -> Vec<R> {
    let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
    let n_threads = n_cores
        .min(MOST_THREADS)
        .min(items.len().div_ceil(FILES_A_THREAD));
    let next = AtomicUsize::new(0);
    // One thread's part: takes items until there are none left.
    let share = || {
        let mut parsers = Parsers::default();
        let mut done = Vec::new();
        loop {
            let item_idx = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(item_idx) else {
                return done;
            };
            done.push((item_idx, work(&mut parsers, item)));
        }
    };
    let mut done = std::thread::scope(|scope| {
        let start = |_| {
            let thread = std::thread::Builder::new().name("symbols-parse".to_owned());
            // With fewer threads it takes longer, that is all.
            thread.spawn_scoped(scope, share).ok()
        };
        let threads: Vec<_> = (1..n_threads).filter_map(start).collect();
        let mut done = share();
        for thread in threads {
            match thread.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(item_idx, _)| *item_idx);
    done.into_iter().map(|(_, result)| result).collect()
}
