//! The files that come with a skill: scripts, references, assets. Listed and read, never run.

use std::fs;
use std::path::Path;

use mk_project::IgnoredFiles;
use mk_types::{AbsPath, ProjectPath};

use crate::entry::{read_bytes_within, read_within};
use crate::place::{ContentLayer, ContentOrigin, ContentPlace};
use crate::resource::ResourceBody;

const DEEPEST: usize = 5;
const MOST_FILES: usize = 200;
/// Left by tools, and of no use to a reader.
const SKIPPED: [&str; 4] = ["node_modules", "__pycache__", "target", "dist"];

/// A file of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundledFile {
    /// Below the skill's folder, with `/` between parts.
    pub path: String,
    pub bytes: u64,
}

/// The files beside a `SKILL.md`, sorted; links are left out, and so is what `.rooignore` hides.
pub(crate) fn bundled(place: &ContentPlace) -> Vec<BundledFile> {
    let Some(folder) = folder(place) else {
        return Vec::new();
    };
    let hidden = HiddenBundleFiles::of(place);
    let mut found = Vec::new();
    list(&folder, "", DEEPEST, &hidden, &mut found);
    found.sort_by(|left, right| left.path.cmp(&right.path));
    found
}

/// A file of a skill, as text where it is text; `None` where there is none.
pub(crate) fn read_bundled(place: &ContentPlace, path: &str) -> Option<ResourceBody> {
    let is_listed = bundled(place).iter().any(|file| file.path == path);
    let ContentOrigin::Disk {
        within, path: own, ..
    } = &place.origin
    else {
        return None;
    };
    let folder = own.rsplit_once('/').map_or("", |(folder, _)| folder);
    let path = if folder.is_empty() {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    };
    if !is_listed {
        return None;
    }
    match read_within(within, &path) {
        Ok(text) => Some(ResourceBody::Text(text)),
        Err(_) => read_bytes_within(within, &path)
            .ok()
            .map(ResourceBody::Bytes),
    }
}

/// The folder of a skill on disk.
pub(crate) fn folder(place: &ContentPlace) -> Option<std::path::PathBuf> {
    place.disk_path()?.parent().map(Path::to_owned)
}

/// What is kept from every tool.
struct HiddenBundleFiles {
    project: Option<(AbsPath, IgnoredFiles)>,
}

impl HiddenBundleFiles {
    fn of(place: &ContentPlace) -> Self {
        let project = match &place.origin {
            ContentOrigin::Disk { within, .. } if place.layer == ContentLayer::Project => {
                Some((within.clone(), IgnoredFiles::load(within)))
            }
            ContentOrigin::Disk { .. } | ContentOrigin::Embedded(_) => None,
        };
        Self { project }
    }

    fn hides(&self, path: &Path) -> bool {
        let Some((root, ignored)) = &self.project else {
            return false;
        };
        let below = path
            .strip_prefix(root.as_path())
            .ok()
            .and_then(Path::to_str);
        below
            .and_then(|below| ProjectPath::parse(below, root).ok())
            .is_none_or(|below| ignored.hides(&below))
    }
}

fn list(
    folder: &Path,
    below: &str,
    depth: usize,
    hidden: &HiddenBundleFiles,
    found: &mut Vec<BundledFile>,
) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let (Some(name), Ok(kind)) = (
            entry.file_name().to_str().map(str::to_owned),
            entry.file_type(),
        ) else {
            continue;
        };
        let is_own = below.is_empty() && name.eq_ignore_ascii_case("SKILL.md");
        if found.len() >= MOST_FILES || name.starts_with('.') || is_own {
            continue;
        }
        let path = if below.is_empty() {
            name.clone()
        } else {
            format!("{below}/{name}")
        };
        if kind.is_dir() && depth > 1 && !SKIPPED.contains(&name.as_str()) {
            list(&entry.path(), &path, depth - 1, hidden, found);
        } else if kind.is_file() && !hidden.hides(&entry.path()) {
            let bytes = entry.metadata().map_or(0, |found| found.len());
            found.push(BundledFile { path, bytes });
        }
    }
}
