//! What a command was refused and what it changed, and the words for it.
//!
//! Programs only see `EACCES`, so these sentences are what a model reads: mode, operation, path, way out.

use std::collections::BTreeSet;
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use crate::guest::Farewell;
use crate::rights::{EditRights, Network, Rights};

/// Details beyond this are counted and not listed.
const MOST_DETAILS: usize = 200;
/// Refusals in one sentence.
const MOST_SHOWN: usize = 10;

/// What was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RefusedOperation {
    Write,
    WriteLinked,
    Create,
    Truncate,
    Rename,
    RenameTo,
    Delete,
    MakeDirectory,
    Link,
    ChangeMode,
    ChangeOwner,
    ChangeTime,
    Connect,
}

impl RefusedOperation {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::WriteLinked => "write (hard link)",
            Self::Create => "create",
            Self::Truncate => "truncate",
            Self::Rename => "rename",
            Self::RenameTo => "rename to",
            Self::Delete => "delete",
            Self::MakeDirectory => "mkdir",
            Self::Link => "link",
            Self::ChangeMode => "chmod",
            Self::ChangeOwner => "chown",
            Self::ChangeTime => "utime",
            Self::Connect => "connect",
        }
    }
}

/// Something that was tried in vain, and how often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedAttempt {
    pub operation: RefusedOperation,
    /// A path, or the address of a connection.
    pub target: String,
    pub count: u64,
}

/// Some paths, and how many more there were.
#[derive(Debug, Default)]
pub struct Paths {
    listed: BTreeSet<PathBuf>,
    more: u64,
}

impl Paths {
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.listed.iter().map(PathBuf::as_path)
    }

    /// Those that are not listed. One that comes again may be counted again.
    pub const fn more(&self) -> u64 {
        self.more
    }

    fn add(&mut self, path: &Path) {
        if self.listed.contains(path) {
            return;
        }
        if self.listed.len() < MOST_DETAILS {
            self.listed.insert(path.to_owned());
        } else {
            self.more += 1;
        }
    }
}

/// What happened inside the wall.
#[derive(Debug, Default)]
pub struct WallReport {
    pub refusals: Vec<RefusedAttempt>,
    /// Refusals that are not listed.
    pub more_refusals: u64,
    /// Files of the project.
    pub changed: Paths,
    /// Other files: the repository, temporary and build directories.
    pub wrote: Paths,
    pub farewells: Vec<Farewell>,
    /// Hidden files that were opened and found empty.
    pub hidden: Vec<PathBuf>,
    /// States of a rebase that were removed because they would have run a command.
    pub dropped_states: Vec<PathBuf>,
    refused_addresses: Vec<(SocketAddr, Network)>,
    /// How much of both lists a summary has told.
    said: usize,
    said_addresses: usize,
    said_hidden: usize,
}

impl WallReport {
    pub(crate) fn refuse(&mut self, operation: RefusedOperation, path: &Path) {
        self.count(operation, path.display().to_string());
    }

    pub(crate) fn refuse_address(&mut self, address: SocketAddr, network: Network) {
        self.count(RefusedOperation::Connect, address.to_string());
        let known = self.refused_addresses.iter().any(|it| it.0 == address);
        if !known && self.refused_addresses.len() < MOST_DETAILS {
            self.refused_addresses.push((address, network));
        }
    }

    fn count(&mut self, operation: RefusedOperation, target: String) {
        let known = self
            .refusals
            .iter()
            .position(|it| it.operation == operation && it.target == target);
        if let Some(refusal) = known.and_then(|at| self.refusals.get_mut(at)) {
            refusal.count += 1;
        } else if self.refusals.len() < MOST_DETAILS {
            self.refusals.push(RefusedAttempt {
                operation,
                target,
                count: 1,
            });
        } else {
            self.more_refusals += 1;
        }
    }

    pub(crate) fn changed(&mut self, path: &Path) {
        self.changed.add(path);
    }

    pub(crate) fn wrote(&mut self, path: &Path) {
        self.wrote.add(path);
    }

    /// Forgets what has been said already.
    pub(crate) fn has_spoken(&mut self) {
        self.said = self.refusals.len();
        self.said_addresses = self.refused_addresses.len();
        self.said_hidden = self.hidden.len();
    }

    /// The sentences for people and models, one a line, each beginning with `modekeeper:`.
    pub fn summary(&self, rights: &Rights) -> String {
        let mut lines = Vec::new();
        let files: Vec<&RefusedAttempt> = self
            .refusals
            .iter()
            .skip(self.said)
            .filter(|it| it.operation != RefusedOperation::Connect)
            .collect();
        if !files.is_empty() {
            lines.push(self.files_sentence(rights, &files));
        }
        for refusal in self.refusals.iter().skip(self.said) {
            let is_path = refusal.target.starts_with(['/', '@']);
            if refusal.operation == RefusedOperation::Connect && is_path {
                let target = &refusal.target;
                lines.push(format!(
                    "refused: connect {target} (unix socket outside the project)."
                ));
            }
        }
        for (address, network) in self
            .refused_addresses
            .iter()
            .skip(self.said_addresses)
            .take(MOST_SHOWN)
        {
            lines.push(address_sentence(*address, *network, &rights.mode));
        }
        let hidden = self.hidden.get(self.said_hidden..).unwrap_or_default();
        if !hidden.is_empty() {
            lines.push(hidden_sentence(hidden, &rights.root));
        }
        for farewell in &self.farewells {
            lines.push(farewell_sentence(farewell, rights));
        }
        for state in &self.dropped_states {
            let state = shown(&state.display().to_string(), &rights.root);
            lines.push(format!(
                "removed {state}: it would run commands outside the wall. Start the rebase again without exec."
            ));
        }
        let lines = lines.iter().map(|line| format!("modekeeper: {line}\n"));
        lines.collect()
    }

    fn files_sentence(&self, rights: &Rights, refusals: &[&RefusedAttempt]) -> String {
        let is_inside = |it: &&&RefusedAttempt| Path::new(&it.target).starts_with(&rights.root);
        // No mode may change what is outside the project.
        let wider = match refusals.iter().find(is_inside) {
            Some(_) => " Switch with: modekeeper mode code",
            None => "",
        };
        let (may, way_out) = match &rights.edit {
            EditRights::Nothing => ("may not edit files".to_owned(), wider),
            EditRights::Matching {
                label: Some(label), ..
            } => (format!("may edit only {label}"), wider),
            // No mode may do more.
            EditRights::Matching { label: None, .. } => (
                "may edit the project but not protected files".to_owned(),
                "",
            ),
        };
        let mut shown_refusals: Vec<String> = refusals
            .iter()
            .take(MOST_SHOWN)
            .map(|it| ShownRefusal(it, &rights.root).to_string())
            .collect();
        let listed: u64 = refusals.iter().skip(MOST_SHOWN).map(|it| it.count).sum();
        let more = listed + self.more_refusals;
        if more > 0 {
            shown_refusals.push(format!("{more} more"));
        }
        format!(
            "mode \"{}\" {may} – refused: {}.{way_out}",
            rights.mode,
            shown_refusals.join(", ")
        )
    }
}

/// A path as the project's people write it.
fn shown(target: &str, root: &Path) -> String {
    let relative = Path::new(target).strip_prefix(root);
    let text = relative.map_or_else(|_| target.to_owned(), |it| it.display().to_string());
    // A name must not be able to write its own sentences.
    text.chars()
        .flat_map(|it| {
            if it.is_control() {
                it.escape_default().collect::<Vec<_>>()
            } else {
                vec![it]
            }
        })
        .collect()
}

struct ShownRefusal<'a>(&'a RefusedAttempt, &'a Path);

impl fmt::Display for ShownRefusal<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(refusal, root) = self;
        let target = shown(&refusal.target, root);
        write!(formatter, "{} {target}", refusal.operation.as_str())?;
        if refusal.count > 1 {
            write!(formatter, " ({}×)", refusal.count)?;
        }
        Ok(())
    }
}

fn hidden_sentence(hidden: &[PathBuf], root: &Path) -> String {
    let name = |path: &PathBuf| shown(&path.display().to_string(), root);
    let mut names: Vec<String> = hidden.iter().take(MOST_SHOWN).map(name).collect();
    if let Some(more) = hidden.len().checked_sub(MOST_SHOWN).filter(|it| *it > 0) {
        names.push(format!("{more} more"));
    }
    format!(
        "hidden, so empty inside the wall: {}. Ask the person for what you need from there.",
        names.join(", ")
    )
}

fn address_sentence(address: SocketAddr, network: Network, mode: &str) -> String {
    match network {
        Network::On => format!(
            "refused: connect {address}: on this machine, only ports this command opened itself."
        ),
        Network::Own | Network::Off => format!(
            "refused: connect {address}: mode \"{mode}\" has no network; only ports this command opened itself."
        ),
    }
}

fn farewell_sentence(farewell: &Farewell, rights: &Rights) -> String {
    let mode = &rights.mode;
    let way_out = match &rights.edit {
        EditRights::Matching {
            label: Some(label), ..
        } => format!(" Use a name that matches {label}."),
        EditRights::Matching { label: None, .. } | EditRights::Nothing => String::new(),
    };
    let name = |path: &Path| shown(&path.display().to_string(), &rights.root);
    match farewell {
        Farewell::Removed(path) => {
            let path = name(path);
            format!("removed {path}: mode \"{mode}\" may not create it.{way_out}")
        }
        Farewell::MovedBack { from, to } => {
            let (from, to) = (name(from), name(to));
            format!("moved {from} back to {to}: mode \"{mode}\" may not create {from}.{way_out}")
        }
    }
}
