//! Globs of rules and checklists: a bare name matches at any depth, a path from the folder it is written for.

use std::ops::Range;
use std::sync::OnceLock;

use globset::GlobSet;
use mk_types::{FilePattern, GlobError, path_glob};

/// More alternatives than anybody writes by hand.
const MOST_ALTERNATIVES: usize = 200;

/// One pattern. Compiled when a path first gets past what is plain in it, because a project may have thousands of them.
#[derive(Debug, Clone)]
pub struct PathGlob {
    written: String,
    parsed: globset::Glob,
    /// `None` if what it stands for is too large; then it matches nothing.
    matcher: OnceLock<Option<GlobSet>>,
    /// Where the pattern has a text that every match contains.
    needed: Range<usize>,
    is_name: bool,
}

impl PartialEq for PathGlob {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl PathGlob {
    pub(crate) fn new(written: &str) -> Result<Self, GlobError> {
        let pattern = FilePattern::read(written)?;
        // A directory means what is in it, and is never only a name.
        let parsed = if pattern.names_directory {
            path_glob(&format!("{}/**", pattern.text))?
        } else {
            path_glob(&pattern.text)?
        };
        Ok(Self {
            is_name: pattern.is_name && !pattern.names_directory,
            written: written.to_owned(),
            needed: needed(parsed.glob()),
            parsed,
            matcher: OnceLock::new(),
        })
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Whether a path with `/` between its parts matches.
    pub fn matches(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let path = if self.is_name { name } else { path };
        let pattern = self.parsed.glob();
        let (start, end) = plain_ends(pattern);
        let needed = pattern.get(self.needed.clone()).unwrap_or_default();
        path.starts_with(start)
            && path.ends_with(end)
            && path.contains(needed)
            && self
                .matcher
                .get_or_init(|| GlobSet::new([&self.parsed]).ok())
                .as_ref()
                .is_some_and(|matcher| matcher.is_match(path))
    }
}

/// What a path must start and end with to match. A `/` beside a `**` may stand for nothing.
fn plain_ends(pattern: &str) -> (&str, &str) {
    let special = |character: char| "*?[]{}\\".contains(character);
    let start = pattern.split(special).next().unwrap_or_default();
    let end = pattern.rsplit(special).next().unwrap_or_default();
    (start.trim_end_matches('/'), end.trim_start_matches('/'))
}

/// The longest text outside of braces and brackets. A `/` at its ends may stand for nothing.
fn needed(pattern: &str) -> Range<usize> {
    if pattern.contains('\\') {
        return 0..0; // what is escaped is not read here
    }
    let (mut longest, mut start, mut depth) = (0..0, 0, 0_usize);
    for (at, sign) in pattern.char_indices().chain([(pattern.len(), '*')]) {
        if !"*?[]{}".contains(sign) {
            continue;
        }
        if depth == 0
            && let Some(text) = pattern.get(start..at)
        {
            let from = start + text.len() - text.trim_start_matches('/').len();
            let length = text.trim_matches('/').len();
            if length > longest.len() {
                longest = from..from + length;
            }
        }
        match sign {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        start = at + 1;
    }
    longest
}

/// The parts of a list with commas; those between braces belong to a pattern.
pub(crate) fn split_list(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    text.split(move |character| {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0
    })
    .map(str::trim)
    .filter(|part| !part.is_empty())
}

/// What a pattern with braces stands for, one pattern for each way through them; itself if there are too many ways.
pub(crate) fn alternatives(pattern: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(next) = open.pop() {
        if done.len() + open.len() > MOST_ALTERNATIVES {
            return vec![pattern.to_owned()];
        }
        match first_braces(&next) {
            // Braces in braces are left to the matcher.
            Some((before, inner, after)) if !inner.contains('{') => {
                let parts = inner.split(',').rev();
                open.extend(parts.map(|part| format!("{before}{part}{after}")));
            }
            _ => done.push(next),
        }
    }
    done
}

/// What is before, between and after the first braces.
fn first_braces(pattern: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = pattern.split_once('{')?;
    let (inner, after) = rest.split_once('}')?;
    Some((before, inner, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_match_needs_is_what_stands_outside_of_choices() {
        for (pattern, text) in [
            ("**/*.{ts,tsx}", "."),
            ("**/{app,apps}/**/*.vue", ".vue"),
            ("**/*auth[!o]*", "auth"),
            ("src/**/test", "test"),
            ("src/pay/", "src/pay"),
            ("{a,b}", ""),
            ("[a-z]?", ""),
            (r"a\*bcd", ""),
            ("*.rs", ".rs"),
        ] {
            let glob = PathGlob::new(pattern).expect(pattern);
            let needed = glob.parsed.glob().get(glob.needed.clone());
            assert_eq!(needed, Some(text), "{pattern}");
        }
    }

    #[test]
    fn nothing_that_matches_is_left_out() {
        for (pattern, path, matches) in [
            ("**/*.{ts,tsx}", "src/a.tsx", true),
            ("**/*.{ts,tsx}", "auth", false),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b", true),
            ("{src,lib}/**", "lib/x.rs", true),
            ("**/x{,s}/**", "a/xs/b", true),
            (r"a\*b", "a*b", true),
        ] {
            let glob = PathGlob::new(pattern).expect(pattern);
            assert_eq!(glob.matches(path), matches, "{pattern} {path}");
        }
    }
}
