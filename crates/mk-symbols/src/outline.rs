//! The symbols of one file, read from its text alone.

mod recent;

use std::sync::atomic::AtomicBool;

use mk_types::ProjectPath;

use crate::error::Error;
use crate::extract::extract;
use crate::find::{Closeness, Matcher, Matching, Patterns};
use crate::index::Letters;
use crate::language::Language;
use crate::parse::{ParseLimit, Parsers, SkipReason};
use crate::symbol::Symbol;
pub(crate) use recent::TextKey;

/// The symbols of a file in the order in which they begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    pub language: &'static Language,
    pub symbols: Vec<Symbol>,
}

impl Outline {
    /// Parses a text. The path only tells the language; `Ok(None)` if nobody knows it.
    pub fn parse(path: &str, text: &str) -> Result<Option<Self>, SkipReason> {
        let Some(language) = Language::of_file(path, text) else {
            return Ok(None);
        };
        let key = TextKey::of(language, text);
        if let Some(symbols) = recent::get(&key) {
            return Ok(Some(Self { language, symbols }));
        }
        let cancel = AtomicBool::new(false);
        let symbols = extract(
            &mut Parsers::default(),
            language,
            text,
            &ParseLimit::new(&cancel),
        )?;
        recent::put(key, &symbols);
        Ok(Some(Self { language, symbols }))
    }

    /// How many symbols are around the one at this position.
    pub fn depth(&self, position: usize) -> usize {
        let parent = |position: usize| self.symbols.get(position)?.parent;
        let mut depth = 0;
        let mut around = parent(position);
        while let Some(position) = around {
            depth += 1;
            around = parent(position as usize);
        }
        depth
    }

    /// The name path with the index that tells it from its namesakes, if it has any: `A/b[1]`.
    pub fn indexed_path(&self, position: usize) -> String {
        let Some(symbol) = self.symbols.get(position) else {
            return String::new();
        };
        let is_namesake =
            |other: &&Symbol| other.name == symbol.name && other.container == symbol.container;
        let n_namesakes = self.symbols.iter().filter(is_namesake).count();
        let path = symbol.name_path();
        if n_namesakes < 2 {
            return path;
        }
        let before = self.symbols.iter().take(position);
        format!("{path}[{}]", before.filter(is_namesake).count())
    }

    /// The one symbol that a name path means: the end of a path `A/b`, a whole one `/A/b`, with `[1]` one of several
    /// namesakes. A symbol whose whole path it is comes before those that only end like it.
    pub fn resolve(&self, path: &ProjectPath, name_path: &str) -> Result<usize, Error> {
        let patterns = Patterns::parse(name_path);
        let symbols = || self.symbols.iter().enumerate();
        let written = name_path.trim_start_matches('/');
        let is_whole = |position: &usize| {
            let whole = self.indexed_path(*position);
            whole == written || whole.strip_suffix("[0]") == Some(written)
        };
        // A module of TypeScript may be called `a/b`, which a pattern reads as `b` in `a`.
        let is_meant = |(position, symbol): &(usize, &Symbol)| {
            patterns.names(&symbol.name, &symbol.container, path.as_str())
                || symbol.name.contains('/') && is_whole(position)
        };
        let mut found: Vec<usize> = symbols()
            .filter(is_meant)
            .map(|(position, _)| position)
            .collect();
        if let Some(overload) = patterns.overload() {
            let suffix = format!("[{overload}]");
            let of_many = |position: &usize| self.indexed_path(*position).ends_with(&suffix);
            let several = found.len() > 1;
            found.retain(|position| of_many(position) || !several && overload == 0);
        }
        if found.len() > 1 {
            let whole: Vec<usize> = found.iter().copied().filter(is_whole).collect();
            let namesakes = found
                .iter()
                .filter(|position| self.same_path(**position, whole.first()));
            if let [only] = whole.as_slice()
                && namesakes.count() == 1
            {
                found = vec![*only];
            }
        }
        match found.as_slice() {
            [] => Err(Error::NoSymbol {
                name_path: name_path.to_owned(),
                nearest: self.nearest(name_path),
            }),
            [only] => Ok(*only),
            several => Err(Error::Ambiguous {
                name_path: name_path.to_owned(),
                total: several.len(),
                candidates: several
                    .iter()
                    .filter_map(|position| {
                        let line = self.symbols.get(*position)?.lines.start;
                        Some(format!("{path}:{line} {}", self.indexed_path(*position)))
                    })
                    .collect(),
            }),
        }
    }

    fn same_path(&self, left: usize, right: Option<&usize>) -> bool {
        let path = |position: usize| self.symbols.get(position).map(Symbol::name_path);
        right.is_some_and(|right| path(left) == path(*right))
    }

    fn nearest(&self, name_path: &str) -> Vec<String> {
        let last = name_path.rsplit('/').next().unwrap_or(name_path);
        let matcher = Matcher::new(last, Matching::Fuzzy);
        let mut close: Vec<(Closeness, String)> = self
            .symbols
            .iter()
            .filter_map(|symbol| {
                let letters = Letters::of(&symbol.name);
                Some((
                    matcher.closeness(&symbol.name, letters)?,
                    symbol.name_path(),
                ))
            })
            .collect();
        close.sort();
        close.dedup();
        close.into_iter().take(5).map(|(_, path)| path).collect()
    }

    /// The innermost symbol that a byte of the text is in.
    pub fn at(&self, offset: u32) -> Option<usize> {
        self.symbols
            .iter()
            .enumerate()
            .filter(|(_, symbol)| {
                symbol.comments_start <= offset
                    && offset < symbol.range.end.max(symbol.name_range.end)
            })
            .min_by_key(|(_, symbol)| symbol.range.end - symbol.comments_start)
            .map(|(position, _)| position)
    }
}
