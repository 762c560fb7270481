//! The files of all layers, and which of them count: the strongest valid one of each name.
//!
//! Scanning is lazy, parsing lazier; what has not changed on disk is never read again. Searching an entire project for
//! nested instructions is the dear part, so only questions about rules pay for it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, RwLock};

use mk_document::{Diagnostic, DocumentPosition, Severity};
use mk_types::{read_lock, write_lock};

use crate::agent::{Agent, id_of};
use crate::checklist::Checklist;
use crate::discover::{Scan, Sources, is_fresh, scan, scan_nested};
use crate::entry::ContentEntry;
use crate::place::{ContentKind, ContentPlace};
use crate::rule::RulesFile;
use crate::skill::Skill;

/// What one scan found.
#[derive(Debug, Default)]
pub(crate) struct LibraryShelf {
    scan: Scan,
    /// Weakest first, one for each place.
    pub(crate) entries: Vec<Arc<ContentEntry>>,
    /// Tells this scan from earlier ones.
    pub(crate) generation: u64,
}

#[derive(Debug, Default)]
struct Shelves {
    known: Option<Arc<LibraryShelf>>,
    nested: Option<Arc<LibraryShelf>>,
    /// What the scans before found, for what has not changed since.
    before: Vec<Arc<LibraryShelf>>,
    n_scans: u64,
}

#[derive(Debug)]
pub(crate) struct Library {
    sources: Sources,
    shelves: RwLock<Shelves>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoadExtent {
    Known,
    Nested,
}

impl Library {
    pub(crate) fn new(sources: Sources) -> Self {
        Self {
            sources,
            shelves: RwLock::default(),
        }
    }

    pub(crate) fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Lets the next question look at the disk again.
    pub(crate) fn invalidate(&self) {
        let mut shelves = write_lock(&self.shelves);
        let forgotten: Vec<Arc<LibraryShelf>> = [shelves.known.take(), shelves.nested.take()]
            .into_iter()
            .flatten()
            .collect();
        // Two changes in a row: what was found before the first still counts.
        if !forgotten.is_empty() {
            shelves.before = forgotten;
        }
    }

    /// Whether every known file and folder is as it was when it was found.
    pub(crate) fn is_fresh(&self) -> bool {
        let shelves = read_lock(&self.shelves);
        [&shelves.known, &shelves.nested]
            .into_iter()
            .flatten()
            .all(|shelf| {
                is_fresh(&shelf.scan) && shelf.entries.iter().all(|entry| entry.is_current())
            })
    }

    /// Which scans are in force, of what is known by name and of the rest; looks at no disk.
    pub(crate) fn generations(&self) -> (Option<u64>, Option<u64>) {
        let shelves = read_lock(&self.shelves);
        let generation =
            |shelf: &Option<Arc<LibraryShelf>>| shelf.as_ref().map(|shelf| shelf.generation);
        (generation(&shelves.known), generation(&shelves.nested))
    }

    /// What is in folders known by name.
    pub(crate) fn known(&self) -> Arc<LibraryShelf> {
        self.shelf(LoadExtent::Known)
    }

    /// What stands in any folder of the project.
    pub(crate) fn nested(&self) -> Arc<LibraryShelf> {
        self.shelf(LoadExtent::Nested)
    }

    fn shelf(&self, extent: LoadExtent) -> Arc<LibraryShelf> {
        let pick = |shelves: &Shelves| match extent {
            LoadExtent::Known => shelves.known.clone(),
            LoadExtent::Nested => shelves.nested.clone(),
        };
        let read = read_lock(&self.shelves);
        if let Some(shelf) = pick(&read) {
            return shelf;
        }
        drop(read);
        let mut shelves = write_lock(&self.shelves);
        // Another thread may have been faster.
        if let Some(shelf) = pick(&shelves) {
            return shelf;
        }
        let scan = match (extent, &self.sources.project) {
            (LoadExtent::Known, _) => scan(&self.sources),
            (LoadExtent::Nested, Some(root)) => scan_nested(root),
            (LoadExtent::Nested, None) => Scan::default(),
        };
        shelves.n_scans += 1;
        let shelf = Arc::new(LibraryShelf {
            entries: reuse(&shelves.before, &scan.places),
            scan,
            generation: shelves.n_scans,
        });
        match extent {
            LoadExtent::Known => shelves.known = Some(Arc::clone(&shelf)),
            LoadExtent::Nested => shelves.nested = Some(Arc::clone(&shelf)),
        }
        shelf
    }

    /// The rules that count, weakest layer first.
    pub(crate) fn rules(&self) -> Vec<(Arc<ContentEntry>, Arc<RulesFile>)> {
        let (known, nested) = (self.known(), self.nested());
        let rules = of_kind(&known, ContentKind::Rule).chain(of_kind(&nested, ContentKind::Rule));
        let mut order = Vec::new();
        let mut by_address: HashMap<&str, (Arc<ContentEntry>, Arc<RulesFile>)> = HashMap::new();
        let entries: Vec<&Arc<ContentEntry>> = rules.collect();
        for entry in entries {
            let Some(rule) = entry.rule() else {
                continue;
            };
            let address = entry.place.address.as_str();
            let found = (Arc::clone(entry), Arc::clone(rule));
            if by_address.insert(address, found).is_none() {
                order.push(address);
            }
        }
        order
            .into_iter()
            .filter_map(|address| by_address.remove(address))
            .collect()
    }

    /// A rule by its address, without reading the others.
    pub(crate) fn rule(&self, address: &str) -> Option<Arc<RulesFile>> {
        self.entry(ContentKind::Rule, address)
            .and_then(|entry| entry.rule().cloned())
    }

    /// The file at an address, the strongest valid one.
    pub(crate) fn entry(&self, kind: ContentKind, address: &str) -> Option<Arc<ContentEntry>> {
        let find = |shelf: &LibraryShelf| {
            of_kind(shelf, kind)
                .rev()
                .filter(|entry| entry.place.address == address)
                .find(|entry| entry.parsed().item.is_some())
                .cloned()
        };
        find(&self.known()).or_else(|| {
            (kind == ContentKind::Rule)
                .then(|| find(&self.nested()))
                .flatten()
        })
    }

    /// The agents that count, by id.
    pub(crate) fn agents(&self) -> BTreeMap<String, (Arc<ContentEntry>, Arc<Agent>)> {
        let known = self.known();
        let mut agents = BTreeMap::new();
        for entry in of_kind(&known, ContentKind::Agent) {
            if let Some(agent) = entry.agent() {
                agents.insert(agent.id.clone(), (Arc::clone(entry), Arc::clone(agent)));
            }
        }
        agents
    }

    /// An agent by its id or by the name that people call it, reading as few files as that takes.
    pub(crate) fn agent(&self, name: &str) -> Option<Arc<Agent>> {
        let name = name.trim();
        let known = self.known();
        let find = |id: &str| {
            of_kind(&known, ContentKind::Agent)
                .rev()
                .filter(|entry| !entry.place.is_json() || entry.place.stem() == id)
                .find_map(|entry| entry.agent().filter(|agent| agent.id == id))
                .cloned()
        };
        find(name).or_else(|| find(&id_of(name)?))
    }

    /// The skills that count, by name.
    pub(crate) fn skills(&self) -> BTreeMap<String, (Arc<ContentEntry>, Arc<Skill>)> {
        let known = self.known();
        let mut skills = BTreeMap::new();
        for entry in of_kind(&known, ContentKind::Skill) {
            if let Some(skill) = entry.skill() {
                skills.insert(skill.name.clone(), (Arc::clone(entry), Arc::clone(skill)));
            }
        }
        skills
    }

    /// The checklists that count, by domain.
    pub(crate) fn checklists(&self) -> BTreeMap<String, (Arc<ContentEntry>, Arc<Checklist>)> {
        let known = self.known();
        let mut checklists = BTreeMap::new();
        for entry in of_kind(&known, ContentKind::Checklist) {
            if let Some(checklist) = entry.checklist() {
                let found = (Arc::clone(entry), Arc::clone(checklist));
                checklists.insert(checklist.domain.clone(), found);
            }
        }
        checklists
    }

    /// Everything that is wrong, after reading everything.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for shelf in [self.known(), self.nested()] {
            diagnostics.extend(shelf.scan.problems.iter().cloned());
            for entry in &shelf.entries {
                diagnostics.extend(entry.parsed().diagnostics.iter().cloned());
            }
            diagnostics.extend(doubles(&shelf));
        }
        diagnostics
    }
}

fn of_kind(
    shelf: &LibraryShelf,
    kind: ContentKind,
) -> impl DoubleEndedIterator<Item = &Arc<ContentEntry>> {
    shelf
        .entries
        .iter()
        .filter(move |entry| entry.place.kind == kind)
}

/// Entries for places; one that is known and has not changed keeps what was read of it.
fn reuse(before: &[Arc<LibraryShelf>], places: &[ContentPlace]) -> Vec<Arc<ContentEntry>> {
    let key = |place: &ContentPlace| (place.layer, place.kind, place.file.clone());
    let mut known: HashMap<_, &Arc<ContentEntry>> = HashMap::new();
    for entry in before.iter().flat_map(|shelf| &shelf.entries) {
        known.insert(key(&entry.place), entry);
    }
    places
        .iter()
        .map(|place| match known.get(&key(place)) {
            Some(entry) if entry.place == *place && entry.is_current() => Arc::clone(entry),
            _ => Arc::new(ContentEntry::new(place.clone())),
        })
        .collect()
}

/// Two skills or agents of one name in one layer: only one can count, and no one chose which.
fn doubles(shelf: &LibraryShelf) -> Vec<Diagnostic> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for entry in shelf.entries.iter().rev() {
        let name = match entry.place.kind {
            ContentKind::Skill => entry.skill().map(|skill| ("skill", skill.name.clone())),
            ContentKind::Agent => entry.agent().map(|agent| ("agent", agent.id.clone())),
            ContentKind::Rule | ContentKind::Checklist => None,
        };
        let Some((kind, name)) = name else {
            continue;
        };
        if !seen.insert((entry.place.layer, kind, name.clone())) {
            found.push(Diagnostic {
                severity: Severity::Warning,
                file: entry.place.file.clone(),
                position: DocumentPosition::START,
                subject: None,
                message: format!(
                    "another {kind} of the same layer is named `{name}` and is used instead"
                ),
                hint: Some("rename one of them".to_owned()),
            });
        }
    }
    found
}
