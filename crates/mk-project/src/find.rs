//! Finding files by name and listing folders, as the project's ignore files and the caller's read limits want it.
//!
//! Memory stays flat however large the tree is: only the entries that are answered are kept, the others are counted.
//! Links are shown and never followed. Does not read a file's contents.

mod anchor;
mod glob;
mod smallest;
mod tree;

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use mk_types::{AbsPath, ProjectPath};

use crate::error::Error;
pub(crate) use glob::{Cover, Globs};
use smallest::Smallest;
pub use tree::EntryKind;
pub(crate) use tree::{Tree, TreeEntry, Visit, WalkStep};

/// Whether a path may be shown; it is asked from several threads.
pub type Readable<'a> = &'a (dyn Fn(&ProjectPath) -> bool + Sync);

/// As many entries as are looked at below a folder that is itself refused, to learn whether it holds anything to show.
const MOST_PEEKED: usize = 10_000;

/// Which files to find.
#[derive(Debug, Clone)]
pub struct FindQuery {
    /// A glob: without `/` it is a file's name at any depth, with `/` a path below `folder`.
    pub pattern: String,
    pub folder: ProjectPath,
    pub max_results: usize,
}

/// The first files by path, and how many there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstFiles {
    pub paths: Vec<ProjectPath>,
    /// How many match, also when `paths` was cut.
    pub total: usize,
    pub cut: bool,
}

/// Finds the files and links whose path matches, sorted by path.
pub fn find_files(
    root: &AbsPath,
    query: &FindQuery,
    readable: Readable<'_>,
    cancel: &AtomicBool,
) -> Result<FirstFiles, Error> {
    let tree = Tree::open(root, &query.folder)?;
    let mut found = walked_files(&tree, root, query, readable, cancel)?;
    found.paths.retain(|path| tree.holds(path.as_str()));
    Ok(found)
}

/// The same as the walk has seen them, at a third of the cost: a directory may have been swapped for a link meanwhile. For
/// callers that show nothing of a file, not even its path, before they have opened it through
/// [`RootDir`](crate::RootDir).
pub fn find_files_to_open(
    root: &AbsPath,
    query: &FindQuery,
    readable: Readable<'_>,
    cancel: &AtomicBool,
) -> Result<FirstFiles, Error> {
    let tree = Tree::open(root, &query.folder)?;
    walked_files(&tree, root, query, readable, cancel)
}

fn walked_files(
    tree: &Tree,
    root: &AbsPath,
    query: &FindQuery,
    readable: Readable<'_>,
    cancel: &AtomicBool,
) -> Result<FirstFiles, Error> {
    let globs = Globs::new(root, std::slice::from_ref(&query.pattern), Cover::Files)?;
    let finders = tree.walk(cancel, || FileFinder {
        root,
        globs: &globs,
        readable,
        found: Smallest::new(query.max_results),
    })?;
    let found = finders.into_iter().map(|finder| finder.found);
    let found = Smallest::merge(query.max_results, found);
    let total = found.total();
    let paths: Vec<ProjectPath> = found
        .into_sorted()
        .into_iter()
        .filter_map(|path| ProjectPath::parse(&path, root).ok())
        .collect();
    Ok(FirstFiles {
        cut: total > query.max_results,
        paths,
        total,
    })
}

struct FileFinder<'a> {
    root: &'a AbsPath,
    globs: &'a Globs,
    readable: Readable<'a>,
    found: Smallest<String>,
}

impl Visit for FileFinder<'_> {
    fn visit(&mut self, entry: &TreeEntry<'_>) -> WalkStep {
        let wanted = matches!(entry.kind, EntryKind::File | EntryKind::Link)
            && self.globs.matches(entry.below, entry.name)
            && ProjectPath::parse(entry.path, self.root).is_ok_and(|path| (self.readable)(&path));
        if wanted {
            self.found.push_with(entry.path, str::to_owned);
        }
        WalkStep::Continue
    }
}

/// How deep to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    Flat,
    Recursive,
}

/// Which folder to list.
#[derive(Debug, Clone)]
pub struct DirectoryQuery {
    pub folder: ProjectPath,
    pub depth: Depth,
    pub max_entries: usize,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedEntry {
    pub path: ProjectPath,
    pub kind: EntryKind,
    /// In bytes; 0 for anything but a file.
    pub size: u64,
}

/// The first entries by path, and how many there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedEntries {
    pub entries: Vec<ListedEntry>,
    /// How many there are, also when `entries` was cut.
    pub total: usize,
    pub cut: bool,
}

/// Lists a folder, sorted by path.
///
/// A mode that may read Markdown only refuses every folder by name, so a refused folder is shown when something
/// readable is below it; one that `.rooignore` hides has nothing readable below it and stays hidden.
pub fn list_dir(
    root: &AbsPath,
    query: &DirectoryQuery,
    readable: Readable<'_>,
    cancel: &AtomicBool,
) -> Result<ListedEntries, Error> {
    let tree = Tree::open(root, &query.folder)?;
    let tree = match query.depth {
        Depth::Flat => tree.flat(),
        Depth::Recursive => tree,
    };
    let listers = tree.walk(cancel, || Lister {
        root,
        readable,
        listed: Smallest::new(query.max_entries),
        refused: Vec::new(),
        revealed: HashSet::new(),
    })?;
    let mut refused = Vec::new();
    let mut revealed = HashSet::new();
    let mut lists = Vec::new();
    for lister in listers {
        refused.extend(lister.refused);
        revealed.extend(lister.revealed);
        lists.push(lister.listed);
    }
    let mut listed = Smallest::merge(query.max_entries, lists.into_iter());
    for folder in refused {
        let shown = match query.depth {
            Depth::Recursive => revealed.contains(&folder),
            Depth::Flat => reveals(root, &folder, readable, cancel)?,
        };
        if shown {
            listed.push_with(&(folder, EntryKind::Folder), Clone::clone);
        }
    }
    let total = listed.total();
    let mut entries = Vec::new();
    for (path, kind) in listed.into_sorted() {
        // What has vanished since, or lies behind a link by now, is not shown.
        if let (Some(size), Ok(path)) = (tree.size(&path, kind), ProjectPath::parse(&path, root)) {
            entries.push(ListedEntry { path, kind, size });
        }
    }
    Ok(ListedEntries {
        cut: total > query.max_entries,
        entries,
        total,
    })
}

/// Whether something below a refused folder may be shown.
fn reveals(
    root: &AbsPath,
    folder: &str,
    readable: Readable<'_>,
    cancel: &AtomicBool,
) -> Result<bool, Error> {
    let Ok(folder) = ProjectPath::parse(folder, root) else {
        return Ok(false);
    };
    let Ok(tree) = Tree::open(root, &folder) else {
        return Ok(false);
    };
    let peeks = tree.walk(cancel, || Peek {
        root,
        readable,
        seen: 0,
        found: false,
    })?;
    Ok(peeks.iter().any(|peek| peek.found))
}

struct Peek<'a> {
    root: &'a AbsPath,
    readable: Readable<'a>,
    seen: usize,
    found: bool,
}

impl Visit for Peek<'_> {
    fn visit(&mut self, entry: &TreeEntry<'_>) -> WalkStep {
        self.seen += 1;
        self.found = self.found
            || entry.kind != EntryKind::Folder
                && ProjectPath::parse(entry.path, self.root)
                    .is_ok_and(|path| (self.readable)(&path));
        if self.found || self.seen > MOST_PEEKED {
            WalkStep::Stop
        } else {
            WalkStep::Continue
        }
    }
}

struct Lister<'a> {
    root: &'a AbsPath,
    readable: Readable<'a>,
    listed: Smallest<(String, EntryKind)>,
    /// Folders that may not be named for their own sake.
    refused: Vec<String>,
    /// Folders with something readable below them.
    revealed: HashSet<String>,
}

impl Visit for Lister<'_> {
    fn visit(&mut self, entry: &TreeEntry<'_>) -> WalkStep {
        let shown =
            ProjectPath::parse(entry.path, self.root).is_ok_and(|path| (self.readable)(&path));
        if shown {
            self.reveal(entry.path);
            self.listed
                .push_with(&(entry.path.to_owned(), entry.kind), Clone::clone);
        } else if entry.kind == EntryKind::Folder {
            self.refused.push(entry.path.to_owned());
        }
        WalkStep::Continue
    }
}

impl Lister<'_> {
    fn reveal(&mut self, path: &str) {
        let folders = Path::new(path).ancestors().skip(1);
        for folder in folders.filter_map(Path::to_str) {
            // The folders above a known one are known.
            if self.revealed.contains(folder) {
                break;
            }
            self.revealed.insert(folder.to_owned());
        }
    }
}
