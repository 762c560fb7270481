//! Answering about a name before the index is whole: the files that hold the word are read first.
//!
//! Looking for a word costs a fraction of parsing, so that the first question is answered completely and soon.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use mk_types::ProjectPath;

use super::store::Stamp;
use super::{Index, IndexState, Shared, read};
use crate::parallel;
use crate::parse::LARGEST;

/// Shorter words are in nearly every file.
const SHORTEST_WORD: usize = 3;

impl Index {
    /// Makes sure that every file is known that holds a word, in whatever case and as part of whatever word; `false`
    /// if that cannot be done faster than waiting for the index.
    ///
    /// Does nothing when the index is whole already.
    pub(crate) fn complete_for(&self, word: &str) -> bool {
        match self.progress().state {
            IndexState::Ready => true,
            IndexState::Listing | IndexState::Parsing if word.len() >= SHORTEST_WORD => {
                self.shared.read_all_with(word)
            }
            IndexState::Listing | IndexState::Parsing | IndexState::Stopped => false,
        }
    }
}

impl Shared {
    fn read_all_with(&self, word: &str) -> bool {
        let Some(found) = self.listed() else {
            return false;
        };
        let unknown: Vec<(ProjectPath, Stamp)> = {
            let store = self.store.read().unwrap_or_else(PoisonError::into_inner);
            let is_known = |path: &ProjectPath, stamp: Stamp| {
                let entry = store.files.get(path);
                entry.is_some_and(|entry| entry.stamp == stamp)
            };
            let paths = found.into_iter();
            let stamped = paths.filter_map(|path| Some((self.stamp(&path)?, path)));
            stamped
                .filter(|(stamp, path)| stamp.size <= LARGEST && !is_known(path, *stamp))
                .map(|(stamp, path)| (path, stamp))
                .collect()
        };
        let lower = word.to_lowercase();
        parallel::map(&unknown, |parsers, (path, stamp)| {
            if self.cancel.load(Ordering::Relaxed) || !self.may_hold(path, &lower) {
                return;
            }
            let reading = read::read(&self.root, path, *stamp, parsers, &self.cancel);
            if !self.cancel.load(Ordering::Relaxed) {
                let mut store = self.store.write().unwrap_or_else(PoisonError::into_inner);
                store.insert(path.clone(), *stamp, reading);
            }
        });
        !self.cancel.load(Ordering::Relaxed)
    }

    /// Whether a file holds a word; one that cannot be read holds nothing.
    fn may_hold(&self, path: &ProjectPath, lower: &str) -> bool {
        let bytes = std::fs::read(path.under(self.root.root())).unwrap_or_default();
        holds(&bytes, lower)
    }
}

/// Whether bytes hold a word that is written in lower case, whatever the case there.
fn holds(bytes: &[u8], lower: &str) -> bool {
    if !lower.is_ascii() {
        return String::from_utf8_lossy(bytes)
            .to_lowercase()
            .contains(lower);
    }
    let word = lower.as_bytes();
    let Some(first) = word.first().copied() else {
        return true;
    };
    let starts = memchr::memchr2_iter(first, first.to_ascii_uppercase(), bytes);
    let mut windows = starts.filter_map(|at| bytes.get(at..at + word.len()));
    windows.any(|window| window.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::holds;

    #[test]
    fn a_word_is_found_in_any_case() {
        assert!(holds(b"class QuerySet:", "queryset"));
        assert!(holds("ÄRGER".as_bytes(), "ärger"));
        assert!(!holds(b"class Query", "queryset"));
        assert!(!holds(b"", "q"));
    }
}
