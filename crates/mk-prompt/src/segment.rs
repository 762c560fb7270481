//! What a person says in a prompt, apart from what was pasted into it.
//!
//! Code, traces, logs, diffs, quotes and the fields of tickets are told by their lines. They say what kind of thing was
//! pasted, and their words count for nothing. What remains is spoken: the opening, the end, the sentences between.

mod clause;
mod code;
mod file;
mod foreign;
mod line;
mod ticket;

use std::ops::Range;

pub(crate) use clause::clauses;
pub(crate) use file::mentioned_files;
use file::pasted_files;
pub(crate) use foreign::is_foreign;
use line::{LineKind, SegmentLines};

/// A shorter prompt without a paste is one thing to say, however many lines it has.
const SHORT: usize = 320;
/// A longer opening is a text, of which the first sentences ask.
const LONGEST_OPENING: usize = 280;
/// Sentences between the opening and the end that are looked at.
const MOST_BETWEEN: usize = 12;
/// Files that are taken from what was pasted: the innermost frames are the first or the last ones.
const MOST_PASTED_FILES: usize = 4;
/// What is read of a prompt, in bytes: who pastes a log says before or after it what to do.
const MOST_AT_START: usize = 12 * 1024;
const MOST_AT_END: usize = 4 * 1024;

/// What was pasted.
#[expect(
    clippy::struct_excessive_bools,
    reason = "a prompt may hold any of them, and several at once"
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PastedPart {
    pub(crate) trace: bool,
    pub(crate) diff: bool,
    pub(crate) failing_log: bool,
    pub(crate) other: bool,
}

impl PastedPart {
    fn any(self) -> bool {
        self.trace || self.diff || self.failing_log || self.other
    }
}

/// A prompt in its parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Segments<'a> {
    /// What is said first; the whole prompt where nothing was pasted and little is said.
    pub(crate) opening: &'a str,
    /// The last paragraph, where it is another.
    pub(crate) closing: &'a str,
    /// Sentences between them.
    pub(crate) between: Vec<&'a str>,
    pub(crate) pasted: PastedPart,
    /// Files of the project that traces and diffs name.
    pub(crate) pasted_files: Vec<&'a str>,
    /// Whether a paste comes first, and below it, behind a gap, the one line that asks.
    pub(crate) asks_last: bool,
}

impl<'a> Segments<'a> {
    pub(crate) fn of(prompt: &'a str) -> Self {
        let prompt = prompt.trim();
        // One line is what it is, also if it looks like an error or like code.
        if prompt.len() <= SHORT && !prompt.contains('\n') {
            return Self {
                opening: prompt,
                ..Self::default()
            };
        }
        let PromptChunks {
            chunks,
            pasted,
            files: pasted_files,
            pasted_first,
        } = chunks(prompt);
        if prompt.len() <= SHORT && !pasted.any() {
            return Self {
                opening: prompt,
                ..Self::default()
            };
        }
        let mut chunks = chunks.into_iter().filter_map(|chunk| prompt.get(chunk));
        let Some(first) = chunks.next() else {
            return Self {
                pasted,
                pasted_files,
                ..Self::default()
            };
        };
        let (opening, rest) = opening(first);
        let mut between: Vec<&str> = sentences(rest).collect();
        let mut others: Vec<&str> = chunks.collect();
        let closing = match others.pop() {
            None => between.pop().unwrap_or_default(),
            Some(last) => {
                between.extend(others.into_iter().flat_map(sentences));
                let end = end_of(last);
                let before = last.get(..offset(last, end)).unwrap_or_default();
                between.extend(sentences(before));
                end
            }
        };
        between.truncate(MOST_BETWEEN);
        Self {
            asks_last: pasted_first && asks_last(prompt, closing),
            opening,
            closing,
            between,
            pasted,
            pasted_files,
        }
    }

    /// Everything that is said, in the order of its weight.
    pub(crate) fn spoken(&self) -> impl Iterator<Item = &'a str> {
        let first = [self.opening, self.closing];
        first
            .into_iter()
            .chain(self.between.iter().copied())
            .filter(|text| !text.is_empty())
    }
}

/// Whether the last paragraph is one line that asks.
fn asks_last(prompt: &str, closing: &str) -> bool {
    let last = prompt.rsplit("\n\n").next().unwrap_or_default();
    let is_item = last.starts_with(['-', '*', '#', '|'])
        || last.starts_with(|sign: char| sign.is_ascii_digit());
    !closing.is_empty() && last == closing && !is_item
}

/// The first sentences of a text, and what follows them.
fn opening(text: &str) -> (&str, &str) {
    if text.len() <= LONGEST_OPENING {
        return (text, "");
    }
    let mut end = 0;
    for sentence in sentences(text) {
        let reached = offset(text, sentence) + sentence.len();
        if end > 0 && reached > LONGEST_OPENING {
            break;
        }
        end = reached;
    }
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// The last sentences of a paragraph.
fn end_of(text: &str) -> &str {
    let mut start = text.len();
    let all: Vec<&str> = sentences(text).collect();
    for sentence in all.into_iter().rev() {
        let from = offset(text, sentence);
        if start < text.len() && text.len() - from > LONGEST_OPENING {
            break;
        }
        start = from;
    }
    text.get(start..).unwrap_or(text)
}

/// Where a part of a text begins in it.
fn offset(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

/// The sentences of a text, without the spaces around them.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start();
            if rest.is_empty() {
                return None;
            }
            let end = end_of_sentence(rest);
            let (sentence, behind) = rest.split_at(end);
            rest = behind;
            let sentence = sentence.trim_end();
            if !sentence.is_empty() {
                return Some(sentence);
            }
        }
    })
}

fn end_of_sentence(text: &str) -> usize {
    let mut signs = text.char_indices().peekable();
    while let Some((at, sign)) = signs.next() {
        let next = signs.peek().map(|(_, next)| *next);
        let ends = match sign {
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            '。' | '！' | '？' | '\n' => true,
            _ => false,
        };
        if ends {
            return at + sign.len_utf8();
        }
    }
    text.len()
}

/// Paragraphs of what is said, what was pasted between them, and the files that it names.
struct PromptChunks<'a> {
    chunks: Vec<Range<usize>>,
    pasted: PastedPart,
    files: Vec<&'a str>,
    /// Whether the first line was pasted.
    pasted_first: bool,
}

fn chunks(prompt: &str) -> PromptChunks<'_> {
    let mut pasted = PastedPart::default();
    let mut pasted_first = None;
    let mut files: Vec<&str> = Vec::new();
    let mut chunks: Vec<Range<usize>> = Vec::new();
    for part in read_parts(prompt) {
        let mut open = false;
        let mut before = "";
        for (range, kind) in SegmentLines::of(prompt.get(part.clone()).unwrap_or_default()) {
            pasted_first.get_or_insert(kind != LineKind::Spoken);
            let range = part.start + range.start..part.start + range.end;
            let text = prompt.get(range.clone()).unwrap_or_default().trim();
            match kind {
                LineKind::Spoken => {
                    match chunks.last_mut().filter(|_| open && goes_on(before, text)) {
                        Some(chunk) => chunk.end = range.end,
                        None => chunks.push(range),
                    }
                }
                LineKind::Trace => {
                    pasted.trace = true;
                    push_files(&mut files, text);
                }
                LineKind::Diff => {
                    pasted.diff = true;
                    // What a diff changes, and not what the changed lines name.
                    if text.starts_with("+++ ") {
                        push_files(&mut files, text);
                    }
                }
                LineKind::Log { fails } => {
                    pasted.failing_log |= fails;
                    pasted.other = true;
                }
                LineKind::Code | LineKind::Quote | LineKind::Field => pasted.other = true,
                LineKind::Blank => {}
            }
            open = kind == LineKind::Spoken;
            before = text;
        }
    }
    PromptChunks {
        chunks,
        pasted,
        files,
        pasted_first: pasted_first.unwrap_or_default(),
    }
}

fn push_files<'a>(files: &mut Vec<&'a str>, line: &'a str) {
    for file in pasted_files(line) {
        if files.len() < MOST_PASTED_FILES && !files.contains(&file) {
            files.push(file);
        }
    }
}

/// Whether a line continues the one before: text that was wrapped, and not the next thing.
fn goes_on(before: &str, line: &str) -> bool {
    let wrapped =
        before.chars().count() >= 50 && !before.ends_with(['.', '!', '?', ':', '。', '！', '？']);
    wrapped && line.starts_with(|sign: char| !sign.is_uppercase() && !matches!(sign, '-' | '*'))
}

/// The start and the end of a prompt; of one that is not huge, all of it.
fn read_parts(prompt: &str) -> Vec<Range<usize>> {
    if prompt.len() <= MOST_AT_START + MOST_AT_END {
        return std::iter::once(0..prompt.len()).collect();
    }
    let line_from = |at: usize| {
        let from = prompt.as_bytes().get(at..).unwrap_or_default();
        let end = from.iter().position(|byte| *byte == b'\n');
        end.map_or(prompt.len(), |end| at + end + 1)
    };
    let end = line_from(MOST_AT_START);
    let last = line_from(prompt.len() - MOST_AT_END).max(end);
    vec![0..end, last..prompt.len()]
}
