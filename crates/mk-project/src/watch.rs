//! Telling when files that matter have changed: pushed by the system, swept where it cannot push.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use notify::{Config, Event, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher as _};

/// Editors save in several steps; one report per burst is enough.
const SETTLE: Duration = Duration::from_millis(60);
const MOST_SETTLING: usize = 200;
const SWEEP: Duration = Duration::from_millis(500);

/// What to watch.
#[derive(Debug, Clone, Default)]
pub struct Watched {
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

impl Watched {
    fn concerns(&self, path: &Path) -> bool {
        self.files.iter().any(|file| file == path)
            || self.folders.iter().any(|folder| path.starts_with(folder))
    }

    /// The folders to hand to the system: the parents of files, and watched folders or their nearest parent that exists.
    fn places(&self) -> BTreeSet<(PathBuf, bool)> {
        let mut places = BTreeSet::new();
        for file in &self.files {
            if let Some(parent) = existing(file.parent()) {
                places.insert((parent, false));
            }
        }
        for folder in &self.folders {
            if folder.is_dir() {
                places.insert((folder.clone(), true));
            }
            if let Some(parent) = existing(folder.parent()) {
                places.insert((parent, false));
            }
        }
        places
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
    pub fn start(watched: Watched, changed: impl Fn() + Send + 'static) -> Option<Self> {
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
            .and_then(|watcher| Places::register(Box::new(watcher), &watched));
        let places = system.or_else(|| {
            tracing::warn!("the system cannot watch files here; sweeping instead");
            let watcher =
                PollWatcher::new(report, Config::default().with_poll_interval(SWEEP)).ok()?;
            Places::register(Box::new(watcher), &watched)
        })?;
        let thread = std::thread::Builder::new().name("watch".to_owned());
        thread
            .spawn(move || drain(&received, &watched, places, changed))
            .ok()?;
        Some(Self { signals })
    }
}

/// The folders the backend watches right now.
struct Places {
    backend: Box<dyn notify::Watcher + Send>,
    watching: BTreeSet<(PathBuf, bool)>,
}

impl Places {
    fn register(backend: Box<dyn notify::Watcher + Send>, watched: &Watched) -> Option<Self> {
        let mut places = Self {
            backend,
            watching: BTreeSet::new(),
        };
        places.update(watched).then_some(places)
    }

    /// Takes up folders that have appeared since.
    fn update(&mut self, watched: &Watched) -> bool {
        let wanted = watched.places();
        let all = wanted.difference(&self.watching).all(|(place, recursive)| {
            let mode = if *recursive {
                RecursiveMode::Recursive
            } else {
                RecursiveMode::NonRecursive
            };
            self.backend.watch(place, mode).is_ok()
        });
        self.watching = wanted;
        all
    }
}

fn drain(received: &Receiver<Signal>, watched: &Watched, mut places: Places, changed: impl Fn()) {
    // A folder that appears on the way to a watched one counts: what is in it may be there already.
    let counts = |event: Result<Event, notify::Error>| match event {
        Ok(event) if event.kind.is_access() => false,
        Ok(event) => event.paths.iter().any(|path| {
            watched.concerns(path)
                || watched
                    .folders
                    .iter()
                    .chain(&watched.files)
                    .any(|place| place.starts_with(path))
        }),
        Err(_) => true,
    };
    while let Ok(Signal::Event(event)) = received.recv() {
        let mut pending = counts(event);
        // Bounded, because a busy folder may never be quiet.
        for _ in 0..MOST_SETTLING {
            match received.recv_timeout(SETTLE) {
                Ok(Signal::Event(event)) => pending |= counts(event),
                Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => break,
            }
        }
        if pending {
            places.update(watched);
            changed();
        }
    }
}
