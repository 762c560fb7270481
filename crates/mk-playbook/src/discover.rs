//! Finds the files of the playbook in the folders of all layers, weakest first.
//!
//! Folders that are known by name are listed whatever the ignore files say, because people keep them out of version
//! control and mean them all the same; only `.rooignore` hides them. Files that stand anywhere, such as `AGENTS.md`,
//! are looked for as the ignore files want it. Nothing is opened here.

mod listing;
mod nested;

use std::path::{Path, PathBuf};

use mk_document::Diagnostic;
use mk_project::{Ignored, Stamp};
use mk_types::AbsPath;

use crate::embedded;
use crate::place::{Kind, Layer, Origin, Place};
use listing::Listing;
pub(crate) use nested::scan_nested;

/// Folders of the user, all optional.
#[derive(Debug, Clone, Default)]
pub struct UserFolders {
    /// Modekeeper's own configuration directory, with `rules/`, `agents/`, `skills/` and `checklists/`.
    pub config: Option<AbsPath>,
    /// Other folders with skills, weakest first, such as `~/.claude/skills` and `~/.agents/skills`.
    pub skills: Vec<AbsPath>,
    /// Other folders with agents, weakest first, such as `~/.claude/agents`.
    pub agents: Vec<AbsPath>,
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

/// What is looked for in a folder.
struct Shelf {
    folder: &'static str,
    kind: Kind,
    endings: &'static [&'static str],
    /// Where its files get their addresses.
    address: Address,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Address {
    /// Below `rules/`, `agents/`, `skills/` or `checklists/`, so that layers can replace each other's files.
    Shared,
    /// The path in the project.
    Own,
}

const SKILL: &[&str] = &["SKILL.md", "skill.md"];
const CHECKLIST: &[&str] = &[".json"];

const fn shelf(folder: &'static str, kind: Kind, endings: &'static [&'static str]) -> Shelf {
    Shelf {
        folder,
        kind,
        endings,
        address: Address::Shared,
    }
}

/// In the user's configuration directory and in a project's `.codingbuddy`.
const OURS: [Shelf; 4] = [
    shelf("rules", Kind::Rule, &[".md", ".mdc"]),
    shelf("agents", Kind::Agent, &[".json", ".md"]),
    shelf("skills", Kind::Skill, SKILL),
    shelf("checklists", Kind::Checklist, CHECKLIST),
];

/// In a project, for other products; weakest first.
const OTHERS: [Shelf; 5] = [
    Shelf {
        folder: ".github/instructions",
        kind: Kind::Rule,
        endings: &[".instructions.md"],
        address: Address::Own,
    },
    Shelf {
        folder: ".cursor/rules",
        kind: Kind::Rule,
        endings: &[".mdc"],
        address: Address::Own,
    },
    shelf(".claude/agents", Kind::Agent, &[".md"]),
    shelf(".claude/skills", Kind::Skill, SKILL),
    shelf(".agents/skills", Kind::Skill, SKILL),
];

const COPILOT: &str = ".github/copilot-instructions.md";

/// Everything in folders that are known by name.
pub(crate) fn scan(sources: &Sources) -> Scan {
    let mut scan = Scan::default();
    scan.places.extend(embedded::places());
    let UserFolders {
        config,
        skills,
        agents,
    } = &sources.user;
    for folder in agents {
        let agents = shelf("", Kind::Agent, &[".md", ".json"]);
        add(
            &mut scan,
            Layer::User,
            &Listing::of_user(folder),
            "",
            &agents,
        );
    }
    for folder in skills {
        let skills = shelf("", Kind::Skill, SKILL);
        add(
            &mut scan,
            Layer::User,
            &Listing::of_user(folder),
            "",
            &skills,
        );
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
    if let Some(found) = listing.file(COPILOT, scan) {
        scan.places.push(Place {
            kind: Kind::Rule,
            layer: Layer::Project,
            address: COPILOT.to_owned(),
            file: COPILOT.to_owned(),
            scope: String::new(),
            origin: found.origin,
        });
    }
    for shelf in &OTHERS {
        add(scan, Layer::Project, &listing, "", shelf);
    }
    for shelf in &OURS {
        add(scan, Layer::Project, &listing, ".codingbuddy/", shelf);
    }
}

fn add(scan: &mut Scan, layer: Layer, listing: &Listing<'_>, parent: &str, shelf: &Shelf) {
    let folder = format!("{parent}{}", shelf.folder);
    let depth = match shelf.kind {
        Kind::Rule => 6,
        Kind::Skill => 2,
        Kind::Agent | Kind::Checklist => 1,
    };
    let wanted = |path: &str| match shelf.kind {
        Kind::Skill => path
            .split_once('/')
            .is_some_and(|(_, name)| shelf.endings.contains(&name)),
        // A table of contents, which is not needed to find the others.
        Kind::Checklist if path == "index.json" => false,
        Kind::Rule | Kind::Agent | Kind::Checklist => {
            shelf.endings.iter().any(|ending| path.ends_with(ending))
        }
    };
    for found in listing.files(&folder, depth, &wanted, scan) {
        let below = &found.below;
        let shown = if folder.is_empty() {
            below.clone()
        } else {
            format!("{folder}/{below}")
        };
        let address = match (shelf.address, shelf.kind) {
            (Address::Own, _) => shown.clone(),
            (Address::Shared, Kind::Rule) => format!("rules/{below}"),
            (Address::Shared, Kind::Agent) => format!("agents/{below}"),
            (Address::Shared, Kind::Skill) => format!("skills/{below}"),
            (Address::Shared, Kind::Checklist) => format!("checklists/{below}"),
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
