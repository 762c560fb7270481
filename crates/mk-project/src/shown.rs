//! Which hidden file another program's search would show: the walk of ripgrep, which most products start for it.
//!
//! Walks as that program does and reads nothing. The search itself is the other program's.

use std::path::{Path, PathBuf};

use ignore::overrides::OverrideBuilder;
use ignore::types::TypesBuilder;
use ignore::{DirEntry, WalkBuilder};
use mk_types::{AbsPath, ProjectPath};

use crate::ignored::IgnoredFiles;

/// Some tens of milliseconds' worth of names, for all that one call searches.
const MOST_NAMES: usize = 20_000;

/// A search of another program.
#[derive(Debug, Clone, Default)]
pub struct ForeignSearch {
    /// The directory or file that it searches.
    pub start: PathBuf,
    /// Where the program works: some read globs from there.
    pub directory: PathBuf,
    /// Globs as ripgrep's `--glob` takes them.
    pub globs: Vec<String>,
    pub file_type: Option<String>,
    pub skips_git_ignored: bool,
}

/// What a search would show of what is hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownBySearch {
    NothingHidden,
    /// The first hidden file that it would read.
    Hidden(ProjectPath),
    /// More names than are looked at.
    TooManyFiles,
}

/// Looks for a hidden file that the searches of one call would read. What cannot be read here is taken for shown.
pub fn shown_by_search(
    root: &AbsPath,
    ignored: &IgnoredFiles,
    searches: impl IntoIterator<Item = ForeignSearch>,
) -> ShownBySearch {
    if matches!(ignored, IgnoredFiles::Nothing) {
        return ShownBySearch::NothingHidden;
    }
    let mut seen = 0;
    for search in searches {
        // A program that reads globs from elsewhere may leave out less.
        let mut bases = vec![search.start.as_path()];
        if !search.globs.is_empty() && search.directory != search.start {
            bases.push(&search.directory);
        }
        for base in bases {
            let shown = shown_from(root, ignored, &search, base, &mut seen);
            if shown != ShownBySearch::NothingHidden {
                return shown;
            }
        }
    }
    ShownBySearch::NothingHidden
}

fn shown_from(
    root: &AbsPath,
    ignored: &IgnoredFiles,
    search: &ForeignSearch,
    base: &Path,
    seen: &mut usize,
) -> ShownBySearch {
    let Some(builder) = walk(search, base) else {
        // Globs or a type that we cannot read: whatever is there may be shown.
        let whole = ForeignSearch {
            start: search.start.clone(),
            directory: search.directory.clone(),
            ..ForeignSearch::default()
        };
        return shown_from(root, ignored, &whole, base, seen);
    };
    for entry in builder.build().flatten() {
        *seen += 1;
        if *seen > MOST_NAMES {
            return ShownBySearch::TooManyFiles;
        }
        if let Some(path) = hidden_file(root, ignored, &entry) {
            return ShownBySearch::Hidden(path);
        }
    }
    ShownBySearch::NothingHidden
}

/// `None` if the globs or the type cannot be read.
fn walk(search: &ForeignSearch, base: &Path) -> Option<WalkBuilder> {
    let mut builder = WalkBuilder::new(&search.start);
    let skips = search.skips_git_ignored;
    builder
        .hidden(false)
        .ignore(skips)
        .git_ignore(skips)
        .git_global(skips)
        .git_exclude(skips)
        .parents(skips)
        .current_dir(base)
        .filter_entry(|entry| entry.file_name() != ".git");
    let mut overrides = OverrideBuilder::new(base);
    for glob in &search.globs {
        overrides.add(glob).ok()?;
    }
    builder.overrides(overrides.build().ok()?);
    if let Some(file_type) = &search.file_type {
        let mut types = TypesBuilder::new();
        types.add_defaults();
        types.select(file_type);
        builder.types(types.build().ok()?);
    }
    Some(builder)
}

fn hidden_file(root: &AbsPath, ignored: &IgnoredFiles, entry: &DirEntry) -> Option<ProjectPath> {
    if entry.file_type().is_some_and(|kind| kind.is_dir()) {
        return None;
    }
    let path = entry.path().to_string_lossy();
    let path = ProjectPath::parse(&path, root).ok()?;
    ignored.hides(&path).then_some(path)
}
