//! Learning from the system what has changed on disk.
//!
//! Every folder that the ignore files leave visible is watched by itself, so that `target` and `node_modules` cost
//! nothing. Reads no file and knows no symbol.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use mk_project::{Depth, DirectoryQuery, EntryKind, IgnoredFiles, list_dir};
use mk_types::{AbsPath, ProjectPath, lock, unpoisoned};
use notify::event::{CreateKind, ModifyKind, RemoveKind};
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tempfile::TempDir;

use super::{IGNORE_FILES, MOST_FILES};
use crate::language::Language;

/// The system gives every user so many watches for all programs together, on some machines 8,192.
const MOST_FOLDERS: usize = if cfg!(test) { 50 } else { 5_000 };
/// The system delivers in microseconds, unless it has much to do.
const PATIENCE: Duration = Duration::from_millis(250);

/// A project whose folders are watched, until it is dropped.
#[derive(Debug)]
pub(super) struct IndexWatch {
    root: AbsPath,
    watcher: RecommendedWatcher,
    watching: BTreeSet<PathBuf>,
    seen: Arc<SeenChanges>,
    /// Outside of the project: what is made in here is only made to see it arrive.
    marks: TempDir,
    last_mark: AtomicU64,
}

/// What the system's thread and ours share.
#[derive(Debug, Default)]
struct SeenChanges {
    changes: Mutex<(Changes, u64)>,
    arrived: Condvar,
}

/// What has happened since somebody asked last.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Files that the index may hold.
    pub(super) files: BTreeSet<PathBuf>,
    /// Folders that came or went, and ignore files.
    folders: BTreeSet<PathBuf>,
    /// The system has not told everything.
    is_lost: bool,
}

impl Changes {
    /// Whether only a walk can tell what there is now.
    pub(super) fn need_walk(&self) -> bool {
        self.is_lost || !self.folders.is_empty()
    }
}

impl IndexWatch {
    /// `None` if the project cannot be watched: too many folders, or the system has no watches left.
    pub(super) fn start(root: &AbsPath, cancel: &AtomicBool) -> Option<Self> {
        let seen = Arc::new(SeenChanges::default());
        let marks = tempfile::Builder::new()
            .prefix("modekeeper-watch-")
            .tempdir();
        let marks = marks.ok()?;
        let report = {
            let (seen, marks) = (Arc::clone(&seen), marks.path().to_owned());
            move |event| seen.note(&marks, event)
        };
        let mut watcher = RecommendedWatcher::new(report, Config::default()).ok()?;
        watcher
            .watch(marks.path(), RecursiveMode::NonRecursive)
            .ok()?;
        let mut watch = Self {
            root: root.clone(),
            watcher,
            watching: BTreeSet::new(),
            seen,
            marks,
            last_mark: AtomicU64::new(0),
        };
        // A folder that is made after the first list and before its parent is watched is in the second.
        let watches =
            watch.follow(&Changes::default(), cancel) && watch.follow(&Changes::default(), cancel);
        watches.then_some(watch)
    }

    pub(super) fn n_folders(&self) -> usize {
        self.watching.len()
    }

    /// Watches the folders that there are now; false if that is not possible.
    pub(super) fn follow(&mut self, changes: &Changes, cancel: &AtomicBool) -> bool {
        let Some(wanted) = folders(&self.root, cancel) else {
            return false;
        };
        // A folder that was moved away and made again has its old name, but nobody watches it any more.
        let is_stale = |folder: &PathBuf| {
            !wanted.contains(folder) || changes.folders.iter().any(|gone| folder.starts_with(gone))
        };
        let stale: Vec<PathBuf> = self
            .watching
            .iter()
            .filter(|it| is_stale(it))
            .cloned()
            .collect();
        for folder in stale {
            // The system may have ended it already.
            drop(self.watcher.unwatch(&folder));
            self.watching.remove(&folder);
        }
        for folder in wanted {
            if self.watching.contains(&folder) {
                continue;
            }
            match self.watcher.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.watching.insert(folder);
                }
                // It went while we looked, and the watch of its parent says so.
                Err(_) if !folder.is_dir() => {}
                Err(error) => {
                    tracing::warn!(folder = %folder.display(), %error, "a directory cannot be watched");
                    return false;
                }
            }
        }
        true
    }

    /// Everything that happened before this call and was not taken yet.
    ///
    /// The system delivers in the order in which things happen. So a file is made, and when that is seen, everything
    /// before it has been.
    pub(super) fn take(&self) -> Changes {
        let mark = self.last_mark.fetch_add(1, Ordering::Relaxed) + 1;
        let path = self.marks.path().join(mark.to_string());
        let is_made = std::fs::File::create_new(&path).is_ok();
        let changes = lock(&self.seen.changes);
        let late = |(_, seen): &mut (Changes, u64)| is_made && *seen < mark;
        let waited = self
            .seen
            .arrived
            .wait_timeout_while(changes, PATIENCE, late);
        let (mut changes, timeout) = unpoisoned(waited);
        let mut taken = std::mem::take(&mut changes.0);
        drop(changes);
        taken.is_lost |= timeout.timed_out() || !is_made;
        drop(std::fs::remove_file(path));
        taken
    }
}

impl SeenChanges {
    fn note(&self, marks: &Path, event: Result<Event, notify::Error>) {
        // Reading is no change.
        if event.as_ref().is_ok_and(|event| event.kind.is_access()) {
            return;
        }
        let mut changes = lock(&self.changes);
        let (changes, last_mark) = &mut *changes;
        let Ok(event) = event else {
            changes.is_lost = true;
            return;
        };
        changes.is_lost |= event.need_rescan();
        let made_or_gone = matches!(
            event.kind,
            EventKind::Create(CreateKind::Folder) | EventKind::Remove(RemoveKind::Folder)
        );
        let is_move = matches!(event.kind, EventKind::Modify(ModifyKind::Name(_)));
        for path in event.paths {
            let name = path.file_name().and_then(|name| name.to_str());
            let name = name.unwrap_or_default();
            if path.parent() == Some(marks) {
                *last_mark = name.parse().unwrap_or(0).max(*last_mark);
                self.arrived.notify_all();
            } else if made_or_gone || IGNORE_FILES.contains(&name) {
                changes.folders.insert(path);
            } else if is_move && Language::of_path(name).is_none() && !path.is_file() {
                // What has moved away may have been a folder.
                changes.folders.insert(path);
            } else if Language::may_know(name) {
                changes.files.insert(path);
            }
        }
    }
}

/// The folders that the ignore files leave visible, with the root; `None` if there are too many.
fn folders(root: &AbsPath, cancel: &AtomicBool) -> Option<BTreeSet<PathBuf>> {
    let ignored = IgnoredFiles::load(root);
    let query = DirectoryQuery {
        folder: ProjectPath::parse(".", root).ok()?,
        depth: Depth::Recursive,
        max_entries: MOST_FILES,
    };
    let listed = list_dir(root, &query, &|path| !ignored.hides(path), cancel).ok()?;
    let mut folders = BTreeSet::from([root.as_path().to_owned()]);
    for entry in &listed.entries {
        if entry.kind == EntryKind::Folder && !ignored.hides(&entry.path) {
            folders.insert(entry.path.under(root));
        }
    }
    (!listed.cut && folders.len() <= MOST_FOLDERS).then_some(folders)
}
