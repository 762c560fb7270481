//! Answering about a name before the index is whole: the files that hold a trace of it are read first.
//!
//! Looking for a trace costs a fraction of parsing, so that the first question is answered completely and soon. The rest
//! of the index waits meanwhile.

use std::fs::File;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mk_project::read_sized;
use mk_types::{ProjectPath, lock, read_lock};

use super::listing::IndexableFiles;
use super::refresh::pause;
use super::store::IndexStamp;
use super::{IndexState, IndexingProgress, SharedIndex, SymbolIndex};
use crate::find::Humps;
use crate::parallel;
use crate::parse::LARGEST;

/// Shorter words are in nearly every file.
const SHORTEST_WORD: usize = 3;
/// How long is waited until it is certain that a name is not there. The largest project that was tried, with 100,000
/// files, takes longer; its answer says that it is not complete.
const CERTAINTY: Duration = Duration::from_secs(10);

/// What a file holds that has something to say about a name.
#[derive(Debug)]
pub(crate) struct NameTrace {
    /// In whatever case, and as part of whatever word.
    pub(crate) lower: String,
    humps: Option<Humps>,
}

impl NameTrace {
    pub(crate) fn of_word(word: &str) -> Self {
        Self {
            lower: word.to_lowercase(),
            humps: None,
        }
    }

    /// Of names that a pattern fits, those that it abbreviates among them. Marks around it are not always written.
    pub(crate) fn of_pattern(pattern: &str) -> Self {
        let lower = pattern.to_lowercase();
        let is_mark = |letter: char| !letter.is_alphanumeric() && letter != '_';
        Self {
            humps: Humps::new(&lower),
            lower: lower.trim_matches(is_mark).to_owned(),
        }
    }

    /// Names of headings and keys have spaces in them, and no name has a line break.
    fn is_in(&self, text: &str) -> bool {
        let fits = |humps: &Humps| text.lines().any(|line| humps.fit(line));
        holds(text, &self.lower) || self.humps.as_ref().is_some_and(fits)
    }
}

impl SymbolIndex {
    /// Waits until everything is known about a word, or for long.
    pub(crate) fn know(&self, word: &str) -> IndexingProgress {
        let progress = self.progress();
        if self.complete_for(&[NameTrace::of_word(word)]) {
            let state = IndexState::Ready;
            return IndexingProgress { state, ..progress };
        }
        self.wait_for_certainty()
    }

    pub(crate) fn wait_for_certainty(&self) -> IndexingProgress {
        if self.progress().state == IndexState::Ready {
            return self.progress();
        }
        let progress = self.wait(CERTAINTY);
        // What was read first may have changed while the rest was.
        if progress.state == IndexState::Ready {
            self.sweep();
        }
        progress
    }

    /// Makes sure that every file is known that holds one of the traces; `false` if that cannot be done faster than
    /// waiting for the index.
    ///
    /// Does nothing when the index is whole already.
    pub(crate) fn complete_for(&self, traces: &[NameTrace]) -> bool {
        let is_long = |trace: &NameTrace| trace.lower.len() >= SHORTEST_WORD;
        // The cache takes the place of everything that was read before it.
        let is_listing = |state| state == IndexState::Listing;
        match self.wait_while(CERTAINTY, is_listing).state {
            IndexState::Ready => true,
            IndexState::Parsing if !traces.is_empty() && traces.iter().all(is_long) => {
                self.shared.read_all_with(traces)
            }
            IndexState::Listing | IndexState::Parsing | IndexState::Stopped => false,
        }
    }
}

impl SharedIndex {
    fn read_all_with(&self, traces: &[NameTrace]) -> bool {
        let _first = lock(&self.asked);
        let Some(unknown) = self.unknown() else {
            return false;
        };
        let reader = self.reader(usize::MAX);
        parallel::map(&unknown, |parsers, (path, stamp)| {
            if self.cancel.load(Ordering::Relaxed) || !self.may_hold(path, *stamp, traces) {
                return;
            }
            self.read_one(&reader, parsers, path, *stamp);
        });
        !self.cancel.load(Ordering::Relaxed)
    }

    /// The files that have not been read yet as they are now. What the cache knows of files that are gone is forgotten.
    fn unknown(&self) -> Option<Vec<(ProjectPath, IndexStamp)>> {
        let mut listing = lock(&self.listing);
        let is_fresh = |listing: &IndexableFiles| {
            let pause = pause(listing.files.len());
            listing.made.elapsed() <= pause && lock(&self.pending).is_empty()
        };
        if !listing.as_ref().is_some_and(is_fresh) {
            *listing = Some(IndexableFiles::new(self.stamped()?));
        }
        let files = &listing.as_ref()?.files;
        let store = read_lock(&self.store);
        let is_listed = |path: &ProjectPath| {
            let found = files.binary_search_by(|(other, _)| other.cmp(path));
            found.is_ok()
        };
        let unlisted = store.files.keys().filter(|path| !is_listed(path));
        let gone: Vec<ProjectPath> = unlisted
            .filter(|path| self.stamp(path).is_none())
            .cloned()
            .collect();
        let is_unknown = |(path, stamp): &&(ProjectPath, IndexStamp)| {
            let entry = store.files.get(path);
            stamp.size <= LARGEST && entry.is_none_or(|entry| entry.stamp != *stamp)
        };
        let unknown = files.iter().filter(is_unknown).cloned().collect();
        drop(store);
        self.remove(gone.into_iter());
        Some(unknown)
    }

    /// Whether a file holds a trace; one that cannot be read holds nothing, and one that is not plain text may.
    fn may_hold(&self, path: &ProjectPath, stamp: IndexStamp, traces: &[NameTrace]) -> bool {
        let mut buffer = Vec::new();
        let file = File::open(path.under(self.root.root()));
        let bytes = file.and_then(|file| read_sized(&file, stamp.size, LARGEST, &mut buffer));
        match std::str::from_utf8(bytes.unwrap_or_default()) {
            Ok(text) => traces.iter().any(|trace| trace.is_in(text)),
            Err(_) => true,
        }
    }
}

/// Whether a text holds a word that is written in lower case, whatever the case there.
fn holds(text: &str, lower: &str) -> bool {
    if !lower.is_ascii() {
        return text.to_lowercase().contains(lower);
    }
    let (bytes, word) = (text.as_bytes(), lower.as_bytes());
    let Some(rarest) = (0..word.len()).max_by_key(|at| rarity(word[*at])) else {
        return true;
    };
    let letter = word[rarest];
    let places = memchr::memchr2_iter(letter, letter.to_ascii_uppercase(), bytes);
    let starts = places.filter_map(|at| at.checked_sub(rarest));
    let mut windows = starts.filter_map(|at| bytes.get(at..at + word.len()));
    windows.any(|window| window.eq_ignore_ascii_case(word))
}

/// How rare a letter is in code; what is not a letter comes between the two halves of the alphabet.
fn rarity(letter: u8) -> usize {
    const OFTEN_FIRST: &[u8] = b"etasrnoildcpufmg_hybvkwxjqz";
    let position = OFTEN_FIRST.iter().position(|one| *one == letter);
    position.unwrap_or(OFTEN_FIRST.len() / 2)
}

#[cfg(test)]
mod tests {
    use super::{NameTrace, holds};

    #[test]
    fn a_word_is_found_in_any_case() {
        assert!(holds("class QuerySet:", "queryset"));
        assert!(holds("QUERYSET", "queryset"));
        assert!(holds("ÄRGER", "ärger"));
        assert!(!holds("class Query", "queryset"));
        assert!(!holds("", "q"));
    }

    #[test]
    fn a_pattern_leaves_traces_where_names_begin_like_it() {
        let is_in = |pattern: &str, text: &str| NameTrace::of_pattern(pattern).is_in(text);
        assert!(is_in("JoinHandle", "fn a() {}\nfn join_the_handle() {}"));
        assert!(is_in("joha", "# Join a Handle"));
        assert!(is_in("#priv", "this.priv = 1"));
        assert!(!is_in("JoinHandle", "join\nhandle"));
        assert!(!is_in("JoinHandle", "handle_join()"));
    }
}
