//! Globs as people write them: a bare name matches at any depth, a path is taken from the folder they look in.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use mk_types::AbsPath;

use crate::error::Error;

/// The longest pattern, and the most of them in one question.
const LONGEST: usize = 1000;
const MOST: usize = 100;

/// What a pattern that names a folder says about the files in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cover {
    /// Nothing: patterns name files.
    Files,
    /// `src` or `src/` means everything in it; `*.d` still means names only.
    PlainFolders,
    /// Whatever matches a folder takes all of it, as in `.gitignore`.
    Folders,
}

/// Several patterns; a path matches when one of them does.
#[derive(Debug)]
pub(crate) struct Globs {
    /// Against the last part.
    names: GlobSet,
    /// Against the whole path below the folder.
    paths: GlobSet,
    /// Against every folder on the way.
    folder_names: GlobSet,
    folder_paths: GlobSet,
}

impl Globs {
    pub(crate) fn new(root: &AbsPath, patterns: &[String], cover: Cover) -> Result<Self, Error> {
        if let Some(surplus) = patterns.get(MOST) {
            return Err(bad(surplus, "there are more than 100 patterns"));
        }
        let mut names = GlobSetBuilder::new();
        let mut paths = GlobSetBuilder::new();
        let mut folder_names = GlobSetBuilder::new();
        let mut folder_paths = GlobSetBuilder::new();
        for written in patterns {
            let pattern = GlobPattern::read(root, written)?;
            let glob = GlobBuilder::new(&pattern.text)
                .literal_separator(true)
                .build()
                .map_err(|error| bad(written, &error.kind().to_string()))?;
            let plain = pattern.names_folder || !pattern.text.contains(['*', '?', '[', '{']);
            if cover == Cover::Folders || cover == Cover::PlainFolders && plain {
                if pattern.is_name {
                    folder_names.add(glob.clone());
                } else {
                    folder_paths.add(glob.clone());
                }
            }
            if pattern.names_folder && cover == Cover::Files {
                let below = format!("{}/**", pattern.text);
                let below = GlobBuilder::new(&below).literal_separator(true).build();
                paths.add(below.map_err(|error| bad(written, &error.kind().to_string()))?);
            } else if pattern.names_folder {
                // Only folders.
            } else if pattern.is_name {
                names.add(glob);
            } else {
                paths.add(glob);
            }
        }
        let build = |set: GlobSetBuilder| {
            set.build()
                .map_err(|error| bad(&patterns.join(" "), &error.kind().to_string()))
        };
        Ok(Self {
            names: build(names)?,
            paths: build(paths)?,
            folder_names: build(folder_names)?,
            folder_paths: build(folder_paths)?,
        })
    }

    /// Whether a file matches: `below` is its path below the folder, `name` the path's last part.
    pub(crate) fn matches(&self, below: &str, name: &str) -> bool {
        !self.names.is_empty() && self.names.is_match(name)
            || !self.paths.is_empty() && self.paths.is_match(below)
            || self.covers_parent(below)
    }

    /// Whether a folder matches, and with it all that is in it.
    pub(crate) fn matches_folder(&self, below: &str, name: &str) -> bool {
        !self.folder_names.is_empty() && self.folder_names.is_match(name)
            || !self.folder_paths.is_empty() && self.folder_paths.is_match(below)
    }

    fn covers_parent(&self, below: &str) -> bool {
        if self.folder_names.is_empty() && self.folder_paths.is_empty() {
            return false;
        }
        let mut rest = below;
        while let Some((folder, _)) = rest.rsplit_once('/') {
            let name = folder.rsplit('/').next().unwrap_or(folder);
            if self.matches_folder(folder, name) {
                return true;
            }
            rest = folder;
        }
        false
    }
}

/// One pattern, as it is compiled.
struct GlobPattern {
    text: String,
    is_name: bool,
    names_folder: bool,
}

impl GlobPattern {
    fn read(root: &AbsPath, written: &str) -> Result<Self, Error> {
        if written.len() > LONGEST {
            return Err(bad(written, "it is longer than 1000 bytes"));
        }
        let text = match written.strip_prefix(root.as_str()) {
            Some(rest) if rest.starts_with('/') => rest,
            _ => written,
        };
        let anchored = text.starts_with('/');
        let text = text.trim_start_matches('/');
        let mut text = text;
        let mut dotted = false;
        while let Some(rest) = text.strip_prefix("./") {
            dotted = true;
            text = rest.trim_start_matches('/');
        }
        let names_folder = text.ends_with('/');
        let text = text.trim_end_matches('/');
        if text.is_empty() || text == "." {
            return Err(bad(written, "it is empty"));
        }
        if text.split('/').any(|part| part == "..") {
            return Err(bad(written, "`..` leaves the directory"));
        }
        Ok(Self {
            text: text.to_owned(),
            is_name: !text.contains('/') && !anchored && !dotted,
            names_folder,
        })
    }
}

fn bad(pattern: &str, reason: &str) -> Error {
    Error::BadPattern {
        pattern: pattern.chars().take(200).collect(),
        reason: reason.to_owned(),
    }
}
