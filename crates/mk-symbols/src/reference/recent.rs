//! The uses of names that were asked for last: who looks at the uses of a symbol then renames or deletes it.
//!
//! Kept by the text of a file, so that a file that has changed is looked into again.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use mk_types::lock;

use super::NameUse;
use crate::outline::TextKey;

/// About 10 MB, if they are what most code has.
const MOST_USES: usize = 100_000;
/// Files without a use count too, and each is looked into: fewer than a project has would never be of use. About 5 MB.
const MOST_TEXTS: usize = 40_000;

#[derive(Debug, Default)]
pub(super) struct RecentUses {
    kept: Mutex<UsesByText>,
}

#[derive(Debug, Default)]
struct UsesByText {
    by_text: HashMap<(TextKey, String), KeptUses>,
    n_uses: usize,
    /// Counts what is asked for.
    now: u64,
}

#[derive(Debug)]
struct KeptUses {
    uses: Arc<[NameUse]>,
    /// When it was asked for last.
    used: u64,
}

pub(super) static RECENT: LazyLock<RecentUses> = LazyLock::new(RecentUses::default);

impl RecentUses {
    pub(super) fn get(&self, key: TextKey, name: &str) -> Option<Arc<[NameUse]>> {
        let mut kept = lock(&self.kept);
        kept.now += 1;
        let now = kept.now;
        let found = kept.by_text.get_mut(&(key, name.to_owned()))?;
        found.used = now;
        Some(Arc::clone(&found.uses))
    }

    pub(super) fn put(&self, key: TextKey, name: &str, uses: &Arc<[NameUse]>) {
        let mut kept = lock(&self.kept);
        kept.now += 1;
        let new = KeptUses {
            uses: Arc::clone(uses),
            used: kept.now,
        };
        kept.n_uses += uses.len();
        if let Some(old) = kept.by_text.insert((key, name.to_owned()), new) {
            kept.n_uses -= old.uses.len();
        }
        while kept.by_text.len() > MOST_TEXTS || kept.n_uses > MOST_USES {
            kept.forget_quarter();
        }
    }
}

impl UsesByText {
    /// Forgets those that were asked for longest ago: many at once, so that it is seldom done.
    fn forget_quarter(&mut self) {
        let mut used: Vec<u64> = self.by_text.values().map(|it| it.used).collect();
        let quarter = used.len() / 4;
        let (_, last, _) = used.select_nth_unstable(quarter);
        let last = *last;
        self.by_text.retain(|_, it| it.used > last);
        self.n_uses = self.by_text.values().map(|it| it.uses.len()).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    #[test]
    fn all_files_of_a_large_project_are_kept_and_no_more_than_fit() {
        let recent = RecentUses::default();
        let language = Language::of_file("a.rs", "").unwrap();
        let key = |number: usize| TextKey::of(language, &number.to_string());
        let none: Arc<[NameUse]> = Arc::from(Vec::new());
        for number in 0..MOST_TEXTS {
            recent.put(key(number), "name", &none);
        }
        assert!((0..MOST_TEXTS).all(|number| recent.get(key(number), "name").is_some()));
        assert!(recent.get(key(0), "other").is_none());
        recent.put(key(MOST_TEXTS), "name", &none);
        // Number 0 was asked for longest ago.
        assert!(recent.get(key(0), "name").is_none());
        assert!(recent.get(key(MOST_TEXTS), "name").is_some());
        assert!(recent.kept.lock().unwrap().by_text.len() <= MOST_TEXTS);
    }
}
