//! Searching the contents of a project's files.
//!
//! What is answered is the most relevant part, not what a thread happened to see first: every match is counted, the
//! best ones are kept (see [`rank`]), and the answer does not depend on the number of threads. Lines are read again
//! for context only where they are shown. Does not search binary files, and does not replace anything.

mod collect;
mod excerpt;
mod judge;
mod matcher;
mod pattern;
mod rank;

use std::sync::atomic::AtomicBool;

use mk_types::{AbsPath, ProjectPath};

use crate::error::Error;
use crate::find::{Cover, Globs, Readable, Tree};
use collect::{MatchCollector, SearchPlan};
pub(crate) use matcher::MOST_STEPS;
pub(crate) use pattern::needs_backtracking;
use rank::FileHits;

/// The most lines of context on either side.
pub const MOST_CONTEXT: usize = 20;
/// The most matches that are kept, however many are wanted; all of them are counted.
const MOST_RESULTS: usize = 20_000;
/// Files above this are data, not text that somebody reads.
const LARGEST_FILE: u64 = 20 * 1024 * 1024;

/// How a pattern is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternKind {
    Literal,
    Regex,
}

/// Whether capital letters count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LetterCase {
    Sensitive,
    Insensitive,
    /// They count when the pattern has one.
    Smart,
}

/// Whether a match may go on in the next line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchSpan {
    /// Only where the pattern itself has a line break.
    Line,
    /// It may, and `.` matches line breaks too.
    Lines,
}

/// What to search for, and where.
#[derive(Debug, Clone)]
pub struct SearchQuery {
    pub pattern: String,
    pub kind: PatternKind,
    pub case: LetterCase,
    pub span: MatchSpan,
    pub folder: ProjectPath,
    /// Globs as in [`crate::find_files`]; a plain name of a folder means what is in it. Empty: every file.
    pub include: Vec<String>,
    /// Globs; what matches a folder leaves out all of it.
    pub exclude: Vec<String>,
    /// Lines before and after, at most [`MOST_CONTEXT`].
    pub context: usize,
    /// At most 20,000 are answered.
    pub max_results: usize,
}

/// The best matches, and how many there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextSearchResult {
    /// The best file first.
    pub files: Vec<FileMatches>,
    /// In all files, also those that are not shown.
    pub total_matches: usize,
    pub total_files: usize,
    pub cut: bool,
    pub skipped: SkippedFiles,
}

/// What was not searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SkippedFiles {
    pub binary: usize,
    pub too_large: usize,
    pub unreadable: usize,
}

/// The matches of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMatches {
    pub path: ProjectPath,
    /// By line.
    pub matches: Vec<Match>,
    /// How many the file has, also when `matches` was cut.
    pub total: usize,
}

/// One line with a match, or the lines over which one match goes. Several matches that begin in one line count as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// Where the match begins, counted from 1.
    pub line: u64,
    /// At most 500 characters, cut around the match.
    pub text: String,
    pub before: Vec<String>,
    pub after: Vec<String>,
}

/// Searches the files below `query.folder`, or that one file.
pub fn search(
    root: &AbsPath,
    query: &SearchQuery,
    readable: Readable<'_>,
    cancel: &AtomicBool,
) -> Result<TextSearchResult, Error> {
    let matcher = pattern::compile(query)?;
    let include = Globs::new(root, &query.include, Cover::PlainFolders)?;
    let exclude = Globs::new(root, &query.exclude, Cover::Folders)?;
    let tree = Tree::open_any(root, &query.folder)?;
    let max_results = query.max_results.min(MOST_RESULTS);
    let plan = SearchPlan {
        root,
        tree: &tree,
        include: (!query.include.is_empty()).then_some(&include),
        exclude: &exclude,
        readable,
        across: pattern::goes_across(query),
        max_results,
    };
    let collectors = tree.walk(cancel, || MatchCollector::new(&plan, &matcher))?;
    let mut hits = Vec::new();
    let mut total_matches = 0;
    let mut total_files = 0;
    let mut skipped = SkippedFiles::default();
    for collector in collectors {
        total_matches += collector.total_matches;
        total_files += collector.total_files;
        skipped.binary += collector.skipped.binary;
        skipped.too_large += collector.skipped.too_large;
        skipped.unreadable += collector.skipped.unreadable;
        hits.extend(collector.hits);
    }
    rank::select(&mut hits, max_results);
    let context = query.context.min(MOST_CONTEXT);
    let files: Vec<FileMatches> = hits
        .into_iter()
        .map(|hits| shown(&tree, hits, context))
        .collect();
    let n_shown: usize = files.iter().map(|file| file.matches.len()).sum();
    Ok(TextSearchResult {
        files,
        total_matches,
        total_files,
        cut: n_shown < total_matches,
        skipped,
    })
}

fn shown(tree: &Tree, mut hits: FileHits, context: usize) -> FileMatches {
    hits.kept.sort_unstable_by_key(|hit| hit.line);
    let lines = (context > 0).then(|| excerpt::FileLines::read(tree, hits.path.as_str()));
    let matches = hits.kept.into_iter().map(|hit| {
        let around = lines.as_ref();
        Match {
            before: around.map_or_else(Vec::new, |lines| lines.before(hit.line, context)),
            after: around.map_or_else(Vec::new, |lines| {
                lines.after(hit.line + hit.n_lines - 1, context)
            }),
            line: hit.line,
            text: hit.text,
        }
    });
    FileMatches {
        matches: matches.collect(),
        total: hits.total,
        path: hits.path,
    }
}
