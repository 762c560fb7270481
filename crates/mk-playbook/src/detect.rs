//! Which technologies a project uses, seen from its manifests. Nothing is run, no source file is opened.

mod manifest;
mod table;

use std::collections::BTreeSet;

use ignore::WalkBuilder;
use mk_types::AbsPath;

use crate::entry::read_within;
use manifest::Manifest;
use table::{Ecosystem, TechnologyCategory};

/// Manifests of a monorepo's packages are two folders down.
const DEEPEST: usize = 3;
const MOST_ENTRIES: usize = 20_000;
const MOST_MANIFESTS: usize = 200;
const SKIPPED: [&str; 6] = [".git", "node_modules", "target", "vendor", "dist", "build"];

/// What a project is made with. Every list is in the order in which things were met, without doubles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stack {
    /// What the outermost manifest calls the project.
    pub name: Option<String>,
    pub description: Option<String>,
    pub languages: Vec<&'static str>,
    pub frontend: Vec<&'static str>,
    pub backend: Vec<&'static str>,
    pub database: Vec<&'static str>,
    pub infrastructure: Vec<&'static str>,
    pub testing: Vec<&'static str>,
    /// What builds, checks and styles it.
    pub tools: Vec<&'static str>,
}

/// Looks at a project's manifests as its ignore files want it.
pub fn detect(root: &AbsPath) -> Stack {
    let mut stack = Stack::default();
    let paths = manifests(root);
    let has_typescript = paths.iter().any(|path| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.starts_with("tsconfig") && name.ends_with(".json")
    });
    for path in &paths {
        let name = path.rsplit('/').next().unwrap_or(path);
        if let Some(tool) = table::file(path, name) {
            stack.add(tool.0, tool.1);
        }
        let Some(kind) = manifest::kind(name) else {
            continue;
        };
        let language = match kind.ecosystem {
            Ecosystem::Npm if has_typescript => Some("TypeScript"),
            Ecosystem::Npm => Some("JavaScript"),
            ecosystem => ecosystem.language(name),
        };
        if let Some(language) = language {
            stack.add(TechnologyCategory::Language, language);
        }
        if let Ok(text) = read_within(root, path) {
            let mut manifest = (kind.read)(&text);
            // A part's name is not the whole's.
            if path.contains('/') {
                manifest.name = None;
            }
            stack.take(kind.ecosystem, manifest);
        }
    }
    stack
}

impl Stack {
    fn take(&mut self, ecosystem: Ecosystem, manifest: Manifest) {
        if self.name.is_none() && manifest.name.is_some() {
            self.name = manifest.name;
            self.description = manifest.description;
        }
        // In the table's order, so that the answer does not depend on how a manifest is sorted.
        for (category, name) in table::packages(ecosystem, &manifest.packages) {
            self.add(category, name);
        }
    }

    fn add(&mut self, category: TechnologyCategory, name: &'static str) {
        let lists: Vec<&mut Vec<&'static str>> = match category {
            TechnologyCategory::Language => vec![&mut self.languages],
            TechnologyCategory::Frontend => vec![&mut self.frontend],
            TechnologyCategory::Fullstack => vec![&mut self.frontend, &mut self.backend],
            TechnologyCategory::Backend => vec![&mut self.backend],
            TechnologyCategory::Database => vec![&mut self.database],
            TechnologyCategory::Infrastructure => vec![&mut self.infrastructure],
            TechnologyCategory::Testing => vec![&mut self.testing],
            TechnologyCategory::Tool => vec![&mut self.tools],
        };
        for list in lists {
            if !list.contains(&name) {
                list.push(name);
            }
        }
    }
}

/// The files that say something, outermost first.
fn manifests(root: &AbsPath) -> Vec<String> {
    let walk = WalkBuilder::new(root.as_path())
        .hidden(false)
        .require_git(false)
        .parents(false)
        .max_depth(Some(DEEPEST))
        .filter_entry(|entry| {
            entry.depth() == 0 || !SKIPPED.iter().any(|name| entry.file_name() == *name)
        })
        .build();
    let mut found: BTreeSet<(usize, String)> = BTreeSet::new();
    for entry in walk.flatten().take(MOST_ENTRIES) {
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        let path = entry.path().strip_prefix(root.as_path());
        let path = path.ok().and_then(|path| path.to_str());
        let name = entry.file_name().to_str();
        if let (true, Some(path), Some(name)) = (is_file, path, name)
            && (manifest::kind(name).is_some()
                || table::file(path, name).is_some()
                || name.starts_with("tsconfig"))
        {
            found.insert((entry.depth(), path.to_owned()));
        }
    }
    found
        .into_iter()
        .take(MOST_MANIFESTS)
        .map(|(_, path)| path)
        .collect()
}
