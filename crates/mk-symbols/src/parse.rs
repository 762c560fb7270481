//! Parsing one file within limits: a hostile or huge file is refused with a reason and never holds a thread for long.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tree_sitter::{ParseOptions, ParseState, Parser, Range, Tree};

use crate::embedded;
use crate::language::{CompiledQuery, Language};
use crate::mask::masked;

/// Larger files are data.
pub(crate) const LARGEST: u64 = 2 * 1024 * 1024;
/// A line of this length was not written by a person.
const LONGEST_LINE: usize = 20_000;
/// Files above this size are judged by the average length of their lines as well.
const SUSPICIOUS_SIZE: usize = 50_000;
const LONGEST_AVERAGE: usize = 400;
/// The time to parse brackets grows with the square of how deep they are.
const DEEPEST: usize = 3_000;
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// Why a file is not looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SkipReason {
    TooLarge,
    Minified,
    Binary,
    TooDeep,
    TimedOut,
    Unreadable,
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLarge => "larger than 2 MB",
            Self::Minified => "its lines are too long to be written by hand",
            Self::Binary => "not text",
            Self::TooDeep => "its brackets are nested too deeply",
            Self::TimedOut => "takes too long to parse",
            Self::Unreadable => "cannot be read",
        })
    }
}

/// When to stop: after a time, or when nobody wants the answer any more.
#[derive(Debug)]
pub(crate) struct ParseLimit<'a> {
    deadline: Instant,
    cancel: &'a AtomicBool,
}

impl<'a> ParseLimit<'a> {
    pub(crate) fn new(cancel: &'a AtomicBool) -> Self {
        Self {
            deadline: Instant::now() + TIME_LIMIT,
            cancel,
        }
    }

    pub(crate) fn check(&self) -> ControlFlow<()> {
        if self.cancel.load(Ordering::Relaxed) || Instant::now() > self.deadline {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Whether a text is worth parsing.
fn judge(text: &str) -> Result<(), SkipReason> {
    if text.len() as u64 > LARGEST {
        return Err(SkipReason::TooLarge);
    }
    let mut n_lines = 1;
    let mut line_start = 0;
    let mut n_in_long_lines = 0;
    let mut depth = 0_usize;
    for (position, byte) in text.bytes().enumerate() {
        match byte {
            b'\n' => {
                n_lines += 1;
                n_in_long_lines += in_long_line(position - line_start);
                line_start = position + 1;
            }
            b'(' | b'[' | b'{' if depth > DEEPEST => return Err(SkipReason::TooDeep),
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    n_in_long_lines += in_long_line(text.len() - line_start);
    // One long line in a file is a picture or a key in a string.
    let n_others = text.len() - n_in_long_lines;
    let is_dense = n_others > SUSPICIOUS_SIZE && n_others / n_lines > LONGEST_AVERAGE;
    if is_dense || n_in_long_lines > n_others {
        return Err(SkipReason::Minified);
    }
    Ok(())
}

/// The bytes of a line that no person wrote; none of others.
fn in_long_line(length: usize) -> usize {
    if length > LONGEST_LINE { length } else { 0 }
}

/// What a parser begins with: the parts of the text that count, all of it if there are none, and an older tree.
struct Start<'a> {
    ranges: &'a [Range],
    before: Option<&'a Tree>,
}

/// Parsers and query cursors, kept from file to file.
#[derive(Default)]
pub(crate) struct Parsers {
    parser: Parser,
}

impl fmt::Debug for Parsers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parsers").finish_non_exhaustive()
    }
}

impl Parsers {
    /// Parses a text if it is worth it.
    pub(crate) fn tree_of(
        &mut self,
        language: &Language,
        text: &str,
        limit: &ParseLimit<'_>,
    ) -> Result<Tree, SkipReason> {
        self.tree_after(language, text, None, limit)
    }

    /// The same with the tree of what the text was before, which says where it has changed.
    pub(crate) fn tree_after(
        &mut self,
        language: &Language,
        text: &str,
        before: Option<&Tree>,
        limit: &ParseLimit<'_>,
    ) -> Result<Tree, SkipReason> {
        judge(text)?;
        let compiled = language.compiled().ok_or(SkipReason::Unreadable)?;
        let masked = masked(language, text);
        let ranges = language.embedding.map(|it| embedded::parsed(it, text));
        let ranges = ranges.unwrap_or_default();
        let before = before.filter(|_| masked.is_none() && ranges.is_empty());
        let start = Start {
            ranges: &ranges,
            before,
        };
        self.parse_from(compiled, masked.as_deref().unwrap_or(text), &start, limit)
    }

    /// Parses a text, or only `ranges` of it if there are any.
    pub(crate) fn parse(
        &mut self,
        language: &CompiledQuery,
        text: &str,
        ranges: &[Range],
        limit: &ParseLimit<'_>,
    ) -> Result<Tree, SkipReason> {
        let start = Start {
            ranges,
            before: None,
        };
        self.parse_from(language, text, &start, limit)
    }

    fn parse_from(
        &mut self,
        language: &CompiledQuery,
        text: &str,
        start: &Start<'_>,
        limit: &ParseLimit<'_>,
    ) -> Result<Tree, SkipReason> {
        let Start { ranges, before } = *start;
        let failed = |_| SkipReason::Unreadable;
        self.parser
            .set_language(&language.grammar)
            .map_err(|_| SkipReason::Unreadable)?;
        self.parser.set_included_ranges(ranges).map_err(failed)?;
        // What is left of a file that took too long must not be taken up again.
        self.parser.reset();
        let mut check = |_: &ParseState| limit.check();
        let options = ParseOptions::new().progress_callback(&mut check);
        let bytes = text.as_bytes();
        let mut read = |offset: usize, _| bytes.get(offset..).unwrap_or_default();
        self.parser
            .parse_with_options(&mut read, before, Some(options))
            .ok_or(SkipReason::TimedOut)
    }
}

/// Whether a text is parsed as it stands: a change of what is hidden, or chosen, may be anywhere.
pub(crate) fn can_follow(language: &Language, text: &str) -> bool {
    language.embedding.is_none() && masked(language, text).is_none()
}

/// Parses a text once, for callers that look at the tree themselves.
pub(crate) fn tree_of(language: &Language, text: &str) -> Result<Tree, SkipReason> {
    let cancel = AtomicBool::new(false);
    Parsers::default().tree_of(language, text, &ParseLimit::new(&cancel))
}
