//! One file of the playbook, read and parsed when it is first asked for and never again.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use mk_document::{Diagnostic, Position, Report};
use mk_project::{RootDir, Stamp};
use mk_types::{AbsPath, ProjectPath};

use crate::agent::{Agent, read_json_agent, read_markdown_agent};
use crate::checklist::{Checklist, read_checklist};
use crate::import::imports;
use crate::place::{Kind, Origin, Place};
use crate::rule::{Rule, read_rule};
use crate::skill::{Skill, read_skill};

/// Text for a model; what is larger is something else.
const LARGEST: u64 = 1024 * 1024;

/// What a file turned out to be.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    Rule(Arc<Rule>),
    Agent(Arc<Agent>),
    Skill(Arc<Skill>),
    Checklist(Arc<Checklist>),
}

/// A file that has been read.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) text: Cow<'static, str>,
    /// `None` if it is not valid.
    pub(crate) item: Option<Item>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Other files that the text came from.
    imported: Vec<(PathBuf, Option<Stamp>)>,
}

/// A file, parsed or not.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) place: Place,
    parsed: OnceLock<Parsed>,
}

impl Entry {
    pub(crate) fn new(place: Place) -> Self {
        Self {
            place,
            parsed: OnceLock::new(),
        }
    }

    pub(crate) fn parsed(&self) -> &Parsed {
        self.parsed.get_or_init(|| parse(&self.place))
    }

    /// Whether what it imports is as it was when it was read.
    pub(crate) fn is_current(&self) -> bool {
        let imported = self.parsed.get().into_iter().flat_map(|it| &it.imported);
        let mut imported = imported;
        imported.all(|(path, stamp)| Stamp::of(path) == *stamp)
    }

    pub(crate) fn rule(&self) -> Option<&Arc<Rule>> {
        match self.parsed().item.as_ref()? {
            Item::Rule(rule) => Some(rule),
            Item::Agent(_) | Item::Skill(_) | Item::Checklist(_) => None,
        }
    }

    pub(crate) fn agent(&self) -> Option<&Arc<Agent>> {
        match self.parsed().item.as_ref()? {
            Item::Agent(agent) => Some(agent),
            Item::Rule(_) | Item::Skill(_) | Item::Checklist(_) => None,
        }
    }

    pub(crate) fn skill(&self) -> Option<&Arc<Skill>> {
        match self.parsed().item.as_ref()? {
            Item::Skill(skill) => Some(skill),
            Item::Rule(_) | Item::Agent(_) | Item::Checklist(_) => None,
        }
    }

    pub(crate) fn checklist(&self) -> Option<&Arc<Checklist>> {
        match self.parsed().item.as_ref()? {
            Item::Checklist(checklist) => Some(checklist),
            Item::Rule(_) | Item::Agent(_) | Item::Skill(_) => None,
        }
    }
}

fn parse(place: &Place) -> Parsed {
    let mut report = Report::new(&place.file);
    let text = match read(&place.origin) {
        Ok(text) => text,
        Err(message) => {
            report.error(Position::START, message);
            return Parsed {
                text: Cow::Borrowed(""),
                item: None,
                diagnostics: report.into_found(),
                imported: Vec::new(),
            };
        }
    };
    let imported = imports(place, &text, &mut report);
    let text = match imported.text.as_str() {
        "" => text,
        more => Cow::Owned(format!("{}{more}\n", text.trim_end())),
    };
    let item = read_item(place, &text, &mut report);
    Parsed {
        text,
        item,
        diagnostics: report.into_found(),
        imported: imported.files,
    }
}

/// Makes of a text what its place says it is.
pub(crate) fn read_item(place: &Place, text: &str, report: &mut Report) -> Option<Item> {
    match place.kind {
        Kind::Rule => Some(Item::Rule(Arc::new(read_rule(place, text, report)))),
        Kind::Agent => {
            let read = if place.is_json() {
                read_json_agent
            } else {
                read_markdown_agent
            };
            read(place, text, report).map(|agent| Item::Agent(Arc::new(agent)))
        }
        Kind::Skill => read_skill(place, text, report).map(|skill| Item::Skill(Arc::new(skill))),
        Kind::Checklist => read_checklist(place, text, report)
            .map(|checklist| Item::Checklist(Arc::new(checklist))),
    }
}

fn read(origin: &Origin) -> Result<Cow<'static, str>, String> {
    match origin {
        Origin::Embedded(text) => Ok(Cow::Borrowed(text)),
        Origin::Disk { within, path, .. } => read_within(within, path).map(Cow::Owned),
    }
}

/// The text of a file below a folder, through no link that was put there since it was found; the error is the reason
/// that there is none.
pub(crate) fn read_within(within: &AbsPath, path: &str) -> Result<String, String> {
    let size = std::fs::metadata(within.as_path().join(path)).map_or(0, |found| found.len());
    if size > LARGEST {
        return Err(format!(
            "the file has {size} bytes, more than the {LARGEST} that are read"
        ));
    }
    let path = ProjectPath::parse(path, within).map_err(|error| error.to_string())?;
    RootDir::open(within)
        .and_then(|root| root.read_file(&path))
        .map(|file| file.text)
        .map_err(|error| error.to_string())
}
