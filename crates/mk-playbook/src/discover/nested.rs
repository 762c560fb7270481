//! Instructions that may stand in any folder of a project and hold below it: `AGENTS.md` and `CLAUDE.md`.
//!
//! Looked for as the ignore files want it, in a bounded walk that follows no link to a folder.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use ignore::WalkBuilder;
use mk_document::{Diagnostic, Severity};
use mk_project::{Ignored, Stamp};
use mk_types::{AbsPath, ProjectPath};

use super::Scan;
use crate::place::{Kind, Layer, Origin, Place};

const NAMES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
const MOST_ENTRIES: usize = 100_000;
const MOST_FILES: usize = 1_000;
const DEEPEST: usize = 16;
/// Never a place for a team's own words, also where no ignore file says so.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];

/// Every `AGENTS.md` and `CLAUDE.md` of the project, outermost first.
pub(crate) fn scan_nested(root: &AbsPath) -> Scan {
    let mut scan = Scan::default();
    let real_root = fs::canonicalize(root.as_path());
    let Some(root) = real_root.ok().and_then(|real| AbsPath::new(&real)) else {
        return scan;
    };
    let ignored = Ignored::load(&root);
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
            let message = format!(
                "only the first {MOST_ENTRIES} entries were searched for {}",
                NAMES.join(" and ")
            );
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
        if kind.is_dir() || !NAMES.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        if kind.is_file() || kind.is_symlink() {
            found.push((kind.is_symlink(), entry.depth(), entry.into_path()));
        }
    }
    // Files before links: `CLAUDE.md` is often a link to `AGENTS.md`, and one of them is enough.
    found.sort();
    let mut seen = BTreeSet::new();
    for (_, _, path) in &found {
        let Some(place) = place(&root, &ignored, path, &mut scan) else {
            continue;
        };
        if place.disk_path().is_some_and(|real| seen.insert(real)) {
            scan.places.push(place);
        }
    }
    scan
}

fn place(root: &AbsPath, ignored: &Ignored, path: &Path, scan: &mut Scan) -> Option<Place> {
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
    let stamp = Stamp::of(&real)?;
    if ignored.hides(&below) || !fs::metadata(&real).ok()?.is_file() {
        return None;
    }
    let folder = shown.rsplit_once('/').map_or("", |(folder, _)| folder);
    // `.claude/CLAUDE.md` speaks for the folder that `.claude` is in.
    let scope = folder.strip_suffix(".claude").unwrap_or(folder);
    Some(Place {
        kind: Kind::Rule,
        layer: Layer::Project,
        address: shown.to_owned(),
        file: shown.to_owned(),
        scope: scope.trim_end_matches('/').to_owned(),
        origin: Origin::Disk {
            within: root.clone(),
            path: below.as_str().to_owned(),
            stamp,
        },
    })
}
