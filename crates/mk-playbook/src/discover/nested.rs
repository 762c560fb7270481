//! Instructions that may stand in any folder of a project and hold below it, such as `AGENTS.md` and `.cursor/rules`.
//!
//! Looked for as the ignore files want it, in a bounded walk that follows no link to a folder.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use ignore::WalkBuilder;
use mk_clients::{InstructionFile, WRITTEN, WrittenBase, WrittenShape};
use mk_document::{Diagnostic, Severity};
use mk_project::{IgnoredFiles, ReadStamp};
use mk_types::{AbsPath, ProjectPath};

use super::Scan;
use crate::place::{ContentKind, ContentLayer, ContentOrigin, ContentPlace};

const MOST_ENTRIES: usize = 100_000;
const MOST_FILES: usize = 1_000;
const DEEPEST: usize = 16;
/// Never a place for a team's own words, also where no ignore file says so.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];

/// Every instruction of a folder below the root, outermost first. The root's own are known by name.
pub(crate) fn scan_nested(root: &AbsPath) -> Scan {
    let mut scan = Scan::default();
    let real_root = fs::canonicalize(root.as_path());
    let Some(root) = real_root.ok().and_then(|real| AbsPath::new(&real)) else {
        return scan;
    };
    let ignored = IgnoredFiles::load(&root);
    let mut found = Vec::new();
    let walk = WalkBuilder::new(root.as_path())
        .hidden(false)
        .require_git(false)
        .parents(false)
        .max_depth(Some(DEEPEST))
        .filter_entry(|entry| !SKIPPED.iter().any(|name| entry.file_name() == *name))
        .build();
    for (entry_idx, entry) in walk.flatten().enumerate() {
        if entry_idx >= MOST_ENTRIES || found.len() >= MOST_FILES {
            let message =
                format!("only the first {MOST_ENTRIES} entries were searched for instructions");
            scan.problems.push(Diagnostic::of_file(
                root.as_path(),
                Severity::Warning,
                message,
            ));
            break;
        }
        let Some(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() || entry.depth() < 2 {
            continue;
        }
        let path = entry.path().strip_prefix(root.as_path());
        let Some(path) = path.ok().and_then(Path::to_str) else {
            continue;
        };
        if let Some((row, scope)) = written(path)
            && !scope.is_empty()
        {
            let scope = scope.to_owned();
            found.push((
                kind.is_symlink(),
                entry.depth(),
                entry.into_path(),
                row,
                scope,
            ));
        }
    }
    // Files before links: `CLAUDE.md` is often a link to `AGENTS.md`, and one of them is enough.
    found.sort_by(|a, b| (a.0, a.1, &a.2).cmp(&(b.0, b.1, &b.2)));
    let mut seen = BTreeSet::new();
    for (_, _, path, row, scope) in found {
        let Some(place) = place(&root, &ignored, &path, (row, scope), &mut scan) else {
            continue;
        };
        if place.disk_path().is_some_and(|real| seen.insert(real)) {
            scan.places.push(place);
        }
    }
    scan
}

/// What a path in the project is for a product, and the folder that it holds for.
fn written(path: &str) -> Option<(&'static InstructionFile, &str)> {
    let rows = WRITTEN
        .iter()
        .filter(|row| row.base == WrittenBase::AnyDirectory);
    let matching = rows.filter_map(|row| Some((row, scope_of(row, path)?)));
    // `.claude/CLAUDE.md` speaks for the folder that `.claude` is in.
    matching.max_by_key(|(row, _)| row.path.len())
}

/// The folder that a path holds for, if the path is of this row.
fn scope_of<'a>(row: &InstructionFile, path: &'a str) -> Option<&'a str> {
    let scope = match row.shape {
        WrittenShape::File => path.strip_suffix(row.path)?,
        WrittenShape::Directory(endings) => {
            let at = path.find(row.path)?;
            let (scope, below) = path.split_at(at);
            let below = below.strip_prefix(row.path)?.strip_prefix('/')?;
            let fits = endings.iter().any(|ending| below.ends_with(ending));
            fits.then_some(scope)?
        }
        WrittenShape::OfMode(_) => return None,
    };
    match scope.strip_suffix('/') {
        Some(folder) => Some(folder),
        None => scope.is_empty().then_some(""),
    }
}

fn place(
    root: &AbsPath,
    ignored: &IgnoredFiles,
    path: &Path,
    (row, scope): (&'static InstructionFile, String),
    scan: &mut Scan,
) -> Option<ContentPlace> {
    let shown = path.strip_prefix(root.as_path()).ok()?.to_str()?;
    let real = fs::canonicalize(path).ok()?;
    let Ok(below) = real.strip_prefix(root.as_path()) else {
        let message = "left out: it leads out of the project";
        scan.problems.push(Diagnostic::of_file(
            Path::new(shown),
            Severity::Warning,
            message,
        ));
        return None;
    };
    let below = ProjectPath::parse(below.to_str()?, root).ok()?;
    let stamp = ReadStamp::of(&real)?;
    if ignored.hides(&below) || !fs::metadata(&real).ok()?.is_file() {
        return None;
    }
    Some(ContentPlace {
        kind: ContentKind::Rule,
        layer: ContentLayer::Project,
        address: shown.to_owned(),
        file: shown.to_owned(),
        scope,
        mode: None,
        written: Some(row),
        origin: ContentOrigin::Disk {
            within: root.clone(),
            path: below.as_str().to_owned(),
            stamp,
        },
    })
}
