//! Compiling what somebody wants to find.

use fancy_regex::RegexBuilder;
use grep_regex::RegexMatcherBuilder;

use super::matcher::{LineFinder, MOST_STEPS};
use super::{LetterCase, MatchSpan, PatternKind, SearchQuery};
use crate::error::Error;

/// The longest pattern, and what its compiled form may take.
const LONGEST: usize = 10_000;
const LARGEST: usize = 10 * 1024 * 1024;

/// Whether a match may contain a line break.
pub(super) fn goes_across(query: &SearchQuery) -> bool {
    query.span == MatchSpan::Lines || has_break(query)
}

/// A pattern that spells a line break wants one, whatever else was said.
fn has_break(query: &SearchQuery) -> bool {
    query.pattern.contains('\n')
        || query.kind == PatternKind::Regex && query.pattern.contains("\\n")
}

pub(super) fn compile(query: &SearchQuery) -> Result<LineFinder, Error> {
    let bad = |reason: String| Error::BadPattern {
        pattern: query.pattern.chars().take(200).collect(),
        reason,
    };
    if query.pattern.is_empty() {
        return Err(bad("it is empty".to_owned()));
    }
    if query.pattern.len() > LONGEST {
        return Err(bad(format!("it is longer than {LONGEST} bytes")));
    }
    let mut builder = RegexMatcherBuilder::new();
    builder
        .size_limit(LARGEST)
        .dfa_size_limit(LARGEST)
        .multi_line(true)
        .case_insensitive(query.case == LetterCase::Insensitive)
        .case_smart(query.case == LetterCase::Smart)
        .dot_matches_new_line(query.span == MatchSpan::Lines);
    if !goes_across(query) {
        builder.crlf(true);
    }
    let pattern = match query.kind {
        PatternKind::Regex => query.pattern.clone(),
        // What an agent writes with `\n` also matches in a file with Windows' line endings.
        PatternKind::Literal => regex::escape(&query.pattern)
            .replace("\r\n", "\n")
            .replace('\n', "\r?\n"),
    };
    match builder.build(&pattern) {
        Ok(matcher) => Ok(LineFinder::Fast(matcher)),
        Err(error) => {
            let looking_around = looking_around(query, &pattern);
            looking_around.ok_or_else(|| bad(reason_of(&error.to_string())))
        }
    }
}

/// Whether a pattern uses what only the slow engine has: look-around, atomic groups, back-references.
pub(crate) fn needs_backtracking(pattern: &str) -> bool {
    let groups = ["(?=", "(?!", "(?<=", "(?<!", "(?>", "\\k<"];
    let is_back = |at: usize| {
        let after = pattern.get(at + 1..).unwrap_or_default();
        after.starts_with(|letter: char| matches!(letter, '1'..='9'))
    };
    groups.iter().any(|group| pattern.contains(group))
        || pattern.match_indices('\\').any(|(at, _)| is_back(at))
}

/// For what the fast engine refuses, and another one does not.
fn looking_around(query: &SearchQuery, pattern: &str) -> Option<LineFinder> {
    if query.kind == PatternKind::Literal || !needs_backtracking(pattern) {
        return None;
    }
    let shouts = pattern.chars().any(char::is_uppercase);
    let built = RegexBuilder::new(pattern)
        .multi_line(true)
        .case_insensitive(match query.case {
            LetterCase::Insensitive => true,
            LetterCase::Smart => !shouts,
            LetterCase::Sensitive => false,
        })
        .dot_matches_new_line(query.span == MatchSpan::Lines)
        .delegate_size_limit(LARGEST)
        .backtrack_limit(MOST_STEPS)
        .build();
    built
        .ok()
        .map(|regex| LineFinder::Backtracking(Box::new(regex)))
}

/// The parser draws the place over several lines and gives the reason in the last.
fn reason_of(message: &str) -> String {
    let last = message.lines().last().unwrap_or(message).trim();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}
