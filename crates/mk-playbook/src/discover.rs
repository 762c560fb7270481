//! Finds the files of the playbook in the folders of all layers, weakest first.
//!
//! Folders that are known by name are listed whatever the ignore files say, because people keep them out of version
//! control and mean them all the same; only `.rooignore` hides them. Files that stand anywhere, such as `AGENTS.md`,
//! are looked for as the ignore files want it. Nothing is opened here.

mod listing;
mod nested;

use std::path::{Path, PathBuf};

use mk_clients::{
    InstructionFile, InstructionKind, PLAYBOOK_DIRECTORY, WRITTEN, WrittenBase, WrittenShape,
};
use mk_document::Diagnostic;
use mk_project::{IgnoredFiles, ReadStamp};
use mk_types::AbsPath;

use crate::embedded;
use crate::place::{ContentKind, ContentLayer, ContentOrigin, ContentPlace};
use listing::{ListedFile, ListedFolder};
pub(crate) use nested::scan_nested;

/// Folders of the user, all optional.
#[derive(Debug, Clone, Default)]
pub struct UserFolders {
    /// Modekeeper's own configuration directory, with `rules/`, `agents/`, `skills/` and `checklists/`.
    pub config: Option<AbsPath>,
    /// The home directory, below which other products keep theirs.
    pub home: Option<AbsPath>,
}

/// Where a playbook comes from, beside what is embedded.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    pub user: UserFolders,
    pub project: Option<AbsPath>,
}

/// What was found, and what tells whether it would be found again.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// Weakest first.
    pub(crate) places: Vec<ContentPlace>,
    /// The folders that were looked into; `None` for those that are not there.
    pub(crate) folders: Vec<(PathBuf, Option<ReadStamp>)>,
    pub(crate) problems: Vec<Diagnostic>,
}

/// What is looked for in a folder. Its files get addresses below `rules/`, `agents/`, `skills/` or `checklists/`, so that
/// layers can replace each other's.
struct DiscoverShelf {
    folder: &'static str,
    kind: ContentKind,
    endings: &'static [&'static str],
}

/// Rules may be sorted into directories, and skills into groups.
const DEEPEST_RULE: usize = 6;
const DEEPEST_SKILL: usize = 3;
const SKILL: &[&str] = &["SKILL.md", "skill.md"];
const CHECKLIST: &[&str] = &[".json"];

const fn shelf(
    folder: &'static str,
    kind: ContentKind,
    endings: &'static [&'static str],
) -> DiscoverShelf {
    DiscoverShelf {
        folder,
        kind,
        endings,
    }
}

/// In the user's configuration directory and in a project's `.codingbuddy`.
const OURS: [DiscoverShelf; 4] = [
    shelf("rules", ContentKind::Rule, &[".md", ".mdc"]),
    shelf("agents", ContentKind::Agent, &[".json", ".md"]),
    shelf("skills", ContentKind::Skill, SKILL),
    shelf("checklists", ContentKind::Checklist, CHECKLIST),
];

/// Everything in folders that are known by name.
pub(crate) fn scan(sources: &Sources) -> Scan {
    let mut scan = Scan::default();
    scan.places.extend(embedded::places());
    let UserFolders { config, home } = &sources.user;
    if let Some(home) = home {
        let listing = ListedFolder::of_user(home);
        for row in WRITTEN.iter().filter(|row| row.base == WrittenBase::Home) {
            add_written(&mut scan, ContentLayer::User, &listing, row);
        }
    }
    if let Some(config) = config {
        let listing = ListedFolder::of_user(config);
        for shelf in &OURS {
            add(&mut scan, ContentLayer::User, &listing, "", shelf);
        }
    }
    if let Some(root) = &sources.project {
        scan_project(&mut scan, root);
    }
    scan
}

fn scan_project(scan: &mut Scan, root: &AbsPath) {
    let ignored = IgnoredFiles::load(root);
    let Some(listing) = ListedFolder::of_project(root, &ignored) else {
        scan.folders.push((root.as_path().to_owned(), None));
        return;
    };
    // What may stand in any directory is looked for at the root here, because people keep it out of version control.
    for row in WRITTEN.iter().filter(|row| row.base != WrittenBase::Home) {
        add_written(scan, ContentLayer::Project, &listing, row);
    }
    let own = format!("{PLAYBOOK_DIRECTORY}/");
    for shelf in &OURS {
        add(scan, ContentLayer::Project, &listing, &own, shelf);
    }
}

/// Adds what teams write for a product.
fn add_written(
    scan: &mut Scan,
    layer: ContentLayer,
    listing: &ListedFolder<'_>,
    row: &'static InstructionFile,
) {
    let kind = match row.kind {
        InstructionKind::Rules => ContentKind::Rule,
        InstructionKind::Agents => ContentKind::Agent,
        InstructionKind::Skills => ContentKind::Skill,
    };
    for (path, mode, found) in found_for(scan, listing, row) {
        let shown = match layer {
            ContentLayer::Project => path.clone(),
            ContentLayer::Embedded | ContentLayer::User => format!("~/{path}"),
        };
        let address = match kind {
            ContentKind::Rule | ContentKind::Checklist => shown.clone(),
            ContentKind::Agent => format!("agents/{}", found.below),
            ContentKind::Skill => format!("skills/{}", found.below),
        };
        let file = match layer {
            ContentLayer::Project => shown,
            ContentLayer::Embedded | ContentLayer::User => {
                listing.base().join(&path).display().to_string()
            }
        };
        let place = ContentPlace {
            kind,
            layer,
            address,
            file,
            scope: String::new(),
            mode,
            written: Some(row),
            origin: found.origin,
        };
        push_once(scan, place);
    }
}

/// The files of a row: each with its path, and its mode where it is for one.
fn found_for(
    scan: &mut Scan,
    listing: &ListedFolder<'_>,
    row: &InstructionFile,
) -> Vec<(String, Option<String>, ListedFile)> {
    let files = match row.shape {
        WrittenShape::File => {
            let found = listing.file(row.path, scan).into_iter();
            return found.map(|it| (row.path.to_owned(), None, it)).collect();
        }
        WrittenShape::OfMode(endings) => return of_mode(scan, listing, row.path, endings),
        WrittenShape::Directory(endings) if row.kind == InstructionKind::Skills => {
            let wanted = |path: &str| is_skill(path, endings);
            outermost(listing.files(row.path, DEEPEST_SKILL, &wanted, scan))
        }
        WrittenShape::Directory(endings) => {
            let wanted = |path: &str| endings.iter().any(|ending| path.ends_with(ending));
            listing.files(row.path, DEEPEST_RULE, &wanted, scan)
        }
    };
    let shown = |found: &ListedFile| format!("{}/{}", row.path, found.below);
    files
        .into_iter()
        .map(|found| (shown(&found), None, found))
        .collect()
}

/// Adds a place unless it is a rule by another name: `CLAUDE.md` is often a link to `AGENTS.md`, and the file is enough.
fn push_once(scan: &mut Scan, place: ContentPlace) {
    let same = scan.places.iter_mut().find(|known| {
        known.kind == ContentKind::Rule
            && place.kind == ContentKind::Rule
            && known.layer == place.layer
            && known.disk_path() == place.disk_path()
    });
    match same {
        None => scan.places.push(place),
        Some(known) if place.is_at_its_address() => *known = place,
        Some(_) => {}
    }
}

/// Rules for one mode: `.roo/rules-code/style.md`, `.roorules-code`.
fn of_mode(
    scan: &mut Scan,
    listing: &ListedFolder<'_>,
    start: &str,
    endings: &[&str],
) -> Vec<(String, Option<String>, ListedFile)> {
    let (folder, prefix) = start.rsplit_once('/').unwrap_or(("", start));
    let slug = |below: &str| {
        let name = below.strip_prefix(prefix)?;
        let slug = name.split('/').next().filter(|slug| !slug.is_empty())?;
        let is_whole = name.len() == slug.len();
        let fits = is_whole && folder.is_empty()
            || !is_whole && endings.iter().any(|ending| below.ends_with(ending));
        fits.then(|| slug.to_owned())
    };
    let depth = if folder.is_empty() { 1 } else { DEEPEST_RULE };
    let files = listing.files(folder, depth, &|below| slug(below).is_some(), scan);
    files
        .into_iter()
        .filter_map(|found| {
            let path = match folder {
                "" => found.below.clone(),
                _ => format!("{folder}/{}", found.below),
            };
            Some((path, Some(slug(&found.below)?), found))
        })
        .collect()
}

/// Skills that are not part of another skill's folder.
fn outermost(mut files: Vec<ListedFile>) -> Vec<ListedFile> {
    let folders: Vec<String> = files
        .iter()
        .filter_map(|found| Some(format!("{}/", found.below.rsplit_once('/')?.0)))
        .collect();
    files.retain(|found| {
        let own = found.below.rsplit_once('/').map_or("", |(own, _)| own);
        folders
            .iter()
            .all(|folder| !own.starts_with(folder.as_str()))
    });
    files
}

fn is_skill(path: &str, names: &[&str]) -> bool {
    path.rsplit_once('/')
        .is_some_and(|(_, name)| names.contains(&name))
}

fn add(
    scan: &mut Scan,
    layer: ContentLayer,
    listing: &ListedFolder<'_>,
    parent: &str,
    shelf: &DiscoverShelf,
) {
    let folder = format!("{parent}{}", shelf.folder);
    let depth = match shelf.kind {
        ContentKind::Rule => DEEPEST_RULE,
        ContentKind::Skill => DEEPEST_SKILL,
        ContentKind::Agent | ContentKind::Checklist => 1,
    };
    let wanted = |path: &str| match shelf.kind {
        ContentKind::Skill => is_skill(path, shelf.endings),
        // A table of contents, which is not needed to find the others.
        ContentKind::Checklist if path == "index.json" => false,
        ContentKind::Rule | ContentKind::Agent | ContentKind::Checklist => {
            shelf.endings.iter().any(|ending| path.ends_with(ending))
        }
    };
    let files = listing.files(&folder, depth, &wanted, scan);
    let files = match shelf.kind {
        ContentKind::Skill => outermost(files),
        ContentKind::Rule | ContentKind::Agent | ContentKind::Checklist => files,
    };
    for found in files {
        let below = &found.below;
        let shown = format!("{folder}/{below}");
        let address = match shelf.kind {
            ContentKind::Rule => format!("rules/{below}"),
            ContentKind::Agent => format!("agents/{below}"),
            ContentKind::Skill => format!("skills/{below}"),
            ContentKind::Checklist => format!("checklists/{below}"),
        };
        let file = match layer {
            ContentLayer::Project => shown,
            ContentLayer::Embedded | ContentLayer::User => {
                listing.base().join(&shown).display().to_string()
            }
        };
        scan.places.push(ContentPlace {
            kind: shelf.kind,
            layer,
            address,
            file,
            scope: String::new(),
            mode: None,
            written: None,
            origin: found.origin,
        });
    }
}

/// Whether everything that was found is still as it was.
pub(crate) fn is_fresh(scan: &Scan) -> bool {
    let same = |path: &Path, stamp: Option<ReadStamp>| ReadStamp::of(path) == stamp;
    scan.folders
        .iter()
        .all(|(folder, stamp)| same(folder, *stamp))
        && scan.places.iter().all(|place| match &place.origin {
            ContentOrigin::Embedded(_) => true,
            ContentOrigin::Disk {
                within,
                path,
                stamp,
            } => same(&within.as_path().join(path), Some(*stamp)),
        })
}
