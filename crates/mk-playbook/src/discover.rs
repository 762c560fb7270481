//! Finds the files of the playbook in the folders of all layers, weakest first.
//!
//! Folders that are known by name are listed whatever the ignore files say, because people keep them out of version
//! control and mean them all the same; only `.rooignore` hides them. Files that stand anywhere, such as `AGENTS.md`,
//! are looked for as the ignore files want it. Nothing is opened here.

mod listing;
mod nested;

use std::path::{Path, PathBuf};

use mk_clients::{PLAYBOOK_DIRECTORY, WRITTEN, Written, WrittenBase, WrittenKind, WrittenShape};
use mk_document::Diagnostic;
use mk_project::{Ignored, Stamp};
use mk_types::AbsPath;

use crate::embedded;
use crate::place::{Kind, Layer, Origin, Place};
use listing::{Found, Listing};
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
    pub(crate) places: Vec<Place>,
    /// The folders that were looked into; `None` for those that are not there.
    pub(crate) folders: Vec<(PathBuf, Option<Stamp>)>,
    pub(crate) problems: Vec<Diagnostic>,
}

/// What is looked for in a folder. Its files get addresses below `rules/`, `agents/`, `skills/` or `checklists/`, so that
/// layers can replace each other's.
struct Shelf {
    folder: &'static str,
    kind: Kind,
    endings: &'static [&'static str],
}

/// Rules may be sorted into directories, and skills into groups.
const DEEPEST_RULE: usize = 6;
const DEEPEST_SKILL: usize = 3;
const SKILL: &[&str] = &["SKILL.md", "skill.md"];
const CHECKLIST: &[&str] = &[".json"];

const fn shelf(folder: &'static str, kind: Kind, endings: &'static [&'static str]) -> Shelf {
    Shelf {
        folder,
        kind,
        endings,
    }
}

/// In the user's configuration directory and in a project's `.codingbuddy`.
const OURS: [Shelf; 4] = [
    shelf("rules", Kind::Rule, &[".md", ".mdc"]),
    shelf("agents", Kind::Agent, &[".json", ".md"]),
    shelf("skills", Kind::Skill, SKILL),
    shelf("checklists", Kind::Checklist, CHECKLIST),
];

/// Everything in folders that are known by name.
pub(crate) fn scan(sources: &Sources) -> Scan {
    let mut scan = Scan::default();
    scan.places.extend(embedded::places());
    let UserFolders { config, home } = &sources.user;
    if let Some(home) = home {
        let listing = Listing::of_user(home);
        for row in WRITTEN.iter().filter(|row| row.base == WrittenBase::Home) {
            add_written(&mut scan, Layer::User, &listing, row);
        }
    }
    if let Some(config) = config {
        let listing = Listing::of_user(config);
        for shelf in &OURS {
            add(&mut scan, Layer::User, &listing, "", shelf);
        }
    }
    if let Some(root) = &sources.project {
        scan_project(&mut scan, root);
    }
    scan
}

fn scan_project(scan: &mut Scan, root: &AbsPath) {
    let ignored = Ignored::load(root);
    let Some(listing) = Listing::of_project(root, &ignored) else {
        scan.folders.push((root.as_path().to_owned(), None));
        return;
    };
    // What may stand in any directory is looked for at the root here, because people keep it out of version control.
    for row in WRITTEN.iter().filter(|row| row.base != WrittenBase::Home) {
        add_written(scan, Layer::Project, &listing, row);
    }
    let own = format!("{PLAYBOOK_DIRECTORY}/");
    for shelf in &OURS {
        add(scan, Layer::Project, &listing, &own, shelf);
    }
}

/// Adds what teams write for a product.
fn add_written(scan: &mut Scan, layer: Layer, listing: &Listing<'_>, row: &'static Written) {
    let kind = match row.kind {
        WrittenKind::Rules => Kind::Rule,
        WrittenKind::Agents => Kind::Agent,
        WrittenKind::Skills => Kind::Skill,
    };
    let found: Vec<(String, Option<String>, Found)> = match row.shape {
        WrittenShape::File => listing
            .file(row.path, scan)
            .into_iter()
            .map(|found| (row.path.to_owned(), None, found))
            .collect(),
        WrittenShape::Directory(endings) => {
            let depth = match kind {
                Kind::Skill => DEEPEST_SKILL,
                Kind::Rule | Kind::Agent | Kind::Checklist => DEEPEST_RULE,
            };
            let wanted = |path: &str| match kind {
                Kind::Skill => is_skill(path, endings),
                Kind::Rule | Kind::Agent | Kind::Checklist => {
                    endings.iter().any(|ending| path.ends_with(ending))
                }
            };
            let files = listing.files(row.path, depth, &wanted, scan);
            let files = match kind {
                Kind::Skill => outermost(files),
                Kind::Rule | Kind::Agent | Kind::Checklist => files,
            };
            let shown = |found: &Found| format!("{}/{}", row.path, found.below);
            files
                .into_iter()
                .map(|found| (shown(&found), None, found))
                .collect()
        }
        WrittenShape::OfMode(endings) => of_mode(scan, listing, row.path, endings),
    };
    for (path, mode, found) in found {
        let shown = match layer {
            Layer::Project => path.clone(),
            Layer::Embedded | Layer::User => format!("~/{path}"),
        };
        let address = match kind {
            Kind::Rule | Kind::Checklist => shown.clone(),
            Kind::Agent => format!("agents/{}", found.below),
            Kind::Skill => format!("skills/{}", found.below),
        };
        let file = match layer {
            Layer::Project => shown,
            Layer::Embedded | Layer::User => listing.base().join(&path).display().to_string(),
        };
        let place = Place {
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

/// Adds a place unless it is a rule by another name: `CLAUDE.md` is often a link to `AGENTS.md`, and the file is enough.
fn push_once(scan: &mut Scan, place: Place) {
    let same = scan.places.iter_mut().find(|known| {
        known.kind == Kind::Rule
            && place.kind == Kind::Rule
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
    listing: &Listing<'_>,
    start: &str,
    endings: &[&str],
) -> Vec<(String, Option<String>, Found)> {
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
fn outermost(mut files: Vec<Found>) -> Vec<Found> {
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

fn add(scan: &mut Scan, layer: Layer, listing: &Listing<'_>, parent: &str, shelf: &Shelf) {
    let folder = format!("{parent}{}", shelf.folder);
    let depth = match shelf.kind {
        Kind::Rule => DEEPEST_RULE,
        Kind::Skill => DEEPEST_SKILL,
        Kind::Agent | Kind::Checklist => 1,
    };
    let wanted = |path: &str| match shelf.kind {
        Kind::Skill => is_skill(path, shelf.endings),
        // A table of contents, which is not needed to find the others.
        Kind::Checklist if path == "index.json" => false,
        Kind::Rule | Kind::Agent | Kind::Checklist => {
            shelf.endings.iter().any(|ending| path.ends_with(ending))
        }
    };
    let files = listing.files(&folder, depth, &wanted, scan);
    let files = match shelf.kind {
        Kind::Skill => outermost(files),
        Kind::Rule | Kind::Agent | Kind::Checklist => files,
    };
    for found in files {
        let below = &found.below;
        let shown = format!("{folder}/{below}");
        let address = match shelf.kind {
            Kind::Rule => format!("rules/{below}"),
            Kind::Agent => format!("agents/{below}"),
            Kind::Skill => format!("skills/{below}"),
            Kind::Checklist => format!("checklists/{below}"),
        };
        let file = match layer {
            Layer::Project => shown,
            Layer::Embedded | Layer::User => listing.base().join(&shown).display().to_string(),
        };
        scan.places.push(Place {
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
    let same = |path: &Path, stamp: Option<Stamp>| Stamp::of(path) == stamp;
    scan.folders
        .iter()
        .all(|(folder, stamp)| same(folder, *stamp))
        && scan.places.iter().all(|place| match &place.origin {
            Origin::Embedded(_) => true,
            Origin::Disk {
                within,
                path,
                stamp,
            } => same(&within.as_path().join(path), Some(*stamp)),
        })
}
