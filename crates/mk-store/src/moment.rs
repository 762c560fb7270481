//! One moment of one thread: what is read in it asks once whether anyone has committed, not for each answer.
//!
//! A decision takes several answers that a server remembers. None is older than the first question of the moment; where
//! another thread asks again meanwhile, a later one may be newer than the first. The next decision asks again.

use std::cell::Cell;

use crate::recent::LogState;
use crate::writer::SharedStore;

thread_local! {
    static MOMENT: Cell<Moment> = const { Cell::new(Moment::Over) };
}

#[derive(Debug, Clone, Copy)]
enum Moment {
    /// Every read asks for itself.
    Over,
    Begun,
    /// What the log of the store at this address said when it was first asked.
    Known(usize, LogState),
}

/// Ends the moment even if what is done in it panics.
struct Ending;

impl Drop for Ending {
    fn drop(&mut self) {
        MOMENT.set(Moment::Over);
    }
}

/// Has a decision ask once whether anyone has committed: no answer that `look` reads on this thread is older than its first
/// question. What it writes itself it may not see before the moment is over.
pub fn in_one_moment<T>(look: impl FnOnce() -> T) -> T {
    if !matches!(MOMENT.get(), Moment::Over) {
        return look();
    }
    MOMENT.set(Moment::Begun);
    let _ending = Ending;
    look()
}

/// What the log said in this moment, if it was asked.
pub(crate) fn known(store: &SharedStore) -> Option<LogState> {
    match MOMENT.get() {
        Moment::Known(address, state) if address == address_of(store) => Some(state),
        _ => None,
    }
}

/// The log was asked.
pub(crate) fn note(store: &SharedStore, state: LogState) {
    if !matches!(MOMENT.get(), Moment::Over) {
        MOMENT.set(Moment::Known(address_of(store), state));
    }
}

fn address_of(store: &SharedStore) -> usize {
    std::ptr::from_ref(store).addr()
}
