//! `.rooignore`: files that their owner keeps from every tool, in the syntax of `.gitignore`.

mod class;

use std::path::Path;
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use mk_clients::IGNORE_FILE;
use mk_types::{AbsPath, ProjectPath};

use crate::read::read_text;

const LIMIT: u64 = 256 * 1024;

/// What the ignore file of a project hides.
#[derive(Debug)]
pub enum IgnoredFiles {
    Nothing,
    /// The file is there but cannot be read: then it is unknown what it hides.
    Everything,
    Rules(Box<Gitignore>, String),
    /// What the project hides, and what projects around and inside it do.
    Layers(IgnoreLayers),
}

/// Ignore files of several projects: what one of them hides, no other shows.
#[derive(Debug)]
pub struct IgnoreLayers {
    root: AbsPath,
    own: Arc<IgnoredFiles>,
    others: Vec<(AbsPath, Arc<IgnoredFiles>)>,
}

impl IgnoredFiles {
    pub fn load(root: &AbsPath) -> Self {
        let text = match read_text(&root.as_path().join(IGNORE_FILE), LIMIT) {
            Ok(Some(text)) => text,
            Ok(None) => return Self::Nothing,
            Err(error) => {
                tracing::warn!(%error, "the ignore file cannot be read: every file is hidden");
                return Self::Everything;
            }
        };
        let mut builder = GitignoreBuilder::new(root.as_path());
        // Some editors put a mark at the start, which would become part of the first pattern.
        for line in text.trim_start_matches('\u{feff}').lines() {
            let Some(line) = class::spelled_out(line) else {
                tracing::warn!(%line, "a line of the ignore file cannot be read: every file is hidden");
                return Self::Everything;
            };
            if let Err(error) = builder.add_line(None, &line) {
                tracing::warn!(%error, "a line of the ignore file cannot be read: every file is hidden");
                return Self::Everything;
            }
        }
        match builder.build() {
            Ok(rules) => Self::Rules(Box::new(rules), text),
            Err(_) => Self::Everything,
        }
    }

    /// Whether an ignore file on the way from `root` to a path hides it, whichever of the directories are projects.
    pub fn hide_on_the_way(root: &AbsPath, path: &ProjectPath) -> bool {
        let place = path.under(root);
        let directories = place.ancestors().skip(1);
        let mut directories = directories.take_while(|it| it.starts_with(root.as_path()));
        directories.any(|directory| {
            let below = place.strip_prefix(directory).ok().and_then(Path::to_str);
            let known = AbsPath::new(directory).zip(below);
            known.is_none_or(|(directory, below)| {
                let path = ProjectPath::parse(below, &directory);
                path.map_or(true, |path| Self::load(&directory).hides(&path))
            })
        })
    }

    /// These of the project at `root`, together with those of projects around and inside it.
    pub fn with_others(
        self: &Arc<Self>,
        root: &AbsPath,
        others: impl IntoIterator<Item = (AbsPath, Arc<Self>)>,
    ) -> Arc<Self> {
        let others = others.into_iter();
        let others = others.filter(|(_, ignored)| !matches!(**ignored, Self::Nothing));
        let others: Vec<_> = others.collect();
        if others.is_empty() {
            return Arc::clone(self);
        }
        Arc::new(Self::Layers(IgnoreLayers {
            root: root.clone(),
            own: Arc::clone(self),
            others,
        }))
    }

    /// Whether the path, or a folder it is in, is hidden.
    pub fn hides(&self, path: &ProjectPath) -> bool {
        match self {
            Self::Nothing => false,
            Self::Everything => true,
            Self::Rules(_, _) if path.is_root() => false,
            Self::Rules(rules, _) => {
                let path = path.as_str();
                // What is in a hidden folder stays hidden, whatever a later `!` says about it, as with Git.
                let mut folders = path
                    .match_indices('/')
                    .filter_map(|(end, _)| path.get(..end));
                folders.any(|folder| rules.matched(folder, true).is_ignore())
                    // Whether the last part is a folder is not known.
                    || rules.matched(path, false).is_ignore()
                    || rules.matched(path, true).is_ignore()
            }
            Self::Layers(layers) => layers.hide(path),
        }
    }

    /// The file's text, for the prompt.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Rules(_, text) => Some(text),
            Self::Layers(layers) => layers.own.text(),
            Self::Nothing | Self::Everything => None,
        }
    }
}

impl IgnoreLayers {
    fn hide(&self, path: &ProjectPath) -> bool {
        let place = path.under(&self.root);
        let hidden_by = |(root, ignored): &(AbsPath, Arc<IgnoredFiles>)| {
            let Ok(below) = place.strip_prefix(root.as_path()) else {
                return false;
            };
            match below.to_str() {
                Some("") => ignored.hides(&ProjectPath::root()),
                // What has no name there cannot be told to be shown.
                Some(below) => {
                    ProjectPath::parse(below, root).map_or(true, |path| ignored.hides(&path))
                }
                None => true,
            }
        };
        self.own.hides(path) || self.others.iter().any(hidden_by)
    }
}
