//! Reading one file for the index.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use mk_project::{Error as ProjectError, RootDir};
use mk_types::{ProjectPath, lock};

use super::kept::{KeptTrees, LARGE};
use super::store::{FileReading, IndexStamp};
use super::words::words;
use crate::error::Error;
use crate::extract::{extract, extract_after};
use crate::language::Language;
use crate::parse::{LARGEST, ParseLimit, Parsers, SkipReason, can_follow};
use crate::symbol::Symbol;

/// What readings have in common.
pub(super) struct Reader<'a> {
    pub(super) root: &'a RootDir,
    pub(super) cancel: &'a AtomicBool,
    /// Where few files are read, because they have changed.
    pub(super) kept: Option<&'a Mutex<KeptTrees>>,
}

impl Reader<'_> {
    fn symbols(
        &self,
        parsers: &mut Parsers,
        language: &Language,
        path: &ProjectPath,
        text: &str,
    ) -> Result<Vec<Symbol>, SkipReason> {
        let limit = ParseLimit::new(self.cancel);
        let Some(kept) = self.kept.filter(|_| text.len() >= LARGE) else {
            return extract(parsers, language, text, &limit);
        };
        let change = lock(kept).take(path, text);
        let change = change.filter(|_| can_follow(language, text));
        let before = change.as_ref().map(|change| &change.tree);
        let tree = parsers.tree_after(language, text, before, &limit)?;
        let (symbols, found) = extract_after(parsers, language, (text, &tree), change, &limit)?;
        lock(kept).keep(path, text, (tree, found));
        Ok(symbols)
    }
}

pub(super) fn read(
    reader: &Reader<'_>,
    parsers: &mut Parsers,
    path: &ProjectPath,
    stamp: IndexStamp,
) -> FileReading {
    if stamp.size > LARGEST {
        return FileReading::Skipped(SkipReason::TooLarge);
    }
    let text = match reader.root.read_file(path) {
        Ok(file) => file.text,
        Err(ProjectError::Binary { .. }) => return FileReading::Skipped(SkipReason::Binary),
        Err(_) => return FileReading::Skipped(SkipReason::Unreadable),
    };
    let Some(language) = Language::of_file(path.as_str(), &text) else {
        return FileReading::Foreign;
    };
    match reader.symbols(parsers, language, path, &text) {
        Ok(symbols) => FileReading::Known {
            columns: symbols.iter().map(|symbol| column(&text, symbol)).collect(),
            words: words(&text),
            symbols,
        },
        Err(reason) => FileReading::Skipped(reason),
    }
}

fn column(text: &str, symbol: &Symbol) -> u32 {
    let before = text.get(..symbol.name_range.start as usize);
    let line = before.and_then(|before| before.rsplit('\n').next());
    line.map_or(1, |line| {
        u32::try_from(line.chars().count()).unwrap_or(0) + 1
    })
}

/// A file's text as symbols are looked for in it.
pub(crate) fn text_of(root: &RootDir, path: &ProjectPath) -> Result<String, Error> {
    match root.read_file(path) {
        Ok(file) => Ok(file.text),
        Err(source) => Err(Error::Read {
            path: PathBuf::from(path.as_str()),
            source,
        }),
    }
}
