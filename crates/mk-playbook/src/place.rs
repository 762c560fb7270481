//! Where a file of the playbook stands: its layer, its kind, its address. Reading it is [`crate::entry`]'s business.

use std::path::PathBuf;

use mk_clients::{InstructionFile, RuleActivation};
use mk_project::ReadStamp;
use mk_types::AbsPath;

/// Who wrote it; later layers win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContentLayer {
    Embedded,
    User,
    Project,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ContentKind {
    Rule,
    Agent,
    Skill,
    Checklist,
}

/// Where the text comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ContentOrigin {
    Embedded(&'static str),
    /// A file on disk: the folder it must not be outside of, its path below that, both without links.
    Disk {
        within: AbsPath,
        path: String,
        stamp: ReadStamp,
    },
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ContentPlace {
    pub(crate) kind: ContentKind,
    pub(crate) layer: ContentLayer,
    /// The path in its `rules://` address.
    pub(crate) address: String,
    /// The file as a person would name it.
    pub(crate) file: String,
    /// For rules: the folder below which they hold.
    pub(crate) scope: String,
    /// For rules: the one mode that they hold in.
    pub(crate) mode: Option<String>,
    /// What it is in its product; `None` for our own files.
    pub(crate) written: Option<&'static InstructionFile>,
    pub(crate) origin: ContentOrigin,
}

impl ContentPlace {
    /// Where the file is on disk.
    pub(crate) fn disk_path(&self) -> Option<PathBuf> {
        match &self.origin {
            ContentOrigin::Embedded(_) => None,
            ContentOrigin::Disk { within, path, .. } => Some(within.as_path().join(path)),
        }
    }

    /// Whether it is a file of its own and no link to another.
    pub(crate) fn is_at_its_address(&self) -> bool {
        match &self.origin {
            ContentOrigin::Embedded(_) => true,
            ContentOrigin::Disk { path, .. } => self.file.ends_with(path.as_str()),
        }
    }

    /// The file's name without its ending: `reviewer` of `reviewer.agent.md`.
    pub(crate) fn stem(&self) -> &str {
        let name = self.address.rsplit('/').next().unwrap_or(&self.address);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let stem = stem.strip_suffix(".agent").unwrap_or(stem);
        stem.strip_suffix(".instructions").unwrap_or(stem)
    }

    /// The name of the folder that the file is in.
    pub(crate) fn folder(&self) -> &str {
        self.address.rsplit('/').nth(1).unwrap_or_default()
    }

    /// Whether rules of this format wait to be asked for unless they say otherwise.
    pub(crate) fn is_on_request(&self) -> bool {
        match self.written {
            Some(row) => row.speaks == RuleActivation::WhenAsked,
            None => self.address.ends_with(".mdc"),
        }
    }

    /// Whether `@path` in the text brings in another file.
    pub(crate) fn has_imports(&self) -> bool {
        self.written.is_some_and(|row| row.imports)
    }

    pub(crate) fn is_json(&self) -> bool {
        self.address.ends_with(".json")
    }

    pub(crate) fn mime_type(&self) -> &'static str {
        if self.is_json() {
            "application/json"
        } else {
            "text/markdown"
        }
    }
}
