//! The keyword that opens a prompt, and the prompt that remains.
//!
//! Only the first word counts, and only as a whole: PLANNING is no PLAN.

use std::collections::HashMap;
use std::sync::LazyLock;

use unicode_normalization::char::is_combining_mark;

use super::KeywordMode;
use super::phrases::{Phrases, embedded};
use crate::text::fold;

/// Longer prompts are cut, in units of UTF-16.
const MOST_UNITS: usize = 50_000;
/// No keyword is longer, in bytes, however it is composed; the first word of a prompt can be a whole log.
const LONGEST_KEYWORD: usize = 128;

pub(super) const NO_KEYWORD: &str = "No keyword found, defaulting to PLAN";
pub(super) const SEVERAL_KEYWORDS: &str = "Multiple keywords found, using first";
pub(super) const NO_CONTENT: &str = "No prompt content after keyword";

static KEYWORDS: LazyLock<HashMap<String, KeywordMode>> = LazyLock::new(|| {
    let file: HashMap<KeywordMode, Phrases> =
        embedded(include_str!("../../../../content/playbook/keywords.yaml"));
    KeywordMode::ALL
        .into_iter()
        .filter_map(|mode| Some((mode, file.get(&mode)?)))
        .flat_map(|(mode, words)| words.iter().map(move |(_, word)| (fold(word), mode)))
        .collect()
});

/// What a prompt's first word says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Detected<'a> {
    pub(super) mode: KeywordMode,
    pub(super) rest: &'a str,
    pub(super) warning: Option<&'static str>,
}

pub(super) fn detect(prompt: &str) -> Detected<'_> {
    let prompt = trim(cut(prompt));
    match open(prompt) {
        None => Detected {
            mode: KeywordMode::Plan,
            rest: prompt,
            warning: Some(NO_KEYWORD),
        },
        Some((mode, rest)) => Detected {
            mode,
            rest,
            warning: if rest.is_empty() {
                Some(NO_CONTENT)
            } else {
                open(rest).map(|_| SEVERAL_KEYWORDS)
            },
        },
    }
}

/// The mode that the first word names, and what comes after it and one colon.
fn open(prompt: &str) -> Option<(KeywordMode, &str)> {
    let end = prompt
        .find(|sign: char| is_space(sign) || is_colon(sign))
        .unwrap_or(prompt.len());
    let (word, rest) = prompt.split_at(end);
    let mode = mode_of(word)?;
    let rest = rest.trim_start_matches(is_space);
    let rest = rest.strip_prefix(is_colon).unwrap_or(rest);
    Some((mode, rest.trim_start_matches(is_space)))
}

fn mode_of(word: &str) -> Option<KeywordMode> {
    let is_word = word.len() <= LONGEST_KEYWORD
        && word
            .chars()
            .all(|sign| sign.is_alphanumeric() || is_combining_mark(sign));
    is_word
        .then(|| KEYWORDS.get(&fold(word)).copied())
        .flatten()
}

fn is_colon(sign: char) -> bool {
    matches!(sign, ':' | '：')
}

/// A byte order mark counts as space: editors put one before a pasted prompt.
fn is_space(sign: char) -> bool {
    sign.is_whitespace() || sign == '\u{feff}'
}

fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

fn cut(prompt: &str) -> &str {
    if prompt.len() <= MOST_UNITS {
        return prompt;
    }
    let mut units = 0;
    let end = prompt.char_indices().find_map(|(at, sign)| {
        units += sign.len_utf16();
        (units > MOST_UNITS).then_some(at)
    });
    end.map_or(prompt, |end| prompt.split_at(end).0)
}
