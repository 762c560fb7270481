//! Reading one file for the index.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use mk_project::{Error as ProjectError, RootDir};
use mk_types::ProjectPath;

use super::store::{Reading, Stamp};
use super::words::words;
use crate::error::Error;
use crate::extract::extract;
use crate::language::Language;
use crate::parse::{LARGEST, Limit, Parsers, SkipReason};
use crate::symbol::Symbol;

pub(super) fn read(
    root: &RootDir,
    path: &ProjectPath,
    stamp: Stamp,
    parsers: &mut Parsers,
    cancel: &AtomicBool,
) -> Reading {
    if stamp.size > LARGEST {
        return Reading::Skipped(SkipReason::TooLarge);
    }
    let text = match root.read_file(path) {
        Ok(file) => file.text,
        Err(ProjectError::Binary { .. }) => return Reading::Skipped(SkipReason::Binary),
        Err(_) => return Reading::Skipped(SkipReason::Unreadable),
    };
    let Some(language) = Language::of_file(path.as_str(), &text) else {
        return Reading::Foreign;
    };
    match extract(parsers, language, &text, &Limit::new(cancel)) {
        Ok(symbols) => Reading::Known {
            columns: symbols.iter().map(|symbol| column(&text, symbol)).collect(),
            words: words(&text),
            symbols,
        },
        Err(reason) => Reading::Skipped(reason),
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
