//! The uses of names that were asked for last: who looks at the uses of a symbol then renames or deletes it.
//!
//! Kept by the text of a file, so that a file that has changed is looked into again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::NameUse;
use crate::outline::TextKey;

/// About 10 MB, if they are what most code has.
const MOST_USES: usize = 100_000;
/// Files without a use count too.
const MOST_TEXTS: usize = 4_000;

type KeptUses = (TextKey, String, Arc<[NameUse]>);

/// The last used first.
#[derive(Debug, Default)]
pub(super) struct RecentUses {
    kept: Mutex<VecDeque<KeptUses>>,
}

pub(super) static RECENT: RecentUses = RecentUses {
    kept: Mutex::new(VecDeque::new()),
};

impl RecentUses {
    pub(super) fn get(&self, key: TextKey, name: &str) -> Option<Arc<[NameUse]>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |(text, of, _): &KeptUses| *text == key && of == name;
        let found = kept.iter().position(is_it)?;
        let found = kept.remove(found)?;
        let uses = Arc::clone(&found.2);
        kept.push_front(found);
        Some(uses)
    }

    pub(super) fn put(&self, key: TextKey, name: &str, uses: &Arc<[NameUse]>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_front((key, name.to_owned(), Arc::clone(uses)));
        kept.truncate(MOST_TEXTS);
        let mut n_uses = 0;
        let is_kept = |(_, _, uses): &&KeptUses| {
            n_uses += uses.len();
            n_uses <= MOST_USES
        };
        let n_kept = kept.iter().take_while(is_kept).count();
        kept.truncate(n_kept);
    }
}
