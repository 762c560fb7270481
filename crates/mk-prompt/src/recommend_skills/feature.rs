//! What the trained model sees of a prompt, as hashes: pieces of words, words, pairs of words, shapes of tokens; and the concepts that the words stand for.
//!
//! Training and inference both call this, so they cannot see different things. Every occurrence counts.

use std::ops::RangeInclusive;

use super::shape::shape_features;
use crate::text::{Concept, ConceptReading, Hash, Script, Vocabulary};

/// Letters of the shortest and longest piece of an alphabetic word; its edges count as letters.
const PIECE: RangeInclusive<usize> = 3..=4;
/// Syllables of a piece of a Korean word, and signs of a piece of Chinese or Japanese.
const SHORT_PIECE: RangeInclusive<usize> = 1..=3;
const EDGE: char = '\u{2}';
/// Keep the kinds apart.
const PIECE_SEED: u64 = 1;
const WORD_SEED: u64 = 2;
const PAIR_SEED: u64 = 3;
const CONCEPT_SEED: u64 = 4;
const CONCEPT_PAIR_SEED: u64 = 5;
const CONCEPT_COUNT_SEED: u64 = 6;
/// Concepts that are paired with each other: in a long text they no longer belong together.
const MOST_PAIRED: usize = 12;

/// The features of a prompt. The two kinds are weighed apart: wording belongs to one language, concepts to all.
#[derive(Debug, Default)]
pub struct Features {
    pub wording: Vec<u64>,
    pub concepts: Vec<u64>,
}

impl Features {
    /// The features of a prompt.
    pub fn of(prompt: &str, vocabulary: &Vocabulary<'_>) -> Self {
        Self::of_reading(&vocabulary.read_prompt(prompt), vocabulary)
    }

    pub(super) fn of_reading(reading: &ConceptReading<'_>, vocabulary: &Vocabulary<'_>) -> Self {
        let concepts = reading.concepts.iter().map(|hit| hit.id).collect();
        Self {
            wording: wording(reading),
            concepts: concept_features(concepts, vocabulary),
        }
    }

    /// The features of a prompt of which only the concepts are known; `None` when one is not in the vocabulary.
    pub fn of_concepts(names: &[&str], vocabulary: &Vocabulary<'_>) -> Option<Self> {
        let concepts: Option<Vec<Concept>> =
            names.iter().map(|name| vocabulary.concept(name)).collect();
        Some(Self {
            wording: Vec::new(),
            concepts: concept_features(concepts?, vocabulary),
        })
    }
}

/// The feature that stands for a whole word.
pub(super) fn word_feature(word: Hash) -> Hash {
    Hash::EMPTY.with(WORD_SEED).with(word.0)
}

/// The feature that stands for a concept.
pub(super) fn concept_feature(concept: Concept) -> Hash {
    Hash::EMPTY.with(CONCEPT_SEED).with(u64::from(concept))
}

fn wording(reading: &ConceptReading<'_>) -> Vec<u64> {
    let text = &reading.text;
    let mut features = Vec::with_capacity(text.units.len() * 12);
    let mut letters = Vec::with_capacity(64);
    let mut before: Option<Hash> = None;
    let spaced = |script| matches!(script, Script::Alphabet | Script::Hangul);
    for (at, unit) in text.units.iter().enumerate() {
        if unit.opens {
            before = None;
        }
        if spaced(unit.script) {
            if !reading.counts(at) {
                before = None;
                continue;
            }
            letters.clear();
            letters.push(EDGE);
            letters.extend(text.normal(unit).chars());
            letters.push(EDGE);
            let lengths = if unit.script == Script::Alphabet {
                PIECE
            } else {
                SHORT_PIECE
            };
            pieces(&letters, &lengths, &mut features);
            letters.clear();
            let word = word_feature(unit.hash);
            features.push(word.0);
            if let Some(before) = before {
                features.push(before.with(PAIR_SEED).with(unit.hash.0).0);
            }
            before = Some(word);
        } else {
            if reading.counts(at) {
                letters.extend(text.normal(unit).chars());
            }
            let runs_on = text
                .units
                .get(at + 1)
                .is_some_and(|next| next.glued && !spaced(next.script) && reading.counts(at));
            if !runs_on {
                pieces(&letters, &SHORT_PIECE, &mut features);
                letters.clear();
            }
            before = None;
        }
    }
    shape_features(text.source(), &mut features);
    features
}

fn pieces(letters: &[char], lengths: &RangeInclusive<usize>, features: &mut Vec<u64>) {
    for start in 0..letters.len() {
        let mut hash = Hash::EMPTY.with(PIECE_SEED);
        for (at, sign) in letters.iter().skip(start).take(*lengths.end()).enumerate() {
            hash = hash.with_char(*sign);
            if at + 1 >= *lengths.start() && (at > 0 || *sign != EDGE) {
                features.push(hash.0);
            }
        }
    }
}

fn concept_features(mut concepts: Vec<Concept>, vocabulary: &Vocabulary<'_>) -> Vec<u64> {
    concepts.sort_unstable();
    concepts.dedup();
    let mut features = Vec::with_capacity(concepts.len() * 6);
    for (at, concept) in concepts.iter().enumerate() {
        let single = concept_feature(*concept);
        features.push(single.0);
        for other in concepts.iter().take(MOST_PAIRED).skip(at + 1) {
            let pair = single.with(CONCEPT_PAIR_SEED).with(u64::from(*other));
            features.push(pair.0);
        }
    }
    // How much of a prompt is about the trade, and how much about other things, says more than either.
    let asides = concepts
        .iter()
        .filter(|concept| vocabulary.is_aside(**concept))
        .count();
    let trade = concepts.len() - asides;
    let small = |count: usize| u64::try_from(count.min(3)).unwrap_or(3);
    let count = Hash::EMPTY.with(CONCEPT_COUNT_SEED).with(small(asides));
    features.push(count.0);
    features.push(count.with(small(trade)).0);
    features
}
