//! Prompts as comparable units: words of alphabetic scripts, Korean words with their stems, single signs of Chinese and Japanese.
//!
//! A unit keeps its place in the prompt, so what matched can be shown as it was typed.
//! It knows no language: which script a sign belongs to is all it looks at.

mod han;
mod hangul;
mod hash;
mod inflect;
mod phrase;
mod vocabulary;

use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::{decompose_canonical, is_combining_mark};

pub(crate) use hash::{DIRECTORY_BYTES, Hash, HashTable};
pub use inflect::PhraseLanguage;
pub use phrase::PhraseRow;
pub(crate) use phrase::{PhraseHit, PhraseIndex};
pub(crate) use vocabulary::{Concept, ConceptReading};
pub use vocabulary::{ConceptKind, ConceptName, Vocabulary};

/// Characters read at the start and at the end of a prompt: who pastes a log says before or after it what to do.
const MOST_AT_START: usize = 1500;
const MOST_AT_END: usize = 500;

/// How a unit is written, which decides where it may begin and end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Script {
    /// Latin, Cyrillic, Greek, digits: words stand between other signs.
    Alphabet,
    /// Words stand between spaces, but carry particles and endings.
    Hangul,
    Katakana,
    /// Chinese signs and hiragana: nothing marks a word.
    Ideograph,
}

/// One comparable piece of a text.
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are told apart by what comes before a unit, and any may go with any"
)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextUnit {
    /// Where it stands in the source, in bytes.
    pub(crate) source: Range<usize>,
    /// Its letters in [`Text::normal`], in bytes.
    normal: Range<usize>,
    pub(crate) script: Script,
    /// Nothing but a mark of punctuation or the start of the text is before it.
    pub(crate) opens: bool,
    /// Follows the unit before without a space.
    pub(crate) glued: bool,
    /// Inside a katakana word, where no phrase begins or ends: フォーム is no part of プラットフォーム.
    pub(crate) inside: bool,
    /// Of what it is compared by: the word, or the stem of a Korean one.
    pub(crate) hash: Hash,
}

/// A text and its units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PromptText<'a> {
    source: &'a str,
    normal: String,
    pub(crate) units: Vec<TextUnit>,
}

impl<'a> PromptText<'a> {
    /// Reads a text of any length in bounded time: its start and its end.
    pub(crate) fn of(source: &'a str) -> Self {
        let mut text = Self {
            source,
            normal: String::with_capacity(source.len().min(4 * (MOST_AT_START + MOST_AT_END))),
            units: Vec::with_capacity(source.len().min(1024) / 4),
        };
        let head = end_of_chars(source, MOST_AT_START);
        let (start, rest) = source.split_at(head);
        let tail = head + start_of_last_chars(rest, MOST_AT_END);
        text.read(0, start);
        if let Some(end) = source.get(tail..) {
            text.read(tail, end);
        }
        text
    }

    pub(crate) fn source(&self) -> &'a str {
        self.source
    }

    /// The normalised letters of a unit.
    pub(crate) fn normal(&self, unit: &TextUnit) -> &str {
        self.normal.get(unit.normal.clone()).unwrap_or_default()
    }

    /// What was typed from the first unit to the last.
    pub(crate) fn typed(&self, units: Range<usize>) -> &'a str {
        let span = self.units.get(units).unwrap_or_default();
        match (span.first(), span.last()) {
            (Some(first), Some(last)) => self
                .source
                .get(first.source.start..last.source.end)
                .unwrap_or_default(),
            _ => "",
        }
    }

    fn read(&mut self, offset: usize, part: &str) {
        let mut opens = true;
        let mut glued = false;
        let mut rest = part.char_indices().peekable();
        while let Some((start, sign)) = rest.next() {
            let Some(script) = script_of(sign) else {
                opens |= breaks(sign, rest.peek().map(|(_, next)| *next));
                glued = false;
                continue;
            };
            let mut end = start + sign.len_utf8();
            let mut letters = 1;
            while let Some(&(at, next)) = rest.peek() {
                let joins = is_mark(next)
                    || match script {
                        Script::Alphabet | Script::Hangul => script_of(next) == Some(script),
                        Script::Katakana | Script::Ideograph => false,
                    }
                    || (script == Script::Alphabet
                        && apostrophe_joins(next, letters, part.get(at..)));
                if !joins {
                    break;
                }
                letters += 1;
                end = at + next.len_utf8();
                rest.next();
            }
            let typed = part.get(start..end).unwrap_or_default();
            let normal = self.normal.len();
            normalise(typed, script, &mut self.normal);
            let normal = normal..self.normal.len();
            let letters = self.normal.get(normal.clone()).unwrap_or_default();
            let compared = match script {
                Script::Hangul => hangul::stem(letters),
                Script::Alphabet | Script::Katakana | Script::Ideograph => letters,
            };
            // A particle behind a foreign word ("PR을") says nothing, and would part "PR 리뷰".
            if script == Script::Hangul && glued && hangul::is_ending(letters) {
                continue;
            }
            let katakana = |unit: &TextUnit| unit.script == Script::Katakana;
            let inside =
                glued && script == Script::Katakana && self.units.last().is_some_and(katakana);
            self.units.push(TextUnit {
                source: offset + start..offset + end,
                hash: Hash::of(compared),
                normal,
                script,
                opens,
                glued,
                inside,
            });
            opens = false;
            glued = true;
        }
    }
}

/// The letters of one word, comparable: compatibility forms unified, lower case, Latin letters without accents.
pub(crate) fn fold(word: &str) -> String {
    let mut folded = String::with_capacity(word.len());
    normalise(word, Script::Alphabet, &mut folded);
    folded
}

fn normalise(typed: &str, script: Script, normal: &mut String) {
    if typed.is_ascii() {
        normal.extend(
            typed
                .chars()
                .filter(char::is_ascii_alphanumeric)
                .map(|sign| sign.to_ascii_lowercase()),
        );
        return;
    }
    for sign in typed.nfkc().flat_map(char::to_lowercase) {
        match (script, sign) {
            (Script::Alphabet, '\'' | '’') => {}
            (Script::Alphabet, 'ß') => normal.push_str("ss"),
            (Script::Alphabet, 'ё') => normal.push('е'),
            // Only Latin letters: й without its breve would be another letter.
            (Script::Alphabet, 'à'..='ỿ') if !('Ͱ'..='ᶿ').contains(&sign) => {
                decompose_canonical(sign, |part| {
                    if !is_combining_mark(part) {
                        normal.push(part);
                    }
                });
            }
            (Script::Ideograph, _) => normal.push(han::simplified(sign)),
            _ => normal.push(sign),
        }
    }
}

fn script_of(sign: char) -> Option<Script> {
    if sign.is_ascii() {
        return sign.is_ascii_alphanumeric().then_some(Script::Alphabet);
    }
    match sign {
        '\u{30fb}' | '\u{ff65}' => None,
        '\u{30a0}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9d}' => {
            Some(Script::Katakana)
        }
        '\u{3005}'..='\u{3007}'
        | '\u{3041}'..='\u{309f}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3134f}' => Some(Script::Ideograph),
        '\u{1100}'..='\u{11ff}'
        | '\u{3131}'..='\u{318e}'
        | '\u{a960}'..='\u{a97c}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{d7b0}'..='\u{d7fb}' => Some(Script::Hangul),
        _ => sign.is_alphanumeric().then_some(Script::Alphabet),
    }
}

/// Signs that belong to the letter before: accents typed apart, voicing marks of half-width katakana.
fn is_mark(sign: char) -> bool {
    !sign.is_ascii() && (is_combining_mark(sign) || matches!(sign, '\u{ff9e}' | '\u{ff9f}'))
}

/// "doesn't" is one word, "l'erreur" is two.
fn apostrophe_joins(sign: char, letters_before: usize, rest: Option<&str>) -> bool {
    matches!(sign, '\'' | '’')
        && letters_before > 2
        && rest
            .and_then(|rest| rest.chars().nth(1))
            .is_some_and(char::is_alphabetic)
}

/// Whether a sign ends a clause; phrases do not reach across.
fn breaks(sign: char, next: Option<char>) -> bool {
    match sign {
        // As in `README.md` and `v2.0`.
        '.' | ':' => next.is_none_or(char::is_whitespace),
        ',' | ';' | '!' | '?' | '\n' | '(' | ')' | '[' | ']' | '{' | '}' | '"' | '`' => true,
        '。' | '、' | '，' | '；' | '：' | '！' | '？' | '…' | '—' | '–' | '«' | '»' | '“'
        | '”' | '„' | '「' | '」' | '『' | '』' | '（' | '）' | '¿' | '¡' => true,
        _ => false,
    }
}

fn end_of_chars(text: &str, count: usize) -> usize {
    text.char_indices()
        .nth(count)
        .map_or(text.len(), |(at, _)| at)
}

fn start_of_last_chars(text: &str, count: usize) -> usize {
    text.char_indices()
        .nth_back(count)
        .map_or(0, |(at, sign)| at + sign.len_utf8())
}
