//! Where a file of the playbook stands: its layer, its kind, its address. Reading it is [`crate::entry`]'s business.

use std::path::PathBuf;

use mk_project::Stamp;
use mk_types::AbsPath;

/// Who wrote it; later layers win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    Embedded,
    User,
    Project,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    Rule,
    Agent,
    Skill,
    Checklist,
}

/// Where the text comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    Embedded(&'static str),
    /// A file on disk: the folder it must not be outside of, its path below that, both without links.
    Disk {
        within: AbsPath,
        path: String,
        stamp: Stamp,
    },
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) kind: Kind,
    pub(crate) layer: Layer,
    /// The path in its `rules://` address.
    pub(crate) address: String,
    /// The file as a person would name it.
    pub(crate) file: String,
    /// For rules: the folder below which they hold.
    pub(crate) scope: String,
    pub(crate) origin: Origin,
}

impl Place {
    /// Where the file is on disk.
    pub(crate) fn disk_path(&self) -> Option<PathBuf> {
        match &self.origin {
            Origin::Embedded(_) => None,
            Origin::Disk { within, path, .. } => Some(within.as_path().join(path)),
        }
    }

    /// The file's name without its ending.
    pub(crate) fn stem(&self) -> &str {
        let name = self.address.rsplit('/').next().unwrap_or(&self.address);
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// The name of the folder that the file is in.
    pub(crate) fn folder(&self) -> &str {
        self.address.rsplit('/').nth(1).unwrap_or_default()
    }

    /// Whether rules of this format wait to be asked for unless they say otherwise.
    pub(crate) fn is_on_request(&self) -> bool {
        self.address.ends_with(".mdc")
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
