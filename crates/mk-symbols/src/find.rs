//! Finding symbols by what somebody remembers of their names.

mod matching;
mod pattern;

use std::fmt;
use std::path::PathBuf;

use globset::GlobMatcher;
use mk_project::Readable;
use mk_types::{FilePattern, GlobError, ProjectPath, path_glob};

use crate::error::Error;
use crate::index::{
    IndexState, IndexedFiles, IndexingProgress, PackedSymbol, PackedSymbols, SymbolIndex,
};
use crate::kind::SymbolKind;
use crate::symbol::{LineSpan, join_path};
pub use matching::{Closeness, Matching};
pub(crate) use matching::{Humps, Matcher};
pub(crate) use pattern::Patterns;

/// Which symbols to find.
#[derive(Debug, Clone)]
pub struct IndexQuery {
    /// A name, the end of a name path `A/b`, a whole one `/A/b`; `[1]` at the end picks one of several namesakes.
    pub pattern: String,
    /// See [`SymbolKind::answers`].
    pub kind: Option<SymbolKind>,
    /// A glob: without `/` a file's name at any depth, with `/` a path from the root; a folder means all in it.
    pub files: Option<String>,
    pub matching: Matching,
    pub limit: usize,
}

impl IndexQuery {
    pub fn new(pattern: impl Into<String>) -> Self {
        Self {
            pattern: pattern.into(),
            kind: None,
            files: None,
            matching: Matching::Ranked,
            limit: 50,
        }
    }
}

/// Where an answer comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerSource {
    /// Definitions, read from the syntax of the files.
    Index,
    /// Uses of a name, whatever it means in each place.
    IndexByName,
    /// Language servers, by their names.
    Servers(Vec<String>),
    /// The index, and what these language servers know beside it.
    IndexAndServers(Vec<String>),
    /// One file's text, parsed alone.
    Syntax,
}

impl fmt::Display for AnswerSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index => f.write_str("index"),
            Self::IndexByName => f.write_str("index (by name)"),
            Self::Servers(names) => f.write_str(&names.join(", ")),
            Self::IndexAndServers(names) => write!(f, "index, {}", names.join(", ")),
            Self::Syntax => f.write_str("syntax"),
        }
    }
}

/// A symbol that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolHit {
    pub kind: SymbolKind,
    pub name: String,
    /// With an index where the file has namesakes.
    pub name_path: String,
    pub path: ProjectPath,
    pub lines: LineSpan,
    /// Of the name, in characters, counted from 1.
    pub column: u32,
    pub signature: String,
    pub doc: Option<String>,
    pub closeness: Closeness,
}

/// An answer of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexAnswer<T> {
    /// The best first.
    pub hits: Vec<T>,
    /// How many there are, also those beyond the limit.
    pub total: usize,
    /// Whether all of them were counted; there are more otherwise.
    pub is_counted: bool,
    pub source: AnswerSource,
    pub progress: IndexingProgress,
}

impl<T> IndexAnswer<T> {
    /// Whether files are still missing from the index, so that an empty answer says little.
    pub fn is_partial(&self) -> bool {
        self.progress.state != IndexState::Ready
    }
}

impl SymbolIndex {
    /// Finds symbols by name. Ranked by closeness, then types before functions before values, code before tests and
    /// mocks, what has a doc comment before what has none, shorter paths first.
    pub fn find(
        &self,
        query: &IndexQuery,
        readable: Readable<'_>,
    ) -> Result<IndexAnswer<SymbolHit>, Error> {
        let files = query.files.as_deref().map(FileGlob::new).transpose()?;
        let patterns = Patterns::parse(&query.pattern);
        let search = AskedQuery {
            query,
            patterns: &patterns,
            files: files.as_ref(),
            readable,
        };
        if let Some(answer) = self.find_early(&search) {
            return Ok(answer);
        }
        let progress = self.wait_for_certainty();
        let store = self.store();
        let mut found = search.collect(&store, query.matching);
        if found.is_empty() && query.matching == Matching::Ranked {
            found = search.collect(&store, Matching::Fuzzy);
        }
        Ok(answer(&store, found, query.limit, progress))
    }

    /// A whole answer before the index is; `None` if there can be none, or the index is there.
    ///
    /// Guesses need all names, and are made only where nothing else fits.
    fn find_early(&self, search: &AskedQuery<'_>) -> Option<IndexAnswer<SymbolHit>> {
        let AskedQuery {
            query, patterns, ..
        } = search;
        let progress = self.progress();
        let can_be = progress.state != IndexState::Ready && query.matching != Matching::Fuzzy;
        if !can_be || !self.complete_for(&patterns.traces()) {
            return None;
        }
        let store = self.store();
        let found = search.collect(&store, query.matching);
        let state = IndexState::Ready;
        if found.is_empty() && query.matching == Matching::Ranked {
            return None;
        }
        let progress = IndexingProgress { state, ..progress };
        Some(answer(&store, found, query.limit, progress))
    }

    /// Names that are close to one that does not exist, for a suggestion.
    pub fn nearest(&self, name: &str, most: usize, readable: Readable<'_>) -> Vec<String> {
        let last = name.rsplit(['/', ':', '.', '#']).next().unwrap_or(name);
        let query = IndexQuery {
            matching: Matching::Fuzzy,
            limit: most * 8,
            ..IndexQuery::new(last)
        };
        let hits = self.find(&query, readable).map(|answer| answer.hits);
        let mut names: Vec<String> = Vec::new();
        for hit in hits.unwrap_or_default() {
            if !names.contains(&hit.name_path) && names.len() < most {
                names.push(hit.name_path);
            }
        }
        names
    }
}

/// What decides the order; the fields are in the order in which they count.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank<'a> {
    closeness: Closeness,
    kind: u8,
    is_test: bool,
    is_undocumented: bool,
    path_len: usize,
    path: &'a ProjectPath,
    line: u32,
    column: u32,
}

struct SymbolCandidate<'a> {
    rank: Rank<'a>,
    packed: &'a PackedSymbols,
    symbol: &'a PackedSymbol,
    position: usize,
}

impl SymbolCandidate<'_> {
    fn hit(&self, store: &IndexedFiles) -> SymbolHit {
        let name = store.names.text(self.symbol.name);
        let mut name_path = join_path(store.names.text(self.symbol.container), name);
        if let Some(overload) = self.packed.overload(self.position) {
            name_path = format!("{name_path}[{overload}]");
        }
        SymbolHit {
            kind: self.symbol.kind,
            name: name.to_owned(),
            name_path,
            path: self.rank.path.clone(),
            lines: self.symbol.lines(),
            column: self.symbol.column,
            signature: self.packed.signature(self.symbol).to_owned(),
            doc: self.packed.doc(self.symbol).map(str::to_owned),
            closeness: self.rank.closeness,
        }
    }
}

fn answer(
    store: &IndexedFiles,
    mut found: Vec<SymbolCandidate<'_>>,
    limit: usize,
    progress: IndexingProgress,
) -> IndexAnswer<SymbolHit> {
    found.sort_by(|left, right| left.rank.cmp(&right.rank));
    let shown = found.iter().take(limit);
    IndexAnswer {
        hits: shown.map(|one| one.hit(store)).collect(),
        total: found.len(),
        is_counted: true,
        source: AnswerSource::Index,
        progress,
    }
}

/// A query, and who asks.
struct AskedQuery<'q> {
    query: &'q IndexQuery,
    patterns: &'q Patterns,
    files: Option<&'q FileGlob>,
    readable: Readable<'q>,
}

impl AskedQuery<'_> {
    fn collect<'a>(&self, store: &'a IndexedFiles, matching: Matching) -> Vec<SymbolCandidate<'a>> {
        let matches = self.patterns.matches(&store.names, matching);
        let mut found: Vec<SymbolCandidate<'a>> = Vec::new();
        if matches.is_empty() {
            return found;
        }
        for (path, packed) in store.known() {
            let mut seen: Option<FileView> = None;
            for (position, symbol) in packed.symbols.iter().enumerate() {
                let Some(closeness) = matches.closeness(&store.names, symbol, path.as_str()) else {
                    continue;
                };
                if !self.wants(packed, position, symbol) {
                    continue;
                }
                let view = *seen.get_or_insert_with(|| self.view(path));
                if !view.may_see {
                    break;
                }
                found.push(SymbolCandidate {
                    rank: Rank {
                        closeness,
                        kind: symbol.kind.rank(),
                        is_test: view.is_test,
                        is_undocumented: !symbol.is_documented(),
                        path_len: path.as_str().len(),
                        path,
                        line: symbol.lines().start,
                        column: symbol.column,
                    },
                    packed,
                    symbol,
                    position,
                });
            }
        }
        found
    }

    fn wants(&self, packed: &PackedSymbols, position: usize, symbol: &PackedSymbol) -> bool {
        let is_kind = |asked: SymbolKind| symbol.kind.answers(asked);
        let is_overload = |asked: usize| packed.overload(position).unwrap_or(0) == asked;
        self.query.kind.is_none_or(is_kind) && self.patterns.overload().is_none_or(is_overload)
    }

    fn view(&self, path: &ProjectPath) -> FileView {
        let is_asked = |files: &FileGlob| files.matches(path.as_str());
        FileView {
            may_see: self.files.is_none_or(is_asked) && (self.readable)(path),
            is_test: is_test(path.as_str()),
        }
    }
}

/// What holds for all symbols of a file; asked once, and only where one of them matches.
#[derive(Clone, Copy)]
struct FileView {
    may_see: bool,
    is_test: bool,
}

/// Whether a path says that what is in it is a test, or stands in for something in one.
pub fn is_test(path: &str) -> bool {
    path.split('/').any(|part| {
        let stem = part.split('.').next().unwrap_or(part);
        matches!(
            stem,
            "test" | "tests" | "spec" | "specs" | "testdata" | "fixtures" | "mock" | "mocks"
        ) || matches!(part, "__tests__" | "__mocks__")
            || part.starts_with("test_")
            || part.contains("_test.")
            || part.contains(".test.")
            || part.contains(".spec.")
            || part.contains("_spec.")
    })
}

/// A glob for files, as people write it.
#[derive(Debug)]
pub(crate) struct FileGlob {
    glob: GlobMatcher,
    is_name: bool,
    /// The same glob as a folder's.
    folder: GlobMatcher,
}

impl FileGlob {
    pub(crate) fn new(pattern: &str) -> Result<Self, Error> {
        let bad = |reason: GlobError| Error::BadPattern {
            pattern: pattern.chars().take(200).collect(),
            reason: reason.to_string(),
        };
        let compile = |text: &str| path_glob(text).map(|glob| glob.compile_matcher());
        let read = FilePattern::read(pattern).map_err(bad)?;
        Ok(Self {
            glob: compile(&read.text).map_err(bad)?,
            is_name: read.is_name,
            folder: compile(&format!("{}/**", read.text)).map_err(bad)?,
        })
    }

    pub(crate) fn matches(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.glob.is_match(path)
            || self.is_name && self.glob.is_match(name)
            || self.folder.is_match(path)
    }
}

/// A path as errors show it.
pub(crate) fn shown(path: &ProjectPath) -> PathBuf {
    PathBuf::from(path.to_string())
}
