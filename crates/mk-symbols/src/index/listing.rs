//! Which files a project has that may hold symbols, and in which state they are.

use std::collections::BTreeSet;
use std::time::Instant;

use mk_project::{
    Depth, DirectoryQuery, EntryKind, FindQuery, IgnoredFiles, find_files_to_open, list_dir,
};
use mk_types::{ProjectPath, lock};

use super::store::IndexStamp;
use super::{IndexState, MOST_FILES, SharedIndex, parent};
use crate::language::Language;

/// The files that may have symbols, as they were at one moment.
#[derive(Debug)]
pub(super) struct IndexableFiles {
    pub(super) made: Instant,
    pub(super) files: Vec<(ProjectPath, IndexStamp)>,
}

impl IndexableFiles {
    pub(super) fn new(files: Vec<(ProjectPath, IndexStamp)>) -> Self {
        Self {
            made: Instant::now(),
            files,
        }
    }
}

impl SharedIndex {
    /// Those of the new files that no ignore file hides. Their folders are known to be visible.
    pub(super) fn visible(&self, new: &[&ProjectPath]) -> Vec<(ProjectPath, IndexStamp)> {
        let root = self.root.root();
        let folders: BTreeSet<&str> = new.iter().map(|path| parent(path)).collect();
        let ignored = IgnoredFiles::load(root);
        let mut visible = Vec::new();
        for folder in folders {
            let folder = if folder.is_empty() { "." } else { folder };
            let Ok(folder) = ProjectPath::parse(folder, root) else {
                continue;
            };
            let query = DirectoryQuery {
                folder,
                depth: Depth::Flat,
                max_entries: MOST_FILES,
            };
            let readable = |path: &ProjectPath| new.contains(&path) && !ignored.hides(path);
            // A folder that has vanished since has nothing to read.
            let listed = list_dir(root, &query, &readable, &self.cancel);
            let entries = listed.map(|listed| listed.entries).unwrap_or_default();
            let files = entries
                .into_iter()
                .filter(|one| one.kind == EntryKind::File);
            visible.extend(files.filter_map(|file| {
                let stamp = self.stamp(&file.path)?;
                Some((file.path, stamp))
            }));
        }
        visible
    }

    /// The state of a regular file; `None` for anything else.
    pub(super) fn stamp(&self, path: &ProjectPath) -> Option<IndexStamp> {
        let metadata = std::fs::symlink_metadata(path.under(self.root.root())).ok()?;
        metadata.is_file().then(|| IndexStamp::of(&metadata))
    }

    /// The files that may have symbols; `None` if they cannot be listed.
    fn listed(&self) -> Option<Vec<ProjectPath>> {
        let root = self.root.root();
        let ignored = IgnoredFiles::load(root);
        let wanted = |path: &ProjectPath| Language::may_know(path.as_str()) && !ignored.hides(path);
        let folder = ProjectPath::parse(".", root).ok()?;
        let query = FindQuery {
            pattern: "*".to_owned(),
            folder,
            max_results: MOST_FILES,
        };
        let found = match find_files_to_open(root, &query, &wanted, &self.cancel) {
            Ok(found) => found,
            Err(mk_project::Error::Cancelled) => return None,
            Err(error) => {
                tracing::warn!(%error, "the project's files cannot be listed");
                return None;
            }
        };
        if found.cut {
            tracing::warn!(
                total = found.total,
                "the project has too many files; some are not in the index"
            );
        }
        Some(found.paths)
    }

    /// The files that may have symbols, with their states; `None` if they cannot be listed.
    pub(super) fn stamped(&self) -> Option<Vec<(ProjectPath, IndexStamp)>> {
        let found = self.listed()?.into_iter();
        let stamped = found.filter_map(|path| {
            let stamp = self.stamp(&path)?;
            Some((path, stamp))
        });
        Some(stamped.collect())
    }

    /// The list for a sweep: a question may want it too while the index is being made, and need not walk again.
    pub(super) fn listed_for_sweep(&self) -> Option<Vec<(ProjectPath, IndexStamp)>> {
        if lock(&self.progress).state == IndexState::Ready {
            return self.stamped();
        }
        let mut listing = lock(&self.listing);
        let files = self.stamped()?;
        *listing = Some(IndexableFiles::new(files.clone()));
        Some(files)
    }
}
