//! Walking a folder of the project on several threads, as the ignore files want it.
//!
//! What a path of the walk is used for is the visitor's business. A walk goes by names, so a folder may be swapped for
//! a link while it runs: code that answers with an entry or opens it asks the [`Tree`] again, which follows no link.

use std::fs::File;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, WalkBuilder, WalkState};
use mk_types::{AbsPath, ProjectPath, lock, unpoisoned};

use super::anchor::WalkAnchor;
use crate::error::Error;
use crate::walk::is_other_repository;

/// What an entry is; a link is what it is, whatever it leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    File,
    Folder,
    Link,
    Other,
}

/// An entry of the walk.
#[derive(Debug)]
pub(crate) struct TreeEntry<'a> {
    /// Relative to the project's root.
    pub(crate) path: &'a str,
    /// Relative to the folder of the walk.
    pub(crate) below: &'a str,
    pub(crate) name: &'a str,
    pub(crate) kind: EntryKind,
    entry: &'a DirEntry,
}

impl TreeEntry<'_> {
    /// In bytes, as the walk sees it.
    pub(crate) fn size(&self) -> u64 {
        self.entry.metadata().map_or(0, |metadata| metadata.len())
    }
}

/// What a visitor wants next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WalkStep {
    Continue,
    /// Leave out what is in this folder.
    Skip,
    Stop,
}

/// One thread's part of a walk.
pub(crate) trait Visit: Send {
    fn visit(&mut self, entry: &TreeEntry<'_>) -> WalkStep;
}

/// A directory of the project that is walked, or one file of it.
#[derive(Debug)]
pub(crate) struct Tree {
    anchor: WalkAnchor,
    root: String,
    /// What globs are relative to.
    start: String,
    /// How deep below the start of the walk its first entry is: a file is an entry of its own.
    first_depth: usize,
    builder: WalkBuilder,
}

impl Tree {
    pub(crate) fn open(root: &AbsPath, folder: &ProjectPath) -> Result<Self, Error> {
        let anchor = WalkAnchor::open(root.as_path())?;
        anchor.check_folder(folder.as_str())?;
        Ok(Self::new(root, folder, anchor))
    }

    /// The same for a path that may be a file.
    pub(crate) fn open_any(root: &AbsPath, path: &ProjectPath) -> Result<Self, Error> {
        let anchor = WalkAnchor::open(root.as_path())?;
        match anchor.check_folder(path.as_str()) {
            Ok(()) => Ok(Self::new(root, path, anchor)),
            Err(Error::NotAFolder { .. }) => {
                let mut tree = Self::new(root, path, anchor);
                let (folder, _) = tree.start.rsplit_once('/').unwrap_or_default();
                tree.start = folder.to_owned();
                tree.first_depth = 0;
                Ok(tree)
            }
            Err(error) => Err(error),
        }
    }

    fn new(root: &AbsPath, folder: &ProjectPath, anchor: WalkAnchor) -> Self {
        let start = folder.under(root);
        let mut builder = WalkBuilder::new(&start);
        // The user's own ignore file is meant relative to the project, not to wherever this process was started.
        builder.hidden(false).current_dir(root.as_path());
        let under_git = root
            .as_path()
            .ancestors()
            .any(|ancestor| ancestor.join(".git").exists());
        let above = if under_git {
            Vec::new()
        } else {
            // Outside of a repository the ignore files up to the root count; a stray one in a home folder does not.
            builder.parents(false).require_git(false);
            ignore_files_above(root, folder)
        };
        builder.filter_entry(move |entry| {
            entry.file_name() != ".git" && !hidden_by(&above, entry) && !is_other_repository(entry)
        });
        Self {
            anchor,
            root: root.as_str().to_owned(),
            start: start.to_str().unwrap_or_default().to_owned(),
            first_depth: 1,
            builder,
        }
    }

    /// The same folder without what is in its folders.
    pub(crate) fn flat(mut self) -> Self {
        self.builder.max_depth(Some(1));
        self
    }

    /// Walks the folder; every thread has a visitor of its own, and all of them are given back, in no order.
    pub(crate) fn walk<V: Visit>(
        &self,
        cancel: &AtomicBool,
        start: impl Fn() -> V,
    ) -> Result<Vec<V>, Error> {
        let done = Mutex::new(Vec::new());
        self.builder.build_parallel().run(|| {
            let mut part = VisitorReturn {
                visitor: Some(start()),
                done: &done,
            };
            Box::new(move |entry| {
                if cancel.load(Ordering::Relaxed) {
                    return WalkState::Quit;
                }
                // A folder that cannot be read is left out like one that is hidden.
                let (Ok(entry), Some(visitor)) = (entry, part.visitor.as_mut()) else {
                    return WalkState::Continue;
                };
                if entry.depth() < self.first_depth {
                    return WalkState::Continue;
                }
                match self.entry(&entry).map(|entry| visitor.visit(&entry)) {
                    Some(WalkStep::Continue) => WalkState::Continue,
                    Some(WalkStep::Skip) | None => WalkState::Skip,
                    Some(WalkStep::Stop) => WalkState::Quit,
                }
            })
        });
        if cancel.load(Ordering::Relaxed) {
            return Err(Error::Cancelled);
        }
        Ok(unpoisoned(done.into_inner()))
    }

    /// Opens a regular file that the walk has found, through no link.
    pub(crate) fn open_file(&self, path: &str) -> std::io::Result<File> {
        self.anchor.open_file(path)
    }

    /// Whether the entry is still there, reached through no link.
    pub(crate) fn holds(&self, path: &str) -> bool {
        self.anchor.size(path).is_some()
    }

    /// The size to show, if the entry is still there.
    pub(super) fn size(&self, path: &str, kind: EntryKind) -> Option<u64> {
        let size = self.anchor.size(path)?;
        Some(if kind == EntryKind::File { size } else { 0 })
    }

    /// `None` for names that no caller could write down: not UTF-8, or with the `\` that counts as a separator.
    fn entry<'a>(&self, entry: &'a DirEntry) -> Option<TreeEntry<'a>> {
        let path = entry.path().to_str()?;
        let below = path
            .strip_prefix(self.start.as_str())?
            .trim_start_matches('/');
        let path = path
            .strip_prefix(self.root.as_str())?
            .trim_start_matches('/');
        let name = entry.file_name().to_str()?;
        if std::path::MAIN_SEPARATOR == '/' && name.contains('\\') {
            return None;
        }
        let kind = entry.file_type()?;
        let kind = if kind.is_file() {
            EntryKind::File
        } else if kind.is_dir() {
            EntryKind::Folder
        } else if kind.is_symlink() {
            EntryKind::Link
        } else {
            EntryKind::Other
        };
        Some(TreeEntry {
            path,
            below,
            name,
            kind,
            entry,
        })
    }
}

/// Hands a visitor back when its thread ends.
struct VisitorReturn<'a, V> {
    visitor: Option<V>,
    done: &'a Mutex<Vec<V>>,
}

impl<V> Drop for VisitorReturn<'_, V> {
    fn drop(&mut self) {
        if let Some(visitor) = self.visitor.take() {
            lock(self.done).push(visitor);
        }
    }
}

/// The ignore files of the folders from the root down to `folder`, without its own.
fn ignore_files_above(root: &AbsPath, folder: &ProjectPath) -> Vec<Gitignore> {
    let start = folder.under(root);
    let folders: Vec<&Path> = start
        .ancestors()
        .skip(1)
        .take_while(|ancestor| ancestor.starts_with(root.as_path()))
        .collect();
    let mut files = Vec::new();
    for folder in folders.into_iter().rev() {
        for name in [".gitignore", ".ignore"] {
            let mut builder = GitignoreBuilder::new(folder);
            // As in the walk itself, a line that cannot be read is no rule.
            if builder.add(folder.join(name)).is_none()
                && let Ok(rules) = builder.build()
            {
                files.push(rules);
            }
        }
    }
    files
}

/// The nearest file that says something decides.
fn hidden_by(files: &[Gitignore], entry: &DirEntry) -> bool {
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    let decision = files
        .iter()
        .rev()
        .map(|rules| rules.matched(entry.path(), is_folder))
        .find(|decision| !decision.is_none());
    decision.is_some_and(|decision| decision.is_ignore())
}
