//! Globs as people write them: a bare name matches at any depth, a path is taken from the folder they look in.

use globset::{GlobSet, GlobSetBuilder};
use mk_types::{AbsPath, FilePattern, path_glob};

use crate::error::Error;

/// The most patterns in one question.
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
            let pattern = read(root, written)?;
            let compile =
                |text: &str| path_glob(text).map_err(|error| bad(written, &error.to_string()));
            let glob = compile(&pattern.text)?;
            let plain = pattern.names_directory || !pattern.text.contains(['*', '?', '[', '{']);
            if cover == Cover::Folders || cover == Cover::PlainFolders && plain {
                if pattern.is_name {
                    folder_names.add(glob.clone());
                } else {
                    folder_paths.add(glob.clone());
                }
            }
            if pattern.names_directory && cover == Cover::Files {
                paths.add(compile(&format!("{}/**", pattern.text))?);
            } else if pattern.names_directory {
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

/// A pattern may begin with the project's own path, and never leaves it.
fn read(root: &AbsPath, written: &str) -> Result<FilePattern, Error> {
    let text = match written.strip_prefix(root.as_str()) {
        Some(rest) if rest.starts_with('/') => rest,
        _ => written,
    };
    let pattern = FilePattern::read(text).map_err(|error| bad(written, &error.to_string()))?;
    if pattern.text.split('/').any(|part| part == "..") {
        return Err(bad(written, "`..` leaves the directory"));
    }
    Ok(pattern)
}

fn bad(pattern: &str, reason: &str) -> Error {
    Error::BadPattern {
        pattern: pattern.chars().take(200).collect(),
        reason: reason.to_owned(),
    }
}
