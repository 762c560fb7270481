//! The documents that a server was shown, and when to take them back.
//!
//! A server believes an open document more than the disk, so one that changes on disk is closed or sent again.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use mk_project::ReadStamp;
use serde_json::{Value, json};

use crate::uri;

/// Open documents cost a server memory, and it reads closed ones from disk.
const MOST_OPEN: usize = 32;

/// A document as a caller has read it.
#[derive(Debug, Clone)]
pub(crate) struct ShownDocument {
    pub(crate) path: PathBuf,
    pub(crate) language: String,
    pub(crate) text: Arc<str>,
}

/// What becomes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    Created,
    Changed,
    Deleted,
}

/// A notification to be sent.
pub(crate) type Notice = (&'static str, Value);

/// All open documents of a server.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    open: BTreeMap<PathBuf, OpenDocument>,
    /// Counts uses, to know what was not used for long.
    clock: u64,
    /// Never the same twice, even for a document that is closed and opened again.
    last_version: i64,
}

#[derive(Debug)]
struct OpenDocument {
    version: i64,
    hash: u64,
    stamp: Option<ReadStamp>,
    /// When the server was last shown a text.
    shown: Instant,
    used: u64,
}

impl Documents {
    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// The version at which a document is open.
    pub(crate) fn version(&self, path: &Path) -> Option<i64> {
        self.open.get(path).map(|open| open.version)
    }

    /// When the server was shown the text that it has; `None` if it is not open.
    pub(crate) fn shown_at(&self, path: &Path) -> Option<Instant> {
        self.open.get(path).map(|open| open.shown)
    }

    /// All open documents.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.open.keys().map(PathBuf::as_path)
    }

    pub(crate) fn close(&mut self, path: &Path) -> Vec<Notice> {
        let open = self.open.remove(path);
        open.map(|_| closing(path)).into_iter().collect()
    }

    /// Makes the server see `shown` as it is.
    pub(crate) fn show(&mut self, shown: &ShownDocument) -> Vec<Notice> {
        self.clock += 1;
        let mut notices = Vec::new();
        let hash = hash(&shown.text);
        let uri = uri::of_path(&shown.path);
        let stamp = ReadStamp::of(&shown.path);
        let used = self.clock;
        self.last_version += 1;
        let version = self.last_version;
        match self.open.get_mut(&shown.path) {
            Some(open) => {
                open.used = used;
                open.stamp = stamp;
                if open.hash != hash {
                    open.hash = hash;
                    open.version = version;
                    open.shown = Instant::now();
                    let document = json!({"uri": uri, "version": version});
                    let changes = json!([{"text": &*shown.text}]);
                    let params = json!({"textDocument": document, "contentChanges": changes});
                    notices.push(("textDocument/didChange", params));
                }
            }
            None => {
                notices.extend(self.make_room());
                let open = OpenDocument {
                    version,
                    hash,
                    stamp,
                    shown: Instant::now(),
                    used,
                };
                self.open.insert(shown.path.clone(), open);
                let document = json!({
                    "uri": uri,
                    "languageId": shown.language,
                    "version": version,
                    "text": &*shown.text,
                });
                notices.push(("textDocument/didOpen", json!({"textDocument": document})));
            }
        }
        notices
    }

    /// What has changed on disk behind the server's back, but for one document.
    pub(crate) fn stale(&self, except: &Path) -> Vec<(PathBuf, ChangeKind)> {
        let open = self.open.iter();
        let stale =
            open.filter(|(path, open)| *path != except && ReadStamp::of(path) != open.stamp);
        let kind = |path: &Path| match path.exists() {
            true => ChangeKind::Changed,
            false => ChangeKind::Deleted,
        };
        stale.map(|(path, _)| (path.clone(), kind(path))).collect()
    }

    /// Tells the server what has changed on disk; such documents are closed, so that it reads them again.
    pub(crate) fn changed(&mut self, changes: &[(PathBuf, ChangeKind)]) -> Vec<Notice> {
        let mut notices = Vec::new();
        for (path, _) in changes {
            let stale =
                |open: &OpenDocument| open.stamp.is_none() || open.stamp != ReadStamp::of(path);
            if self.open.get(path).is_some_and(stale) {
                notices.extend(self.close(path));
            }
        }
        let changes = changes.iter().map(|(path, kind)| {
            let kind = match kind {
                ChangeKind::Created => 1,
                ChangeKind::Changed => 2,
                ChangeKind::Deleted => 3,
            };
            json!({"uri": uri::of_path(path), "type": kind})
        });
        let params = json!({"changes": changes.collect::<Vec<_>>()});
        notices.push(("workspace/didChangeWatchedFiles", params));
        notices
    }

    fn make_room(&mut self) -> Option<Notice> {
        if self.open.len() < MOST_OPEN {
            return None;
        }
        let (path, _) = self.open.iter().min_by_key(|(_, open)| open.used)?;
        let path = path.clone();
        self.close(&path).pop()
    }
}

fn closing(path: &Path) -> Notice {
    let document = json!({"uri": uri::of_path(path)});
    ("textDocument/didClose", json!({"textDocument": document}))
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
