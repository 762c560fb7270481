//! What can be said about a project without running anything: its languages, its size, its manifests, the state of its
//! repository.
//!
//! Git's files are read, git is not run.

mod git;
mod language;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mk_types::{AbsPath, ProjectPath};

use crate::find::{EntryKind, Readable, Tree, TreeEntry, Visit, WalkStep};
pub use git::{GitState, linked_worktrees, main_worktree};

/// A project with more files is described by the first ones that are met.
const MOST_FILES: usize = 200_000;
const MOST_MANIFESTS: usize = 100;
/// How many folders a manifest may be in.
const DEEPEST_MANIFEST: usize = 2;

const MANIFESTS: [&str; 24] = [
    "Cargo.toml",
    "package.json",
    "deno.json",
    "pyproject.toml",
    "setup.py",
    "requirements.txt",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "Gemfile",
    "composer.json",
    "mix.exs",
    "Package.swift",
    "pubspec.yaml",
    "CMakeLists.txt",
    "Makefile",
    "meson.build",
    "build.zig",
    "stack.yaml",
    "dune-project",
    "deps.edn",
    "flake.nix",
    "MODULE.bazel",
];
/// Manifests that are named after their project.
const MANIFEST_ENDINGS: [&str; 5] = [".csproj", ".fsproj", ".sln", ".cabal", ".gemspec"];

/// One language of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanguageShare {
    pub name: &'static str,
    pub n_files: usize,
    pub bytes: u64,
}

/// Facts about a project.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// The largest first.
    pub languages: Vec<LanguageShare>,
    pub n_files: usize,
    pub bytes: u64,
    pub git: Option<GitState>,
    pub manifests: Vec<ProjectPath>,
    /// Whether there is more than was looked at.
    pub cut: bool,
}

/// Looks at a project's files as its ignore files and the caller's read limits want it.
pub fn inspect(root: &AbsPath, readable: Readable<'_>, cancel: &AtomicBool) -> Facts {
    let n_seen = AtomicUsize::new(0);
    let walked = ProjectPath::parse(".", root)
        .ok()
        .and_then(|folder| Tree::open(root, &folder).ok())
        .and_then(|tree| {
            let start = || Inspector {
                root,
                readable,
                n_seen: &n_seen,
                facts: Facts::default(),
                languages: BTreeMap::new(),
            };
            tree.walk(cancel, start).ok()
        });
    let mut facts = Facts {
        git: GitState::read(root),
        cut: walked.is_none(),
        ..Facts::default()
    };
    let mut languages: BTreeMap<&'static str, LanguageShare> = BTreeMap::new();
    for part in walked.into_iter().flatten() {
        facts.n_files += part.facts.n_files;
        facts.bytes += part.facts.bytes;
        facts.cut |= part.facts.cut;
        facts.manifests.extend(part.facts.manifests);
        for (name, (n_files, bytes)) in part.languages {
            let share = languages.entry(name).or_insert(LanguageShare {
                name,
                n_files: 0,
                bytes: 0,
            });
            share.n_files += n_files;
            share.bytes += bytes;
        }
    }
    facts.languages = languages.into_values().collect();
    facts
        .languages
        .sort_by(|left, right| right.bytes.cmp(&left.bytes).then(left.name.cmp(right.name)));
    facts.manifests.sort_by_key(|path| {
        let path = path.as_str();
        (path.matches('/').count(), path.to_owned())
    });
    facts.cut |= facts.manifests.len() > MOST_MANIFESTS;
    facts.manifests.truncate(MOST_MANIFESTS);
    facts
}

struct Inspector<'a> {
    root: &'a AbsPath,
    readable: Readable<'a>,
    n_seen: &'a AtomicUsize,
    facts: Facts,
    languages: BTreeMap<&'static str, (usize, u64)>,
}

impl Visit for Inspector<'_> {
    fn visit(&mut self, entry: &TreeEntry<'_>) -> WalkStep {
        if entry.kind != EntryKind::File {
            return WalkStep::Continue;
        }
        let Ok(path) = ProjectPath::parse(entry.path, self.root) else {
            return WalkStep::Continue;
        };
        if !(self.readable)(&path) {
            return WalkStep::Continue;
        }
        if self.n_seen.fetch_add(1, Ordering::Relaxed) >= MOST_FILES {
            self.facts.cut = true;
            return WalkStep::Stop;
        }
        let size = entry.size();
        self.facts.n_files += 1;
        self.facts.bytes += size;
        if let Some(language) = language::of(entry.name) {
            let (n_files, bytes) = self.languages.entry(language).or_default();
            *n_files += 1;
            *bytes += size;
        }
        if entry.path.matches('/').count() <= DEEPEST_MANIFEST && is_manifest(entry.name) {
            self.facts.manifests.push(path);
        }
        WalkStep::Continue
    }
}

fn is_manifest(name: &str) -> bool {
    MANIFESTS.contains(&name) || MANIFEST_ENDINGS.iter().any(|ending| name.ends_with(ending))
}
