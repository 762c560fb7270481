//! The symbols of texts that were parsed last: an agent looks at a file, at its parts, and then changes it.

use std::collections::VecDeque;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{LazyLock, Mutex};

use mk_types::lock;

use crate::language::Language;
use crate::symbol::Symbol;

/// About 10 MB, if all of them are large.
const MOST_TEXTS: usize = 32;
const MOST_SYMBOLS: usize = 20_000;

/// Tells texts apart. Its hash has a seed of this process, so that nobody can write two texts with the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TextKey {
    language: &'static str,
    length: usize,
    hash: u64,
}

struct RecentOutlines {
    seed: RandomState,
    /// The last used first.
    texts: Mutex<VecDeque<(TextKey, Vec<Symbol>)>>,
}

static RECENT: LazyLock<RecentOutlines> = LazyLock::new(|| RecentOutlines {
    seed: RandomState::new(),
    texts: Mutex::default(),
});

impl TextKey {
    pub(crate) fn of(language: &Language, text: &str) -> Self {
        Self {
            language: language.name(),
            length: text.len(),
            hash: RECENT.seed.hash_one(text),
        }
    }
}

pub(super) fn get(key: &TextKey) -> Option<Vec<Symbol>> {
    let mut texts = lock(&RECENT.texts);
    let position = texts.iter().position(|(other, _)| other == key)?;
    let found = texts.remove(position)?;
    let symbols = found.1.clone();
    texts.push_front(found);
    Some(symbols)
}

pub(super) fn put(key: TextKey, symbols: &[Symbol]) {
    let mut texts = lock(&RECENT.texts);
    texts.push_front((key, symbols.to_vec()));
    texts.truncate(MOST_TEXTS);
    let mut n_symbols = 0;
    let n_kept = texts.iter().take_while(|(_, symbols)| {
        n_symbols += symbols.len();
        n_symbols <= MOST_SYMBOLS
    });
    let n_kept = n_kept.count().max(1);
    texts.truncate(n_kept);
}
