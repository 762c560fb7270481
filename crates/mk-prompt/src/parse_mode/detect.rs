//! The keyword that opens a prompt, and the prompt that remains.
//!
//! Only the first word counts, and only as a whole: PLANNING is no PLAN, and neither "auto complete" nor `plan.md` is a
//! keyword.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;
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

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct KeywordFile {
    plan: Phrases,
    act: Phrases,
    eval: Phrases,
    auto: Phrases,
    /// Words of everyday work that begin like a keyword.
    ordinary: Phrases,
    /// Third words that make `auto` and the second a thing.
    things: Phrases,
}

#[derive(Debug)]
struct DetectTable {
    modes: HashMap<String, KeywordMode>,
    ordinary: HashSet<String>,
    things: HashSet<String>,
}

static TABLE: LazyLock<DetectTable> = LazyLock::new(|| {
    let file: KeywordFile = embedded(include_str!(concat!(env!("OUT_DIR"), "/keywords.json")));
    let rows = [
        (KeywordMode::Plan, &file.plan),
        (KeywordMode::Act, &file.act),
        (KeywordMode::Eval, &file.eval),
        (KeywordMode::Auto, &file.auto),
    ];
    DetectTable {
        modes: rows
            .into_iter()
            .flat_map(|(mode, words)| words.iter().map(move |(_, word)| (fold(word), mode)))
            .collect(),
        ordinary: file
            .ordinary
            .iter()
            .map(|(_, phrase)| phrase.split(' ').map(fold).collect::<Vec<_>>().join(" "))
            .collect(),
        things: file.things.iter().map(|(_, word)| fold(word)).collect(),
    }
});

/// What a prompt's first word says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DetectedKeyword<'a> {
    pub(super) mode: KeywordMode,
    pub(super) rest: &'a str,
    pub(super) warning: Option<&'static str>,
}

pub(super) fn detect(prompt: &str) -> DetectedKeyword<'_> {
    let prompt = trim(cut(prompt));
    match open(prompt) {
        None => DetectedKeyword {
            mode: KeywordMode::Plan,
            rest: prompt,
            warning: Some(NO_KEYWORD),
        },
        Some((mode, rest)) => DetectedKeyword {
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

/// The mode that the first word names, and what comes after it and one separator.
///
/// The word may be dressed up: `**ACT** fix`, `/act fix`, `[ACT] fix`, `ACT, fix`.
fn open(prompt: &str) -> Option<(KeywordMode, &str)> {
    let bare = prompt.trim_start_matches(is_dress);
    let dress = prompt.len() - bare.len();
    let end = bare
        .find(|sign: char| !(sign.is_alphanumeric() || is_combining_mark(sign)))
        .unwrap_or(bare.len());
    let (word, behind) = bare.split_at(end);
    let mode = mode_of(word)?;
    let undressed = match dress {
        0 => behind,
        _ => behind.trim_start_matches(is_dress_end),
    };
    let rest = behind_separator(undressed)?;
    let shouted = word.chars().all(char::is_uppercase);
    // `eval` in backticks is code, unless it is shouted.
    let quoted = prompt.get(..dress).is_some_and(|dress| dress.contains('`'));
    let is_marked = dress > 0 || rest.separated || shouted;
    if !shouted && (quoted || !is_marked && is_ordinary(mode, bare)) {
        return None;
    }
    // `**ACT: fix it**` is closed at the end.
    let open_dress = prompt.get(..dress).unwrap_or_default();
    let is_closed = undressed.len() < behind.len() || rest.dressed_end;
    let text = if is_closed || open_dress.trim_matches('*').len() == open_dress.len() {
        rest.text
    } else {
        rest.text.strip_suffix(open_dress).unwrap_or(rest.text)
    };
    Some((mode, text.trim_end_matches(is_space)))
}

/// What stands behind a keyword.
struct KeywordContext<'a> {
    text: &'a str,
    /// A colon, comma or dash set it apart.
    separated: bool,
    /// The dress of the keyword was closed behind the separator: `**ACT:** fix`.
    dressed_end: bool,
}

/// `None` where the word goes on, as in `plan.md` and `eval()`.
fn behind_separator(behind: &str) -> Option<KeywordContext<'_>> {
    let spaced = behind.trim_start_matches(is_space);
    let has_space = spaced.len() < behind.len() || behind.is_empty();
    let mut signs = spaced.chars();
    let (separated, rest) = match signs.next() {
        Some(':' | '：' | ',' | '，' | '、' | ';' | '—' | '–') => (true, signs.as_str()),
        Some('-' | '.' | '>') if signs.as_str().is_empty() => (true, ""),
        Some('-' | '.' | '>') if signs.as_str().starts_with(is_space) => (true, signs.as_str()),
        _ if has_space => (false, spaced),
        _ => return None,
    };
    let undressed = if separated {
        rest.trim_start_matches(is_dress_end)
    } else {
        rest
    };
    Some(KeywordContext {
        text: undressed.trim_start_matches(is_space),
        separated,
        dressed_end: undressed.len() < rest.len(),
    })
}

/// Marks that people and editors put before a keyword.
fn is_dress(sign: char) -> bool {
    matches!(sign, '*' | '_' | '`' | '#' | '>' | '/' | '[' | '(' | '【') || is_space(sign)
}

fn is_dress_end(sign: char) -> bool {
    matches!(sign, '*' | '_' | '`' | ']' | ')' | '】')
}

/// Whether the prompt opens with a word that only begins like a keyword: "auto complete is broken".
fn is_ordinary(mode: KeywordMode, prompt: &str) -> bool {
    let words: Vec<String> = prompt.split_whitespace().take(3).map(fold).collect();
    let [first, second, rest @ ..] = words.as_slice() else {
        return false;
    };
    TABLE.ordinary.contains(&format!("{first} {second}"))
        || mode == KeywordMode::Auto
            && rest
                .first()
                .is_some_and(|third| TABLE.things.contains(third))
}

fn mode_of(word: &str) -> Option<KeywordMode> {
    (!word.is_empty() && word.len() <= LONGEST_KEYWORD)
        .then(|| TABLE.modes.get(&fold(word)).copied())
        .flatten()
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
