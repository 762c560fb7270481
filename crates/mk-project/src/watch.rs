//! Telling when files that matter have changed: pushed by the system, swept where it cannot push.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use notify::event::ModifyKind;
use notify::{
    Config, Event, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher as _,
};

/// Editors save in several steps; one report per burst is enough.
const SETTLE: Duration = Duration::from_millis(60);
/// A burst may not end; a change is reported after this long at the latest.
const LONGEST_BURST: Duration = Duration::from_millis(400);
const SWEEP: Duration = Duration::from_millis(500);

/// What to watch.
#[derive(Debug, Clone, Default)]
pub struct WatchedPaths {
    /// Single files; they need not exist yet.
    pub files: Vec<PathBuf>,
    /// Folders of which everything counts; they need not exist yet.
    pub folders: Vec<PathBuf>,
}

/// Watches until it is dropped.
#[derive(Debug)]
pub struct Watcher {
    signals: Sender<Signal>,
}

#[derive(Debug)]
enum Signal {
    Event(Result<Event, notify::Error>),
    Stop,
}

impl Drop for Watcher {
    fn drop(&mut self) {
        // The thread may have ended by itself.
        drop(self.signals.send(Signal::Stop));
    }
}

impl WatchedPaths {
    /// The folders to hand to the system, and whether with all below: the parents of files, and watched folders
    /// or their nearest parent that exists.
    fn places(&self, led_to: &BTreeSet<PathBuf>) -> BTreeMap<PathBuf, bool> {
        let mut places = BTreeMap::new();
        let parents = self.files.iter().chain(led_to).chain(&self.folders);
        for parent in parents.filter_map(|path| existing(path.parent())) {
            places.insert(parent, false);
        }
        // Last, because one that is both is watched with all below.
        for folder in self.folders.iter().filter(|folder| folder.is_dir()) {
            places.insert(folder.clone(), true);
        }
        places
    }

    /// Files elsewhere that watched files are links to: their changes are not seen where the link stands.
    fn led_to(&self) -> BTreeSet<PathBuf> {
        let real = |file: &PathBuf| fs::canonicalize(file).ok().filter(|real| real != file);
        self.files.iter().filter_map(real).collect()
    }
}

/// The nearest folder upwards that exists, so that the birth of the missing ones is seen.
fn existing(folder: Option<&Path>) -> Option<PathBuf> {
    folder?
        .ancestors()
        .find(|ancestor| ancestor.is_dir())
        .map(Path::to_owned)
}

impl Watcher {
    /// Calls `changed` on a thread of its own after each burst of changes. `None` if files cannot be watched at all.
    pub fn start(watched: WatchedPaths, changed: impl Fn() + Send + 'static) -> Option<Self> {
        let (signals, received) = channel();
        let report = {
            let signals = signals.clone();
            move |event| {
                drop(signals.send(Signal::Event(event)));
            }
        };
        let system = RecommendedWatcher::new(report.clone(), Config::default());
        let system = system
            .ok()
            .and_then(|watcher| WatchedDirectories::register(Box::new(watcher), &watched));
        let places = system.or_else(|| {
            tracing::warn!("the system cannot watch files here; sweeping instead");
            let watcher =
                PollWatcher::new(report, Config::default().with_poll_interval(SWEEP)).ok()?;
            WatchedDirectories::register(Box::new(watcher), &watched)
        })?;
        let thread = std::thread::Builder::new().name("watch".to_owned());
        thread
            .spawn(move || drain(&received, &watched, places, changed))
            .ok()?;
        Some(Self { signals })
    }
}

/// The folders the backend watches right now.
struct WatchedDirectories {
    backend: Box<dyn notify::Watcher + Send>,
    /// With all below, or without.
    watching: BTreeMap<PathBuf, bool>,
    led_to: BTreeSet<PathBuf>,
}

impl WatchedDirectories {
    fn register(backend: Box<dyn notify::Watcher + Send>, watched: &WatchedPaths) -> Option<Self> {
        let mut places = Self {
            backend,
            watching: BTreeMap::new(),
            led_to: BTreeSet::new(),
        };
        places.update(watched).then_some(places)
    }

    /// Takes up folders that have appeared since. What fails is tried again the next time.
    fn update(&mut self, watched: &WatchedPaths) -> bool {
        self.led_to = watched.led_to();
        let wanted = watched.places(&self.led_to);
        self.watching.retain(|place, _| wanted.contains_key(place));
        let mut all = true;
        for (place, recursive) in wanted {
            if self.watching.get(&place) == Some(&recursive) {
                continue;
            }
            let mode = if recursive {
                RecursiveMode::Recursive
            } else {
                RecursiveMode::NonRecursive
            };
            // Most often there is nothing to end; the new watch must not be taken for an old one.
            drop(self.backend.unwatch(&place));
            match self.backend.watch(&place, mode) {
                Ok(()) => {
                    self.watching.insert(place, recursive);
                }
                Err(error) => {
                    tracing::debug!(place = %place.display(), %error, "cannot watch a directory");
                    all = false;
                }
            }
        }
        all
    }

    /// Whether something that counts has happened.
    fn note(&mut self, watched: &WatchedPaths, event: Result<Event, notify::Error>) -> bool {
        let Ok(event) = event else { return true };
        if event.need_rescan() {
            return true;
        }
        if event.kind.is_access() {
            return false;
        }
        if !matches!(event.kind, EventKind::Modify(ModifyKind::Data(_))) {
            // A folder that was removed and made again has its old name, but nobody watches it any more.
            let gone = |place: &PathBuf| event.paths.iter().any(|path| place.starts_with(path));
            self.watching.retain(|place, _| !gone(place));
        }
        event.paths.iter().any(|path| {
            let files = || watched.files.iter().chain(&self.led_to);
            files().any(|file| file == path)
                || watched.folders.iter().any(|folder| path.starts_with(folder))
                // A folder that appears on the way to a watched one counts: what is in it may be there already.
                || files()
                    .chain(&watched.folders)
                    .any(|place| place.starts_with(path))
        })
    }
}

fn drain(
    received: &Receiver<Signal>,
    watched: &WatchedPaths,
    mut places: WatchedDirectories,
    changed: impl Fn(),
) {
    while let Ok(Signal::Event(event)) = received.recv() {
        if !places.note(watched, event) {
            continue;
        }
        let latest = Instant::now() + LONGEST_BURST;
        let mut quiet = Instant::now() + SETTLE;
        // Only what counts keeps a burst going: the rest of a busy folder may never be quiet.
        loop {
            let left = quiet.min(latest).saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            match received.recv_timeout(left) {
                Ok(Signal::Event(event)) => {
                    if places.note(watched, event) {
                        quiet = Instant::now() + SETTLE;
                    }
                }
                Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => break,
            }
        }
        // First, so that what changes from here on is seen.
        places.update(watched);
        changed();
    }
}
