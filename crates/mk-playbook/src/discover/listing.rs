//! Listing folders that are known by name: bounded, sorted, regular files only, each file once.
//!
//! In a project links are followed while they stay inside it; a user's own folders may lead anywhere, because the user
//! put the links there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use mk_document::{Diagnostic, Severity};
use mk_project::{IgnoredFiles, ReadStamp};
use mk_types::{AbsPath, ProjectPath};

use super::Scan;
use crate::place::ContentOrigin;

/// More files than anybody keeps in one folder of rules.
const MOST_ENTRIES: usize = 20_000;

/// A folder whose files are listed.
#[derive(Debug)]
pub(super) struct ListedFolder<'a> {
    base: PathBuf,
    /// The project, by its real path; `None` for a user's folder.
    project: Option<(AbsPath, &'a IgnoredFiles)>,
}

/// A file that was found.
#[derive(Debug)]
pub(super) struct ListedFile {
    /// Below the listed folder, with `/` between parts.
    pub(super) below: String,
    pub(super) origin: ContentOrigin,
}

impl<'a> ListedFolder<'a> {
    pub(super) fn of_user(folder: &AbsPath) -> Self {
        Self {
            base: folder.as_path().to_owned(),
            project: None,
        }
    }

    /// `None` if there is no such folder.
    pub(super) fn of_project(root: &AbsPath, ignored: &'a IgnoredFiles) -> Option<Self> {
        let real = fs::canonicalize(root.as_path()).ok()?;
        Some(Self {
            base: root.as_path().to_owned(),
            project: Some((AbsPath::new(&real)?, ignored)),
        })
    }

    pub(super) fn base(&self) -> &Path {
        &self.base
    }

    /// One file by its path below the base.
    pub(super) fn file(&self, path: &str, scan: &mut Scan) -> Option<ListedFile> {
        let full = self.base.join(path);
        let folder = full.parent()?;
        scan.folders
            .push((folder.to_owned(), ReadStamp::of(folder)));
        // Most are not there, and to find that out costs one look; the real path costs one for each part.
        fs::symlink_metadata(&full).ok()?;
        let real = self.real(&full, scan)?;
        fs::metadata(&real).ok().filter(fs::Metadata::is_file)?;
        Some(ListedFile {
            below: path.to_owned(),
            origin: self.origin(&real)?,
        })
    }

    /// The wanted files below a folder, sorted; `wanted` is asked with the path below it.
    pub(super) fn files(
        &self,
        folder: &str,
        depth: usize,
        wanted: &dyn Fn(&str) -> bool,
        scan: &mut Scan,
    ) -> Vec<ListedFile> {
        let full = self.base.join(folder);
        let mut walk = ListingWalk {
            listing: self,
            wanted,
            seen: BTreeSet::new(),
            n_left: MOST_ENTRIES,
            found: Vec::new(),
        };
        match fs::metadata(&full) {
            Ok(_) => {
                if let Some(real) = self.real(&full, scan) {
                    walk.folder(&real, "", depth, scan);
                }
            }
            Err(_) => scan.folders.push((full.clone(), None)),
        }
        let ListingWalk {
            mut found, n_left, ..
        } = walk;
        if n_left == 0 {
            let message =
                format!("there are more than {MOST_ENTRIES} entries; the others are left out");
            scan.problems
                .push(Diagnostic::of_file(&full, Severity::Warning, message));
        }
        found.sort_by(|left, right| left.below.cmp(&right.below));
        found
    }

    /// The path without links, if it may be read.
    fn real(&self, path: &Path, scan: &mut Scan) -> Option<PathBuf> {
        let real = fs::canonicalize(path).ok()?;
        let Some((root, ignored)) = &self.project else {
            return Some(real);
        };
        let Ok(below) = real.strip_prefix(root.as_path()) else {
            let message = "left out: it leads out of the project";
            scan.problems
                .push(Diagnostic::of_file(path, Severity::Warning, message));
            return None;
        };
        if below.as_os_str().is_empty() {
            // The project itself; a link to it would list everything twice.
            return (path == self.base).then_some(real);
        }
        let below = ProjectPath::parse(below.to_str()?, root).ok()?;
        (!ignored.hides(&below)).then_some(real)
    }

    /// Where a file is read from: from the project's root, or from its own folder.
    fn origin(&self, real: &Path) -> Option<ContentOrigin> {
        let within = match &self.project {
            Some((root, _)) => root.clone(),
            None => AbsPath::new(real.parent()?)?,
        };
        let path = real
            .strip_prefix(within.as_path())
            .ok()?
            .to_str()?
            .to_owned();
        let stamp = ReadStamp::of(real)?;
        Some(ContentOrigin::Disk {
            within,
            path,
            stamp,
        })
    }
}

struct ListingWalk<'a> {
    listing: &'a ListedFolder<'a>,
    wanted: &'a dyn Fn(&str) -> bool,
    /// Real paths of folders and of files reached by links: a circle of links ends here.
    seen: BTreeSet<PathBuf>,
    n_left: usize,
    found: Vec<ListedFile>,
}

impl ListingWalk<'_> {
    fn folder(&mut self, real: &Path, below: &str, depth: usize, scan: &mut Scan) {
        if !self.seen.insert(real.to_owned()) {
            return;
        }
        scan.folders.push((real.to_owned(), ReadStamp::of(real)));
        let Ok(entries) = fs::read_dir(real) else {
            return;
        };
        for entry in entries.flatten() {
            if self.n_left == 0 {
                return;
            }
            self.n_left -= 1;
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
                continue;
            };
            let below = if below.is_empty() {
                name
            } else {
                format!("{below}/{name}")
            };
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_symlink() {
                // At the last level only a link to a file can count.
                if depth > 1 || (self.wanted)(&below) {
                    self.link(&entry.path(), &below, depth, scan);
                }
            } else if kind.is_dir() && depth > 1 {
                self.folder(&entry.path(), &below, depth - 1, scan);
            } else if kind.is_file() {
                self.file(&entry.path(), below);
            }
        }
    }

    fn link(&mut self, path: &Path, below: &str, depth: usize, scan: &mut Scan) {
        let Some(real) = self.listing.real(path, scan) else {
            return;
        };
        match fs::metadata(&real) {
            Ok(found) if found.is_dir() && depth > 1 => self.folder(&real, below, depth - 1, scan),
            Ok(found) if found.is_file() && self.seen.insert(real.clone()) => {
                self.file(&real, below.to_owned());
            }
            _ => {}
        }
    }

    fn file(&mut self, real: &Path, below: String) {
        if (self.wanted)(&below)
            && !self.is_hidden(real)
            && let Some(origin) = self.listing.origin(real)
        {
            self.found.push(ListedFile { below, origin });
        }
    }

    fn is_hidden(&self, real: &Path) -> bool {
        self.listing
            .project
            .as_ref()
            .is_some_and(|(root, ignored)| {
                let below = real
                    .strip_prefix(root.as_path())
                    .ok()
                    .and_then(Path::to_str);
                below
                    .and_then(|below| ProjectPath::parse(below, root).ok())
                    .is_none_or(|below| ignored.hides(&below))
            })
    }
}
