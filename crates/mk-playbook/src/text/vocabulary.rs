//! Concepts of the trade and of everyday life, in nine languages: what 에러, エラー and Fehler have in common.
//!
//! The words are content (`content/playbook/vocabulary/*.yaml`), baked by `cargo xtask train`. What follows from a concept is decided elsewhere.

use super::Text;
use super::phrase::{Hit, PhraseIndex, PhraseRow};

const MAGIC: &[u8; 8] = b"mkvocab1";

/// The number of a concept: its place among the names in alphabetical order.
pub(crate) type Concept = u16;

/// Concepts and the phrases that stand for them.
#[derive(Debug)]
pub struct Vocabulary<'a> {
    source: &'a [u8; 32],
    names: Vec<&'a str>,
    phrases: PhraseIndex<'a>,
}

impl<'a> Vocabulary<'a> {
    /// The file's bytes; ids of phrases are places in `names`, which are in alphabetical order.
    pub fn encode<'p>(
        source: [u8; 32],
        names: &[&str],
        phrases: impl IntoIterator<Item = PhraseRow<'p>>,
    ) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(source);
        bytes.extend(u16::try_from(names.len()).unwrap_or(u16::MAX).to_le_bytes());
        for name in names {
            bytes.push(u8::try_from(name.len()).unwrap_or(u8::MAX));
            bytes.extend(name.bytes());
        }
        PhraseIndex::new(phrases).write(&mut bytes);
        bytes
    }

    /// Reads a vocabulary; `None` when the bytes are not one.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let bytes = bytes.strip_prefix(MAGIC)?;
        let (source, bytes) = bytes.split_first_chunk()?;
        let (count, mut bytes) = bytes.split_first_chunk()?;
        let mut names = Vec::new();
        for _ in 0..u16::from_le_bytes(*count) {
            let (&length, rest) = bytes.split_first()?;
            let (name, rest) = rest.split_at_checked(usize::from(length))?;
            names.push(std::str::from_utf8(name).ok()?);
            bytes = rest;
        }
        let (phrases, _) = PhraseIndex::read(bytes)?;
        Some(Self {
            source,
            names,
            phrases,
        })
    }

    /// What the vocabulary was baked from.
    pub fn source(&self) -> [u8; 32] {
        *self.source
    }

    pub(crate) fn concept(&self, name: &str) -> Option<Concept> {
        let at = self.names.binary_search(&name).ok()?;
        Concept::try_from(at).ok()
    }

    pub(crate) fn find(&self, text: &Text<'_>) -> Vec<Hit> {
        self.phrases.find(text)
    }
}
