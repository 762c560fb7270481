//! What a pattern may mean: a name, or the end of a name path in one of the ways people write it.

use super::matching::{Closeness, Matcher, Matching};
use crate::index::{Names, PackedSymbol};

/// The ways in which a pattern can be read.
#[derive(Debug)]
pub(crate) struct Patterns {
    readings: Vec<Pattern>,
    overload: Option<usize>,
}

#[derive(Debug, PartialEq, Eq)]
struct Pattern {
    name: String,
    /// What the container must end with, or be.
    container: String,
    is_whole: bool,
}

impl Patterns {
    pub(crate) fn parse(written: &str) -> Self {
        let written = written.trim();
        let (text, overload) = split_overload(written);
        let text = text.strip_suffix("()").unwrap_or(text);
        let mut readings = Vec::new();
        if !text.starts_with('/') {
            readings.push(Pattern {
                name: text.trim_start_matches('$').to_owned(),
                container: String::new(),
                is_whole: false,
            });
        }
        let mut paths = vec![text.to_owned()];
        for separator in ["::", "->", "#", ".", "\\"] {
            paths.push(text.replace(separator, "/"));
        }
        for path in paths {
            let inner = path.trim_start_matches('/');
            let is_whole = inner.len() < path.len();
            let (container, name) = inner.rsplit_once('/').unwrap_or(("", inner));
            let reading = Pattern {
                name: name.to_owned(),
                container: container.to_owned(),
                is_whole,
            };
            let says_more = is_whole || !reading.container.is_empty();
            if says_more && !reading.name.is_empty() && !readings.contains(&reading) {
                readings.push(reading);
            }
        }
        Self { readings, overload }
    }

    /// Whether a symbol is meant by its exact name.
    pub(crate) fn names(&self, name: &str, container: &str) -> bool {
        self.readings.iter().any(|pattern| {
            pattern.name == name && fits_container(pattern, container) == Some(Closeness::Exact)
        })
    }

    pub(crate) fn overload(&self) -> Option<usize> {
        self.overload
    }

    /// What compares names with every reading.
    pub(super) fn matches(&self, names: &Names, matching: Matching) -> Matches<'_> {
        let readings = self.readings.iter().map(|pattern| {
            // Who writes a whole path knows it.
            let matching = if pattern.is_whole {
                Matching::Exact
            } else {
                matching
            };
            let matcher = Matcher::new(&pattern.name, matching);
            let compare = |(name, letters)| matcher.closeness(name, letters);
            let all = || names.iter().map(compare).collect();
            Comparison {
                pattern,
                names: pattern.container.is_empty().then(all),
                matcher,
            }
        });
        let says_something = |one: &Comparison<'_>| {
            let names = one.names.as_ref();
            names.is_none_or(|names: &Vec<_>| names.iter().any(Option::is_some))
        };
        Matches {
            readings: readings.filter(says_something).collect(),
        }
    }
}

/// `b[1]` → `b` and 1.
fn split_overload(text: &str) -> (&str, Option<usize>) {
    let split = || {
        let (name, index) = text.strip_suffix(']')?.rsplit_once('[')?;
        Some((name, index.parse().ok()?))
    };
    split()
        .filter(|(name, _): &(&str, usize)| !name.is_empty())
        .map_or((text, None), |(name, index)| (name, Some(index)))
}

/// How close names are, for every reading of a pattern that fits some name.
pub(super) struct Matches<'a> {
    readings: Vec<Comparison<'a>>,
}

struct Comparison<'a> {
    pattern: &'a Pattern,
    matcher: Matcher<'a>,
    /// How close each name is, by its number: many symbols share a name. `None` where the container fits few symbols,
    /// and their names are compared one by one.
    names: Option<Vec<Option<Closeness>>>,
}

impl Matches<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.readings.is_empty()
    }

    pub(super) fn closeness(&self, names: &Names, symbol: &PackedSymbol) -> Option<Closeness> {
        let readings = self.readings.iter();
        let closeness = readings.filter_map(|reading| reading.closeness(names, symbol));
        closeness.min()
    }
}

impl Comparison<'_> {
    fn closeness(&self, names: &Names, symbol: &PackedSymbol) -> Option<Closeness> {
        let fits = || fits_container(self.pattern, names.text(symbol.container));
        if let Some(known) = &self.names {
            let closeness = (*known.get(symbol.name as usize)?)?;
            return Some(closeness.max(fits()?));
        }
        let fits = fits()?;
        let letters = names.letters(symbol.name)?;
        let closeness = self.matcher.closeness(names.text(symbol.name), letters)?;
        Some(closeness.max(fits))
    }
}

fn fits_container(pattern: &Pattern, container: &str) -> Option<Closeness> {
    let wanted = pattern.container.as_str();
    if pattern.is_whole {
        return (container == wanted).then_some(Closeness::Exact);
    }
    if wanted.is_empty() {
        return Some(Closeness::Exact);
    }
    let start = container.len().checked_sub(wanted.len())?;
    let end = container.get(start..)?;
    let at_edge = start == 0
        || container
            .get(..start)
            .is_some_and(|before| before.ends_with('/'));
    if end == wanted && at_edge {
        Some(Closeness::Exact)
    } else {
        (at_edge && end.eq_ignore_ascii_case(wanted)).then_some(Closeness::Caseless)
    }
}
