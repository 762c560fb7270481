//! The steps that a prompt asks for one after the other: "explain it, then refactor it".
//!
//! Only words that put steps in order part a sentence; what each step asks for is decided elsewhere.

use std::sync::LazyLock;

use crate::parse_mode::phrases::{Phrases, embedded};
use crate::text::{PhraseIndex, PromptText};

/// More steps than a prompt is worth cutting into.
const MOST: usize = 4;

static ORDER: LazyLock<PhraseIndex<'static>> = LazyLock::new(|| {
    let words: Phrases = embedded(include_str!(concat!(env!("OUT_DIR"), "/order.json")));
    PhraseIndex::new(words.rows(0, 1))
});

/// The steps of a text in their order; empty where there is only one.
pub(crate) fn clauses(source: &str) -> Vec<&str> {
    let text = PromptText::of(source);
    let mut clauses: Vec<&str> = Vec::new();
    let mut start = 0;
    for hit in ORDER.find(&text) {
        let Some(units) = text.units.get(hit.units.clone()) else {
            continue;
        };
        let (Some(first), Some(last)) = (units.first(), units.last()) else {
            continue;
        };
        if let Some(clause) = source.get(start..first.source.start) {
            clauses.push(clause);
        }
        start = last.source.end;
    }
    clauses.extend(source.get(start..));
    clauses.retain(|clause| clause.chars().filter(|sign| sign.is_alphanumeric()).count() > 1);
    clauses.truncate(MOST);
    if clauses.len() < 2 {
        clauses.clear();
    }
    clauses
}
