//! What finds a pattern in a text: the fast engine, or one that looks around where the fast one cannot.

use fancy_regex::Regex;
use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures, NoError};
use grep_regex::RegexMatcher;

/// Steps of the slow engine on one text; a pattern that needs more finds nothing there.
pub(crate) const MOST_STEPS: usize = 200_000;

/// A compiled pattern.
#[derive(Debug, Clone)]
pub(super) enum LineFinder {
    Fast(RegexMatcher),
    /// With look-around or back-references.
    Backtracking(Box<Regex>),
}

impl Matcher for LineFinder {
    type Captures = NoCaptures;
    type Error = NoError;

    fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, NoError> {
        match self {
            Self::Fast(regex) => regex.find_at(haystack, at),
            Self::Backtracking(regex) => {
                // What is no text, or takes too many steps, does not match.
                let text = std::str::from_utf8(haystack).unwrap_or_default();
                if !text.is_char_boundary(at) {
                    return Ok(None);
                }
                let found = regex.find_from_pos(text, at).ok().flatten();
                Ok(found.map(|found| Match::new(found.start(), found.end())))
            }
        }
    }

    fn new_captures(&self) -> Result<NoCaptures, NoError> {
        Ok(NoCaptures::new())
    }

    fn is_match_at(&self, haystack: &[u8], at: usize) -> Result<bool, NoError> {
        match self {
            Self::Fast(regex) => regex.is_match_at(haystack, at),
            Self::Backtracking(_) => Ok(self.find_at(haystack, at)?.is_some()),
        }
    }

    fn shortest_match_at(&self, haystack: &[u8], at: usize) -> Result<Option<usize>, NoError> {
        match self {
            Self::Fast(regex) => regex.shortest_match_at(haystack, at),
            Self::Backtracking(_) => Ok(self.find_at(haystack, at)?.map(|found| found.end())),
        }
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        match self {
            Self::Fast(regex) => regex.non_matching_bytes(),
            Self::Backtracking(_) => None,
        }
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        match self {
            Self::Fast(regex) => regex.line_terminator(),
            Self::Backtracking(_) => None,
        }
    }

    fn find_candidate_line(&self, haystack: &[u8]) -> Result<Option<LineMatchKind>, NoError> {
        match self {
            Self::Fast(regex) => regex.find_candidate_line(haystack),
            Self::Backtracking(_) => {
                let end = self.shortest_match_at(haystack, 0)?;
                Ok(end.map(LineMatchKind::Confirmed))
            }
        }
    }
}
