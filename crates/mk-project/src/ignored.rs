//! `.rooignore`: files that their owner keeps from every tool, in the syntax of `.gitignore`.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use mk_clients::IGNORE_FILE;
use mk_types::{AbsPath, ProjectPath};

use crate::read::read_text;

const LIMIT: u64 = 256 * 1024;

/// What the ignore file of a project hides.
#[derive(Debug)]
pub enum IgnoredFiles {
    Nothing,
    /// The file is there but cannot be read: then nobody knows what it hides.
    Everything,
    Rules(Box<Gitignore>, String),
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
            if let Err(error) = builder.add_line(None, line) {
                tracing::warn!(%error, "a line of the ignore file cannot be read: every file is hidden");
                return Self::Everything;
            }
        }
        match builder.build() {
            Ok(rules) => Self::Rules(Box::new(rules), text),
            Err(_) => Self::Everything,
        }
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
        }
    }

    /// The file's text, for the prompt.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Rules(_, text) => Some(text),
            Self::Nothing | Self::Everything => None,
        }
    }
}
