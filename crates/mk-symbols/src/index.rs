//! The index of a project's symbols: made in the background, kept on disk, brought up to date file by file.
//!
//! It answers while it is being made and says how complete it is. What a caller may see is the caller's filter's
//! decision on every question; only what the project's ignore files hide is left out from the start.

mod cache;
mod complete;
mod kept;
mod listing;
mod read;
mod refresh;
mod store;
mod watch;
mod words;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, RwLock, RwLockReadGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use mk_project::RootDir;
use mk_types::{AbsPath, ProjectPath, lock, read_lock, unpoisoned, write_lock};

use crate::error::Error;
use crate::language::Language;
use crate::parallel;
use crate::parse::{Parsers, SkipReason};
use cache::Cache;
pub(crate) use complete::NameTrace;
use kept::KeptTrees;
use listing::IndexableFiles;
pub(crate) use read::text_of;
use refresh::Freshness;
use store::{IndexStamp, IndexedContent};
pub(crate) use store::{IndexedFiles, Letters, Names, PackedSymbol, PackedSymbols};
pub(crate) use words::{hash, is_word, occurrences};

/// A project with more files is indexed in part.
const MOST_FILES: usize = 200_000;
/// As many changed files as somebody may be editing.
const FEW: usize = 8;
/// Files whose change may show or hide others.
const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", mk_clients::IGNORE_FILE];

/// How far the index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexingProgress {
    pub state: IndexState,
    pub files_done: usize,
    /// 0 until the files are counted.
    pub files_total: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IndexState {
    /// Looking which files there are, and which have changed.
    #[default]
    Listing,
    Parsing,
    Ready,
    /// It was cancelled, or the project cannot be read.
    Stopped,
}

/// A file that is not in the index although its name says that it could be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedFile {
    pub path: ProjectPath,
    pub reason: SkipReason,
}

/// What a sweep has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SweptFiles {
    /// Read again, or for the first time.
    pub changed: usize,
    pub removed: usize,
}

/// The symbols of one project. Dropping it ends its threads and saves what has changed.
#[derive(Debug)]
pub struct SymbolIndex {
    shared: Arc<SharedIndex>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Debug)]
struct SharedIndex {
    root: RootDir,
    cache: Option<Cache>,
    store: RwLock<IndexedFiles>,
    progress: Mutex<IndexingProgress>,
    progressed: Condvar,
    cancel: AtomicBool,
    /// Held by the thread that changes the store from what is on disk, so that no older reading overwrites a newer one.
    working: Mutex<()>,
    /// Changed while the index was being made.
    pending: Mutex<BTreeSet<ProjectPath>>,
    unsaved: AtomicBool,
    freshness: Mutex<Freshness>,
    /// While the index is being made.
    listing: Mutex<Option<IndexableFiles>>,
    /// Held by a question that cannot wait for the index; the index waits for it.
    asked: Mutex<()>,
    kept: Mutex<KeptTrees>,
}

impl SymbolIndex {
    /// Starts to make the index, from what `cache_folder` holds if there is one.
    pub fn start(root: &AbsPath, cache_folder: Option<PathBuf>) -> Result<Self, Error> {
        let shared = Arc::new(SharedIndex {
            root: RootDir::open(root).map_err(Error::Open)?,
            cache: cache_folder.map(|folder| Cache::new(&folder, root)),
            store: RwLock::default(),
            progress: Mutex::default(),
            progressed: Condvar::new(),
            cancel: AtomicBool::new(false),
            working: Mutex::default(),
            pending: Mutex::default(),
            unsaved: AtomicBool::new(false),
            freshness: Mutex::default(),
            listing: Mutex::default(),
            asked: Mutex::default(),
            kept: Mutex::default(),
        });
        let builder = {
            let shared = Arc::clone(&shared);
            let thread = std::thread::Builder::new().name("symbols".to_owned());
            thread
                .spawn(move || shared.build())
                .map_err(Error::Thread)?
        };
        Ok(Self {
            shared,
            threads: Mutex::new(vec![builder]),
        })
    }

    pub fn progress(&self) -> IndexingProgress {
        *lock(&self.shared.progress)
    }

    /// Waits until the index is ready or stopped, at most this long.
    pub fn wait(&self, at_most: Duration) -> IndexingProgress {
        self.wait_while(at_most, |state| {
            matches!(state, IndexState::Listing | IndexState::Parsing)
        })
    }

    fn wait_while(
        &self,
        at_most: Duration,
        is_busy: impl Fn(IndexState) -> bool,
    ) -> IndexingProgress {
        let progress = lock(&self.shared.progress);
        let busy = |progress: &mut IndexingProgress| is_busy(progress.state);
        let waited = self
            .shared
            .progressed
            .wait_timeout_while(progress, at_most, busy);
        let (progress, _) = unpoisoned(waited);
        *progress
    }

    /// Reads files again that somebody says have changed, appeared or vanished.
    pub fn update(&self, paths: &[ProjectPath]) {
        if self.progress().state != IndexState::Ready {
            lock(&self.shared.pending).extend(paths.iter().cloned());
            // It may have become ready in between.
            if self.progress().state != IndexState::Ready {
                return;
            }
        }
        let working = lock(&self.shared.working);
        self.shared.update(paths);
        drop(working);
    }

    /// Compares all files with the disk: finds what has changed, appeared, moved or vanished.
    pub fn sweep(&self) -> SweptFiles {
        let working = lock(&self.shared.working);
        let swept = self.shared.sweep();
        drop(working);
        swept
    }

    /// The files that were left out, and why.
    pub fn skipped(&self) -> Vec<SkippedFile> {
        let store = self.store();
        let files = store.files.iter();
        files
            .filter_map(|(path, entry)| match entry.content {
                IndexedContent::Skipped(reason) => Some(SkippedFile {
                    path: path.clone(),
                    reason,
                }),
                IndexedContent::Known(_) | IndexedContent::Foreign => None,
            })
            .collect()
    }

    /// How many files have symbols, and how many symbols there are.
    pub fn size(&self) -> (usize, usize) {
        let store = self.store();
        let sizes = store.known().map(|(_, packed)| packed.symbols.len());
        sizes.fold((0, 0), |(files, symbols), size| (files + 1, symbols + size))
    }

    pub(crate) fn store(&self) -> RwLockReadGuard<'_, IndexedFiles> {
        read_lock(&self.shared.store)
    }

    pub(crate) fn root(&self) -> &RootDir {
        &self.shared.root
    }
}

impl Drop for SymbolIndex {
    fn drop(&mut self) {
        self.shared.cancel.store(true, Ordering::Relaxed);
        for thread in lock(&self.threads).drain(..) {
            // A thread that panicked has said so already.
            drop(thread.join());
        }
        self.shared.save();
    }
}

/// The folder a path is in; empty for the root.
fn parent(path: &ProjectPath) -> &str {
    path.as_str()
        .rsplit_once('/')
        .map_or("", |(folder, _)| folder)
}

fn name(path: &ProjectPath) -> &str {
    path.as_str().rsplit('/').next().unwrap_or_default()
}

/// Says that nothing more will come, however the thread ends.
struct IndexEnding<'a>(&'a SharedIndex);

impl Drop for IndexEnding<'_> {
    fn drop(&mut self) {
        let mut progress = lock(&self.0.progress);
        if progress.state != IndexState::Ready {
            progress.state = IndexState::Stopped;
        }
        drop(progress);
        self.0.progressed.notify_all();
    }
}

impl SharedIndex {
    fn build(&self) {
        self.fill();
        *lock(&self.listing) = None;
        self.save();
    }

    fn fill(&self) {
        let _ending = IndexEnding(self);
        let _working = lock(&self.working);
        if let Some(cache) = &self.cache
            && let Some(known) = cache.load(self.root.root())
        {
            *write_lock(&self.store) = known;
        }
        self.sweep();
        while !self.cancel.load(Ordering::Relaxed) {
            let mut pending = lock(&self.pending);
            let paths: Vec<ProjectPath> = std::mem::take(&mut *pending).into_iter().collect();
            if paths.is_empty() {
                // While `pending` is held, so that nobody adds to it who then trusts us to look.
                lock(&self.progress).state = IndexState::Ready;
                break;
            }
            drop(pending);
            self.update(&paths);
        }
    }

    fn update(&self, paths: &[ProjectPath]) {
        let store = read_lock(&self.store);
        let known: Vec<ProjectPath> = paths
            .iter()
            .filter(|path| store.files.contains_key(path))
            .cloned()
            .collect();
        let new: Vec<&ProjectPath> = paths
            .iter()
            .filter(|path| Language::may_know(path.as_str()) && !store.files.contains_key(path))
            .collect();
        // Who sees one file of a folder sees the folder.
        let is_in_known_folder = |path: &&ProjectPath| {
            let folder = parent(path);
            store.files.keys().any(|other| parent(other) == folder)
        };
        // Without an extension it may be, or have been, a folder.
        let may_be_folder =
            |path: &&ProjectPath| !name(path).contains('.') && self.stamp(path).is_none();
        let needs_walk = !new.iter().all(is_in_known_folder)
            || new.iter().any(may_be_folder)
            || paths.iter().any(|path| IGNORE_FILES.contains(&name(path)));
        drop(store);
        let (gone, changed): (Vec<_>, Vec<_>) = known
            .into_iter()
            .map(|path| {
                let stamp = self.stamp(&path);
                (path, stamp)
            })
            .partition(|(_, stamp)| stamp.is_none());
        self.remove(gone.into_iter().map(|(path, _)| path));
        let mut changed: Vec<_> = changed
            .into_iter()
            .filter_map(|(path, stamp)| Some((path, stamp?)))
            .collect();
        if needs_walk {
            self.read_all(&changed, |_, _| true);
            self.sweep();
        } else {
            changed.extend(self.visible(&new));
            self.read_all(&changed, |_, _| true);
        }
    }

    fn sweep(&self) -> SweptFiles {
        let Some(found) = self.listed_for_sweep() else {
            return SweptFiles::default();
        };
        let mut changed = Vec::new();
        let mut gone: BTreeSet<ProjectPath> = BTreeSet::new();
        {
            let store = read_lock(&self.store);
            gone.extend(store.files.keys().cloned());
            for (path, stamp) in &found {
                gone.remove(path);
                if store
                    .files
                    .get(path)
                    .is_none_or(|entry| entry.stamp != *stamp)
                {
                    changed.push((path.clone(), *stamp));
                }
            }
        }
        let swept = SweptFiles {
            changed: changed.len(),
            removed: gone.len(),
        };
        self.remove(gone.into_iter());
        self.set_progress(|progress| {
            if progress.state == IndexState::Listing {
                progress.state = IndexState::Parsing;
            }
            progress.files_total = found.len();
            progress.files_done = found.len() - swept.changed;
        });
        self.progressed.notify_all();
        self.read_all(&changed, |path, stamp| !self.knows(path, stamp));
        swept
    }

    fn set_progress(&self, change: impl FnOnce(&mut IndexingProgress)) {
        change(&mut lock(&self.progress));
    }

    fn remove(&self, paths: impl Iterator<Item = ProjectPath>) {
        let mut store = write_lock(&self.store);
        for path in paths {
            if store.files.remove(&path).is_some() {
                self.unsaved.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Whether a file is known in this state; a question may have had it read before its turn.
    fn knows(&self, path: &ProjectPath, stamp: IndexStamp) -> bool {
        let store = read_lock(&self.store);
        let entry = store.files.get(path);
        entry.is_some_and(|entry| entry.stamp == stamp)
    }

    /// Reads and parses the files that are still needed in their turn, on several threads if there are many.
    fn read_all(
        &self,
        files: &[(ProjectPath, IndexStamp)],
        is_needed: impl Fn(&ProjectPath, IndexStamp) -> bool + Sync,
    ) {
        if files.is_empty() {
            return;
        }
        self.unsaved.store(true, Ordering::Relaxed);
        let reader = self.reader(files.len());
        parallel::map(files, |parsers, (path, stamp)| {
            drop(lock(&self.asked));
            if self.cancel.load(Ordering::Relaxed) {
                return;
            }
            if is_needed(path, *stamp) {
                self.read_one(&reader, parsers, path, *stamp);
            }
            self.set_progress(|progress| {
                progress.files_done = (progress.files_done + 1).min(progress.files_total);
            });
        });
    }

    /// A reader of so many files.
    fn reader(&self, n_files: usize) -> read::Reader<'_> {
        read::Reader {
            root: &self.root,
            cancel: &self.cancel,
            kept: (n_files <= FEW).then_some(&self.kept),
        }
    }

    fn read_one(
        &self,
        reader: &read::Reader<'_>,
        parsers: &mut Parsers,
        path: &ProjectPath,
        stamp: IndexStamp,
    ) {
        let reading = read::read(reader, parsers, path, stamp);
        // What was cut short says nothing about the file.
        if !self.cancel.load(Ordering::Relaxed) {
            let mut store = write_lock(&self.store);
            store.insert(path.clone(), stamp, reading);
        }
    }

    fn save(&self) {
        let Some(cache) = &self.cache else { return };
        if !self.unsaved.swap(false, Ordering::Relaxed) {
            return;
        }
        let store = read_lock(&self.store);
        if let Err(error) = cache.save(&store) {
            tracing::warn!(%error, "the index cannot be saved; the next start makes it again");
        }
    }
}
