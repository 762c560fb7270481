//! What a pattern may mean: a name, or the end of a name path in one of the ways people write it.

use super::matching::{Closeness, Matcher, Matching};
use crate::identifier::without_call;
use crate::index::{NameTrace, Names, PackedSymbol};
use crate::language::Language;

/// Words that say what something is, before its name.
const KEYWORDS: [&str; 27] = [
    "abstract",
    "async",
    "class",
    "const",
    "def",
    "enum",
    "export",
    "fn",
    "fun",
    "func",
    "function",
    "impl",
    "interface",
    "let",
    "macro",
    "method",
    "mod",
    "module",
    "namespace",
    "object",
    "operator",
    "protocol",
    "pub",
    "struct",
    "trait",
    "type",
    "var",
];
/// How people and languages write what is inside of what, besides `/`.
const SEPARATORS: [&str; 6] = ["::", "->", "#", ".", "\\", ":"];

/// The ways in which a pattern can be read.
#[derive(Debug)]
pub(crate) struct Patterns {
    readings: Vec<NamePattern>,
    overload: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct NamePattern {
    name: String,
    /// What the container must end with, or be.
    container: String,
    is_whole: bool,
    /// What the file's path must hold, in this order: modules and packages, or the end of the path itself.
    modules: Vec<String>,
}

impl Patterns {
    pub(crate) fn parse(written: &str) -> Self {
        // Names in backticks are kept without them.
        let written = written.replace('`', "");
        let (text, overload) = split_overload(written.trim());
        let text = without_call(text);
        let mut readings = Vec::new();
        let plain = |name: &str| NamePattern {
            name: name.to_owned(),
            container: String::new(),
            is_whole: false,
            modules: Vec::new(),
        };
        let mut add = |reading: NamePattern| {
            if !reading.name.is_empty() && !readings.contains(&reading) {
                readings.push(reading);
            }
        };
        if !text.starts_with('/') {
            add(plain(text));
            // A property of PHP is written with its mark where it is defined.
            add(plain(text.trim_start_matches('$')));
        }
        let bare = without_keywords(text);
        let (file, bare) = split_file(bare);
        if bare != text && file.is_none() {
            add(plain(bare));
        }
        let mut paths = vec![bare.to_owned()];
        paths.extend(SEPARATORS.map(|separator| bare.replace(separator, "/")));
        for path in paths {
            let inner = path.trim_start_matches('/');
            let is_whole =
                inner.len() < path.len() && path.starts_with('/') && bare.starts_with('/');
            let (container, name) = inner.rsplit_once('/').unwrap_or(("", inner));
            if file.is_none() && !is_whole && container.is_empty() {
                continue;
            }
            let modules: Vec<String> = file.iter().map(|file| (*file).to_owned()).collect();
            // `P/$name`, `C/operator +`
            for name in [name, name.trim_start_matches('$'), without_keywords(name)] {
                add(NamePattern {
                    name: name.to_owned(),
                    container: container.to_owned(),
                    is_whole,
                    modules: modules.clone(),
                });
            }
            if is_whole || !modules.is_empty() {
                continue;
            }
            // `package.module.Class.method`: where the modules end is not known.
            let parts: Vec<&str> = container.split('/').collect();
            for n_modules in 1..=parts.len() {
                let (modules, containers) = parts.split_at(n_modules);
                add(NamePattern {
                    name: name.to_owned(),
                    container: containers.join("/"),
                    is_whole: false,
                    modules: modules.iter().map(|part| (*part).to_owned()).collect(),
                });
            }
        }
        Self { readings, overload }
    }

    /// What a file holds that defines what is meant, one for each reading.
    pub(crate) fn traces(&self) -> Vec<NameTrace> {
        let mut traces: Vec<NameTrace> = Vec::new();
        for pattern in &self.readings {
            let trace = NameTrace::of_pattern(&pattern.name);
            if traces.iter().all(|known| known.lower != trace.lower) {
                traces.push(trace);
            }
        }
        traces
    }

    /// Whether a symbol of a file is meant by its exact name.
    pub(crate) fn names(&self, name: &str, container: &str, path: &str) -> bool {
        self.readings.iter().any(|pattern| {
            pattern.name == name
                && fits_container(pattern, container) == Some(Closeness::Exact)
                && pattern.fits_path(path)
        })
    }

    pub(crate) fn overload(&self) -> Option<usize> {
        self.overload
    }

    /// What compares names with every reading.
    pub(super) fn matches(&self, names: &Names, matching: Matching) -> Matches<'_> {
        let readings = self.readings.iter().map(|pattern| {
            // Who writes a whole path, or modules, knows it.
            let matching = if pattern.is_whole || !pattern.modules.is_empty() {
                Matching::Exact
            } else {
                matching
            };
            let matcher = Matcher::new(&pattern.name, matching);
            let compare = |(name, letters)| matcher.closeness(name, letters);
            let all = || names.iter().map(compare).collect();
            let is_plain = pattern.container.is_empty() && pattern.modules.is_empty();
            Comparison {
                pattern,
                names: is_plain.then(all),
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

impl NamePattern {
    /// Whether a file's path holds the modules, in their order; the last of them directly around the file, or its name.
    fn fits_path(&self, path: &str) -> bool {
        let Some(last) = self.modules.last() else {
            return true;
        };
        if last.contains(['/', '.']) {
            return path
                .strip_suffix(last.as_str())
                .is_some_and(|before| before.is_empty() || before.ends_with('/'));
        }
        let parts: Vec<&str> = path.split('/').collect();
        let stem = |part: &str| part.split('.').next().unwrap_or_default().replace('-', "_");
        let mut parts = parts.iter().rev().map(|part| stem(part));
        let mut wanted = self.modules.iter().rev().peekable();
        while let (Some(module), Some(part)) = (wanted.peek(), parts.next()) {
            if part == module.replace('-', "_") {
                wanted.next();
            }
        }
        // The first module may be the project itself, whose name is not in its paths.
        wanted.next().is_none() || (self.modules.len() > 1 && wanted.next().is_none())
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

/// `async def f` → `f`.
fn without_keywords(text: &str) -> &str {
    let mut rest = text;
    while let Some((word, after)) = rest.split_once(' ') {
        if !KEYWORDS.contains(&word) {
            break;
        }
        rest = after.trim_start();
    }
    rest
}

/// `src/base.py:Model` → the end of a path, and the rest.
fn split_file(text: &str) -> (Option<&str>, &str) {
    let split = |separator: &str| {
        let (file, name) = text.split_once(separator)?;
        let is_file = file.contains('.') && Language::of_path(file).is_some();
        (is_file && !name.is_empty()).then_some((Some(file), name))
    };
    split("::").or_else(|| split(":")).unwrap_or((None, text))
}

/// How close names are, for every reading of a pattern that fits some name.
pub(super) struct Matches<'a> {
    readings: Vec<Comparison<'a>>,
}

struct Comparison<'a> {
    pattern: &'a NamePattern,
    matcher: Matcher<'a>,
    /// How close each name is, by its number: many symbols share a name. `None` where the container fits few symbols,
    /// and their names are compared one by one.
    names: Option<Vec<Option<Closeness>>>,
}

impl Matches<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.readings.is_empty()
    }

    pub(super) fn closeness(
        &self,
        names: &Names,
        symbol: &PackedSymbol,
        path: &str,
    ) -> Option<Closeness> {
        let readings = self.readings.iter();
        let closeness = readings.filter_map(|reading| {
            let closeness = reading.closeness(names, symbol)?;
            reading.pattern.fits_path(path).then_some(closeness)
        });
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

fn fits_container(pattern: &NamePattern, container: &str) -> Option<Closeness> {
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
