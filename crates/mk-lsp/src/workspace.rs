//! Where a server's workspaces are: the directories that hold what describes a project of its language.
//!
//! Most servers look for it in the directory they are started in, and some not far below. Those that a project keeps
//! further down are named to the server, and a file that belongs to none is one that it knows nothing about.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use mk_project::{FindQuery, find_files};
use mk_types::{AbsPath, ProjectPath};

/// A server that reads more workspaces than this at once needs too much memory.
const MOST_WORKSPACES: usize = 32;
/// So many manifests are looked at.
const MOST_MANIFESTS: usize = 10_000;

/// The workspaces of a project, the outermost ones; its root where nothing else is known.
pub(crate) fn workspaces(root: &AbsPath, manifests: &[String]) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    if !has_manifest(root, root.as_path(), manifests) {
        let mut below: Vec<PathBuf> = manifests
            .iter()
            .flat_map(|manifest| directories_with(root, manifest))
            .collect();
        below.sort();
        for directory in below {
            if !found.iter().any(|outer| directory.starts_with(outer)) {
                found.push(directory);
            }
        }
        found.truncate(MOST_WORKSPACES);
    }
    if found.is_empty() {
        found.push(root.as_path().to_owned());
    }
    found
}

/// Whether a directory of the project or one above it is a workspace; languages without manifests have them everywhere.
/// What lies above the project's root is another's.
pub(crate) fn has_manifest(root: &AbsPath, directory: &Path, manifests: &[String]) -> bool {
    let is_there = |directory: &Path| manifests.iter().any(|name| directory.join(name).is_file());
    let upwards = directory.ancestors();
    let mut inside = upwards.take_while(|it| it.starts_with(root.as_path()));
    manifests.is_empty() || inside.any(is_there)
}

fn directories_with(root: &AbsPath, manifest: &str) -> Vec<PathBuf> {
    let Ok(folder) = ProjectPath::parse(".", root) else {
        return Vec::new();
    };
    let query = FindQuery {
        pattern: manifest.to_owned(),
        folder,
        max_results: MOST_MANIFESTS,
    };
    // What cannot be listed has no workspaces that could be named.
    let found = find_files(root, &query, &|_| true, &AtomicBool::new(false));
    let paths = found.map(|found| found.paths).unwrap_or_default();
    let directory = |path: ProjectPath| path.under(root).parent().map(Path::to_owned);
    paths.into_iter().filter_map(directory).collect()
}

#[cfg(test)]
mod tests {
    use mk_testkit::Fixture;

    use super::*;

    fn manifests() -> Vec<String> {
        vec!["Cargo.toml".to_owned()]
    }

    /// The workspaces of a project with these files, relative to its root.
    #[track_caller]
    fn check(files: &[&str], expected: &[&str]) {
        let written = |file: &&str| format!("//- /{file}\n");
        let fixture = Fixture::new(&files.iter().map(written).collect::<String>());
        let root = fixture.root();
        let shown = |path: &PathBuf| {
            let inner = path.strip_prefix(root.as_path()).expect("a path below");
            inner.display().to_string()
        };
        let found = workspaces(root, &manifests());
        assert_eq!(found.iter().map(shown).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_outermost_directories_with_a_manifest_are_workspaces() {
        check(&["Cargo.toml", "a/Cargo.toml"], &[""]);
        let deep = ["x/y/a/Cargo.toml", "x/y/a/b/Cargo.toml", "z/Cargo.toml"];
        check(&deep, &["x/y/a", "z"]);
        check(&["src/lib.rs"], &[""]);
    }

    #[test]
    fn other_repositories_are_no_workspaces() {
        let other = [
            ".claude/worktrees/w/.git/HEAD",
            ".claude/worktrees/w/Cargo.toml",
        ];
        check(&[other[0], other[1], "a/b/Cargo.toml"], &["a/b"]);
    }

    #[test]
    fn a_manifest_further_up_counts() {
        let fixture = Fixture::new("//- /a/Cargo.toml\n//- /a/b/c/lib.rs\n");
        let root = fixture.root();
        assert!(has_manifest(root, &fixture.path("a/b/c"), &manifests()));
        assert!(!has_manifest(root, &fixture.path("b"), &manifests()));
        assert!(has_manifest(root, &fixture.path("b"), &[]));
        let inner = AbsPath::new(&fixture.path("a/b")).expect("an absolute path");
        assert!(!has_manifest(&inner, &fixture.path("a/b/c"), &manifests()));
    }
}
