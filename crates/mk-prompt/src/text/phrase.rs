//! Phrases found in texts by whole words: longest match first, never by a part of another word.
//!
//! Words are hashed one after another; a phrase is a hash, and so is each of its beginnings, which ends most searches at the first word.
//! It does not know what a phrase stands for: that is the number it was given.

use std::borrow::Cow;
use std::ops::Range;

use super::hash::{DIRECTORY_BYTES, Hash, HashTable};
use super::inflect::{PhraseLanguage, forms};
use super::{PromptText, Script};

/// The longest phrase, in units; Chinese and Japanese ones count signs.
const LONGEST: usize = 16;
/// Bytes kept of a phrase's hash: enough that no two phrases are ever mixed up.
const HASH_BYTES: usize = 6;
/// A row that only says that longer phrases begin so.
const BEGINNING: u16 = u16::MAX;

/// A phrase to look for.
#[derive(Debug, Clone)]
pub struct PhraseRow<'a> {
    pub phrase: &'a str,
    pub language: PhraseLanguage,
    /// What it stands for.
    pub id: u16,
    pub weight: u8,
}

/// A phrase that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PhraseHit {
    pub(crate) id: u16,
    pub(crate) weight: u8,
    /// The units it covers.
    pub(crate) units: Range<usize>,
}

/// Phrases by their hashes.
#[derive(Debug, Clone)]
pub(crate) struct PhraseIndex<'a> {
    table: HashTable<'a, HASH_BYTES>,
    /// Id and weight of each hash.
    rows: Cow<'a, [[u8; 3]]>,
}

impl PhraseIndex<'static> {
    pub(crate) fn new<'p>(phrases: impl IntoIterator<Item = PhraseRow<'p>>) -> Self {
        let mut rows: Vec<(Hash, u16, u8)> = Vec::new();
        for PhraseRow {
            phrase,
            language,
            id,
            weight,
        } in phrases
        {
            let text = PromptText::of(phrase);
            if !searchable(&text) {
                continue;
            }
            let words: Vec<Hash> = text.units.iter().map(|unit| unit.hash).collect();
            add(&mut rows, Hash::EMPTY, &words, id, weight);
            let mut before = Hash::EMPTY;
            // One word at a time: phrases with two inflected words are rare, and their number would explode.
            for (at, unit) in text.units.iter().enumerate() {
                let after = words.get(at + 1..).unwrap_or_default();
                if unit.script == Script::Alphabet {
                    for form in forms(text.normal(unit), language) {
                        let hash = before.with(Hash::of(&form).0);
                        if after.is_empty() {
                            rows.push((hash, id, weight));
                        } else {
                            rows.push((hash, BEGINNING, 0));
                            add(&mut rows, hash, after, id, weight);
                        }
                    }
                }
                before = before.with(unit.hash.0);
            }
            // 코드 리뷰 is also written 코드리뷰.
            if text.units.len() > 1 && text.units.iter().all(|unit| unit.script == Script::Hangul) {
                let joined: String = text.units.iter().map(|unit| text.normal(unit)).collect();
                let joined = PromptText::of(&joined);
                let words: Vec<Hash> = joined.units.iter().map(|unit| unit.hash).collect();
                add(&mut rows, Hash::EMPTY, &words, id, weight);
            }
        }
        rows.sort_unstable_by_key(|(hash, id, weight)| (*hash, *id, u8::MAX - weight));
        rows.dedup_by_key(|(hash, id, _)| (*hash, *id));
        let hashes: Vec<Hash> = rows.iter().map(|(hash, _, _)| *hash).collect();
        let rows = rows
            .into_iter()
            .map(|(_, id, weight)| {
                let [low, high] = id.to_le_bytes();
                [low, high, weight]
            })
            .collect();
        Self {
            table: HashTable::from_sorted(&hashes),
            rows,
        }
    }
}

impl<'a> PhraseIndex<'a> {
    /// Reads an index where it lies: its size, then directory, hashes and rows.
    pub(crate) fn read(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (count, bytes) = bytes.split_first_chunk()?;
        let count = u32::from_le_bytes(*count) as usize;
        let (directory, bytes) = bytes.split_at_checked(DIRECTORY_BYTES)?;
        let (keys, bytes) = bytes.split_at_checked(count.checked_mul(HASH_BYTES)?)?;
        let (rows, bytes) = bytes.split_at_checked(count.checked_mul(3)?)?;
        let index = Self {
            table: HashTable::read(directory, keys)?,
            rows: Cow::Borrowed(rows.as_chunks().0),
        };
        Some((index, bytes))
    }

    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        let count = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        bytes.extend(count.to_le_bytes());
        let mut keys = Vec::new();
        self.table.write(bytes, &mut keys);
        bytes.append(&mut keys);
        bytes.extend(self.rows.iter().flatten());
    }

    /// The phrases in a text, from its start to its end. A phrase inside a longer one is not there: in "error message" no one reports an error.
    pub(crate) fn find(&self, text: &PromptText<'_>) -> Vec<PhraseHit> {
        let mut hits: Vec<PhraseHit> = Vec::new();
        let mut reached = 0;
        for start in 0..text.units.len() {
            let Some((end, rows)) = self.longest_from(text, start) else {
                continue;
            };
            if end <= reached {
                continue;
            }
            reached = end;
            for row in rows {
                let Some([low, high, weight]) = self.rows.get(row).copied() else {
                    continue;
                };
                let id = u16::from_le_bytes([low, high]);
                if id != BEGINNING {
                    hits.push(PhraseHit {
                        id,
                        weight,
                        units: start..end,
                    });
                }
            }
        }
        hits
    }

    /// Cuts katakana compounds of which every part is a phrase: ログインエラー is ログイン and エラー.
    pub(crate) fn cut_compounds(&self, text: &mut PromptText<'_>) {
        let mut start = 0;
        while start < text.units.len() {
            let length = text
                .units
                .iter()
                .skip(start + 1)
                .take_while(|unit| unit.inside)
                .count();
            let end = start + 1 + length;
            if length > 0 {
                for cut in self.cuts(text, start, end) {
                    if let Some(unit) = text.units.get_mut(cut) {
                        unit.inside = false;
                    }
                }
            }
            start = end;
        }
    }

    /// Where the parts of a compound begin, if it is made of phrases without a rest.
    fn cuts(&self, text: &PromptText<'_>, start: usize, end: usize) -> Vec<usize> {
        // For each place that phrases lead up to, where the last of them began.
        let mut came_from = vec![None; end - start + 1];
        for from in start..end {
            let reached = from == start || came_from.get(from - start).is_some_and(Option::is_some);
            if !reached {
                continue;
            }
            let mut hash = Hash::EMPTY;
            for (at, unit) in text
                .units
                .iter()
                .enumerate()
                .take(end)
                .skip(from)
                .take(LONGEST)
            {
                hash = hash.with(unit.hash.0);
                let mut rows = self.table.find(hash);
                if rows.is_empty() {
                    break;
                }
                if rows.any(|row| self.is_phrase(row))
                    && let Some(place) = came_from.get_mut(at + 1 - start)
                {
                    place.get_or_insert(from);
                }
            }
        }
        let mut cuts = Vec::new();
        let mut place = end;
        while let Some(from) = came_from.get(place - start).copied().flatten() {
            cuts.push(from);
            place = from;
        }
        if place == start { cuts } else { Vec::new() }
    }

    fn longest_from(&self, text: &PromptText<'_>, start: usize) -> Option<(usize, Range<usize>)> {
        let mut longest = None;
        let mut hash = Hash::EMPTY;
        for (at, unit) in text.units.iter().enumerate().skip(start).take(LONGEST) {
            if at > start && unit.opens {
                break;
            }
            hash = hash.with(unit.hash.0);
            let rows = self.table.find(hash);
            if rows.is_empty() {
                break;
            }
            let is_phrase = rows.clone().any(|row| self.is_phrase(row));
            if is_phrase && stands_alone(text, start, at) {
                longest = Some((at + 1, rows));
            }
        }
        longest
    }

    fn is_phrase(&self, row: usize) -> bool {
        self.rows
            .get(row)
            .is_some_and(|[low, high, _]| u16::from_le_bytes([*low, *high]) != BEGINNING)
    }
}

/// Adds what goes on from a beginning with some more words.
fn add(rows: &mut Vec<(Hash, u16, u8)>, beginning: Hash, words: &[Hash], id: u16, weight: u8) {
    let mut hash = beginning;
    for (at, word) in words.iter().enumerate() {
        hash = hash.with(word.0);
        if at + 1 < words.len() {
            rows.push((hash, BEGINNING, 0));
        }
    }
    rows.push((hash, id, weight));
}

/// One Chinese sign is part of too many words.
fn searchable(text: &PromptText<'_>) -> bool {
    match text.units.as_slice() {
        [] => false,
        [unit] => matches!(unit.script, Script::Alphabet | Script::Hangul),
        units => units.len() <= LONGEST,
    }
}

/// Whether a phrase may begin and end where it does.
fn stands_alone(text: &PromptText<'_>, first: usize, last: usize) -> bool {
    let inside = |at: usize| text.units.get(at).is_some_and(|unit| unit.inside);
    !inside(first) && !inside(last + 1)
}
