//! Keeping the index as fresh as the files are, at a cost that a question does not feel.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mk_types::{ProjectPath, Timestamp, lock, read_lock};

use super::watch::{Changes, IndexWatch};
use super::{IndexState, SharedIndex, SymbolIndex};

/// Where nothing can be watched, files are compared with the disk this often, or more often if there are few.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// A pause for each file, ten times what it takes to compare it: small projects are never behind.
const LOOK_AGAIN_A_FILE: Duration = Duration::from_micros(40);
/// What a network file system changes elsewhere, no watcher sees.
const LOOK_AGAIN_WATCHED: Duration = Duration::from_secs(60);

/// How the index learns of changes.
#[derive(Debug, Default)]
pub(super) struct Freshness {
    /// When the files were last compared with the disk.
    looked: Option<Timestamp>,
    /// When somebody asked for the first time.
    began: Option<Timestamp>,
    watching: IndexWatching,
}

#[derive(Debug, Default)]
enum IndexWatching {
    /// Who asks once does not pay for it.
    #[default]
    NotYet,
    Starting,
    On(IndexWatch),
    Impossible,
}

/// Between two comparisons of so many files with the disk.
pub(super) fn pause(n_files: usize) -> Duration {
    let n_files = u32::try_from(n_files).unwrap_or(u32::MAX);
    LOOK_AGAIN_A_FILE.saturating_mul(n_files).min(LOOK_AGAIN)
}

impl SymbolIndex {
    /// Brings the index up to date with the disk, for the request that follows.
    ///
    /// Call it before every question, and once right after [`SymbolIndex::start`]. While the index is being made it only
    /// notes the time. The first call a second later starts to watch the project's folders, in the background; from
    /// then on a call costs a fraction of a millisecond when nothing has changed, and the time to read what has
    /// changed otherwise: everything that was on disk before the call is in the index after it. Where folders cannot
    /// be watched, or are not yet, all files are compared with the disk; where there are many, not before every
    /// question, but once a second. A watched project is compared once a minute too, because a network file system does
    /// not tell what changes elsewhere.
    ///
    /// [`SymbolIndex::update`] remains for files that the caller has written itself.
    pub fn refresh(&self, now: Timestamp) {
        // Held while looking, so that nobody answers from before it.
        let mut freshness = lock(&self.shared.freshness);
        let began = *freshness.began.get_or_insert(now);
        if self.progress().state != IndexState::Ready {
            freshness.looked.get_or_insert(now);
            return;
        }
        let age = freshness.looked.map(|looked| now.since(looked));
        let is_older = |than| age.is_none_or(|age| age > than);
        if let IndexWatching::On(watch) = &mut freshness.watching {
            let changes = watch.take();
            let must_walk = changes.need_walk();
            if must_walk && !watch.follow(&changes, &self.shared.cancel) {
                tracing::warn!("the project cannot be watched any more; its files are compared");
                freshness.watching = IndexWatching::Impossible;
            }
            if must_walk || is_older(LOOK_AGAIN_WATCHED) {
                self.sweep();
                freshness.looked = Some(now);
            } else {
                self.shared.take_up(&changes);
            }
        } else if is_older(pause(self.store().files.len())) {
            self.sweep();
            freshness.looked = Some(now);
            let is_late = now.since(began) > LOOK_AGAIN;
            if is_late && matches!(freshness.watching, IndexWatching::NotYet) {
                freshness.watching = self.start_watching();
            }
        }
    }

    /// How many folders are watched; `None` where files are compared instead.
    pub fn watched_folders(&self) -> Option<usize> {
        match &lock(&self.shared.freshness).watching {
            IndexWatching::On(watch) => Some(watch.n_folders()),
            IndexWatching::NotYet | IndexWatching::Starting | IndexWatching::Impossible => None,
        }
    }

    fn start_watching(&self) -> IndexWatching {
        let shared = Arc::clone(&self.shared);
        let thread = std::thread::Builder::new().name("symbols-watch".to_owned());
        match thread.spawn(move || shared.watch()) {
            Ok(thread) => {
                lock(&self.threads).push(thread);
                IndexWatching::Starting
            }
            Err(_) => IndexWatching::Impossible,
        }
    }
}

impl SharedIndex {
    fn watch(&self) {
        let watch = IndexWatch::start(self.root.root(), &self.cancel);
        if watch.is_some() {
            // What changed before the watches were there.
            let working = lock(&self.working);
            self.sweep();
            drop(working);
        } else if !self.cancel.load(Ordering::Relaxed) {
            tracing::info!("the project cannot be watched; its files are compared instead");
        }
        lock(&self.freshness).watching = watch.map_or(IndexWatching::Impossible, IndexWatching::On);
    }

    /// Reads what has really changed: many a write leaves a file as it was, or was ours.
    fn take_up(&self, changes: &Changes) {
        if changes.files.is_empty() {
            return;
        }
        let root = self.root.root();
        let path_of = |file: &PathBuf| {
            let below = file.strip_prefix(root.as_path()).ok()?.to_str()?;
            ProjectPath::parse(below, root).ok()
        };
        let is_changed = |path: &ProjectPath| {
            let store = read_lock(&self.store);
            store.files.get(path).map(|entry| entry.stamp) != self.stamp(path)
        };
        let working = lock(&self.working);
        let changed: Vec<ProjectPath> = changes
            .files
            .iter()
            .filter_map(path_of)
            .filter(is_changed)
            .collect();
        if !changed.is_empty() {
            self.update(&changed);
        }
        drop(working);
    }
}
