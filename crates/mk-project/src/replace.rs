//! Replacing text: literal or by regular expression, in one file or many, never by guessing which place is meant.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use mk_types::ProjectPath;
use regex::{Regex, RegexBuilder};

use crate::beneath::RootDir;
use crate::error::Error;
use crate::file::{Diff, LARGEST};
use crate::search::{
    LetterCase, MOST_STEPS, MatchSpan, PatternKind, SearchQuery, needs_backtracking, search,
};

/// More files than anybody reviews; beyond it the pattern is too general.
const MOST_FILES: usize = 1_000;

/// What to put in place of what.
#[derive(Debug, Clone)]
pub struct Replacement {
    pub find: String,
    /// `$1` and `${name}` refer to groups of a regular expression; literal text is taken as it is.
    pub replace: String,
    pub kind: PatternKind,
    pub occurrences: Occurrences,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occurrences {
    /// Exactly one place must match.
    One,
    All,
}

impl Replacement {
    /// The text with the replacement made, and how many places it changed.
    pub fn apply(&self, path: &ProjectPath, text: &str) -> Result<(String, usize), Error> {
        let shown = || self.find.chars().take(80).collect::<String>();
        let path = || path.as_str().into();
        let places: Vec<usize> = match self.kind {
            PatternKind::Literal if self.find.is_empty() => Vec::new(),
            PatternKind::Literal => text
                .match_indices(&self.find)
                .map(|(start, _)| start)
                .collect(),
            PatternKind::Regex => self.regex()?.starts(text),
        };
        match (places.as_slice(), self.occurrences) {
            ([], _) => {
                return Err(Error::NoMatch {
                    path: path(),
                    text: shown(),
                });
            }
            ([_], _) | (_, Occurrences::All) => {}
            (several, Occurrences::One) => {
                let lines = several.iter().map(|start| line_of(text, *start)).collect();
                return Err(Error::Ambiguous {
                    path: path(),
                    text: shown(),
                    lines,
                });
            }
        }
        let too_large = |size: usize| Error::TooLarge {
            path: path(),
            size: size as u64,
            limit: LARGEST,
        };
        let replaced = match self.kind {
            PatternKind::Literal => {
                let kept = text.len() - places.len() * self.find.len();
                let size = kept.saturating_add(places.len().saturating_mul(self.replace.len()));
                if size as u64 > LARGEST {
                    return Err(too_large(size));
                }
                text.replace(&self.find, &self.replace)
            }
            PatternKind::Regex => {
                let regex = self.regex()?;
                self.replace_regex(text, &regex).map_err(too_large)?
            }
        };
        Ok((replaced, places.len()))
    }

    /// Replaces match by match, so that a replacement that repeats what it found many times over is refused before it
    /// has filled the memory. The error is the size it would have.
    fn replace_regex(&self, text: &str, regex: &ReplacePattern) -> Result<String, usize> {
        let n_groups = self.replace.bytes().filter(|byte| *byte == b'$').count();
        let mut replaced = String::new();
        let mut end = 0;
        let mut add = |whole: Range<usize>, expand: &dyn Fn(&mut String)| {
            replaced.push_str(text.get(end..whole.start).unwrap_or_default());
            // No group is longer than the whole match.
            let most = self.replace.len() + n_groups.saturating_mul(whole.len());
            let size = replaced.len().saturating_add(most);
            if size as u64 > LARGEST * 2 {
                return Err(size);
            }
            expand(&mut replaced);
            end = whole.end;
            Ok(())
        };
        match regex {
            ReplacePattern::Fast(regex) => {
                for found in regex.captures_iter(text) {
                    let whole = found.get(0).map(|whole| whole.range()).unwrap_or_default();
                    add(whole, &|new| found.expand(&self.replace, new))?;
                }
            }
            ReplacePattern::Backtracking(regex) => {
                for found in regex.captures_iter(text).map_while(Result::ok) {
                    let whole = found.get(0).map(|whole| whole.range()).unwrap_or_default();
                    add(whole, &|new| found.expand(&self.replace, new))?;
                }
            }
        }
        replaced.push_str(text.get(end..).unwrap_or_default());
        match replaced.len() {
            size if size as u64 > LARGEST => Err(size),
            _ => Ok(replaced),
        }
    }

    fn regex(&self) -> Result<ReplacePattern, Error> {
        let built = RegexBuilder::new(&self.find)
            .multi_line(true)
            .size_limit(1 << 20)
            .build();
        built.map(ReplacePattern::Fast).or_else(|error| {
            let refused = || Error::BadPattern {
                pattern: self.find.clone(),
                reason: error.to_string(),
            };
            if !needs_backtracking(&self.find) {
                return Err(refused());
            }
            let built = fancy_regex::RegexBuilder::new(&self.find)
                .multi_line(true)
                .delegate_size_limit(1 << 20)
                .backtrack_limit(MOST_STEPS)
                .build();
            let slow = built.map(|regex| ReplacePattern::Backtracking(Box::new(regex)));
            slow.map_err(|_| refused())
        })
    }
}

/// A compiled pattern.
enum ReplacePattern {
    Fast(Regex),
    Backtracking(Box<fancy_regex::Regex>),
}

impl ReplacePattern {
    /// Where matches begin. A pattern that takes too many steps matches nothing further.
    fn starts(&self, text: &str) -> Vec<usize> {
        match self {
            Self::Fast(regex) => regex.find_iter(text).map(|found| found.start()).collect(),
            Self::Backtracking(regex) => {
                let found = regex.find_iter(text).map_while(Result::ok);
                found.map(|found| found.start()).collect()
            }
        }
    }
}

fn line_of(text: &str, start: usize) -> usize {
    text.bytes()
        .take(start)
        .filter(|byte| *byte == b'\n')
        .count()
        + 1
}

/// A replacement in many files.
#[derive(Debug, Clone)]
pub struct ReplaceQuery {
    pub replacement: Replacement,
    pub folder: ProjectPath,
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    /// Refuse unless exactly so many places match.
    pub expected_count: Option<usize>,
}

/// What a replacement would do to one file.
#[derive(Debug, Clone)]
pub struct FileReplacement {
    pub path: ProjectPath,
    pub count: usize,
    pub diff: String,
}

/// Finds the files that a replacement would change, by path, without changing any.
pub fn plan_replacements(
    root: &RootDir,
    query: &ReplaceQuery,
    readable: &(dyn Fn(&ProjectPath) -> bool + Sync),
    cancel: &AtomicBool,
) -> Result<Vec<FileReplacement>, Error> {
    let search_query = SearchQuery {
        pattern: query.replacement.find.clone(),
        kind: query.replacement.kind,
        case: LetterCase::Sensitive,
        // What spans lines in the replacement must be found across lines.
        span: MatchSpan::Lines,
        folder: query.folder.clone(),
        include: query.include.clone(),
        exclude: query.exclude.clone(),
        context: 0,
        max_results: usize::MAX,
    };
    let found = search(root.root(), &search_query, readable, cancel)?;
    if found.total_files > MOST_FILES {
        let reason = format!(
            "it matches in {} files, more than {MOST_FILES}; narrow it with include",
            found.total_files
        );
        return Err(Error::BadPattern {
            pattern: query.replacement.find.clone(),
            reason,
        });
    }
    let mut planned = Vec::new();
    for file in found.files {
        let text = match root.read_file(&file.path) {
            Ok(read) => read.text,
            // What is no text for us is left alone.
            Err(Error::Binary { .. } | Error::TooLarge { .. }) => continue,
            Err(error) => return Err(error),
        };
        let (changed, count) = match query.replacement.apply(&file.path, &text) {
            Ok(changed) => changed,
            Err(Error::NoMatch { .. }) => continue,
            Err(error) => return Err(error),
        };
        if changed != text {
            let diff = Diff::between(&text, &changed).text;
            planned.push(FileReplacement {
                path: file.path,
                count,
                diff,
            });
        }
    }
    planned.sort_by(|a, b| a.path.cmp(&b.path));
    let count = planned.iter().map(|planned| planned.count).sum();
    match query.expected_count {
        Some(expected) if expected != count => Err(Error::UnexpectedCount { count, expected }),
        _ => Ok(planned),
    }
}
