//! One file of the playbook, read and parsed when it is first asked for and never again.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use mk_document::{Diagnostic, DocumentPosition, DocumentReport};
use mk_project::{ReadStamp, RootDir};
use mk_types::{AbsPath, ProjectPath};

use crate::agent::{Agent, read_json_agent, read_markdown_agent};
use crate::checklist::{Checklist, read_checklist};
use crate::import::imports;
use crate::place::{ContentKind, ContentOrigin, ContentPlace};
use crate::rule::{RulesFile, read_rule};
use crate::skill::{Skill, read_skill};

/// Text for a model; what is larger is something else.
const LARGEST: u64 = 1024 * 1024;

/// What a file turned out to be.
#[derive(Debug, Clone)]
pub(crate) enum ParsedItem {
    Rule(Arc<RulesFile>),
    Agent(Arc<Agent>),
    Skill(Arc<Skill>),
    Checklist(Arc<Checklist>),
}

/// A file that has been read.
#[derive(Debug)]
pub(crate) struct ParsedEntry {
    pub(crate) text: Cow<'static, str>,
    /// `None` if it is not valid.
    pub(crate) item: Option<ParsedItem>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Other files that the text came from.
    imported: Vec<(PathBuf, Option<ReadStamp>)>,
}

/// A file, parsed or not.
#[derive(Debug)]
pub(crate) struct ContentEntry {
    pub(crate) place: ContentPlace,
    parsed: OnceLock<ParsedEntry>,
}

impl ContentEntry {
    pub(crate) fn new(place: ContentPlace) -> Self {
        Self {
            place,
            parsed: OnceLock::new(),
        }
    }

    pub(crate) fn parsed(&self) -> &ParsedEntry {
        self.parsed.get_or_init(|| parse(&self.place))
    }

    /// Whether what it imports is as it was when it was read.
    pub(crate) fn is_current(&self) -> bool {
        let imported = self.parsed.get().into_iter().flat_map(|it| &it.imported);
        let mut imported = imported;
        imported.all(|(path, stamp)| ReadStamp::of(path) == *stamp)
    }

    pub(crate) fn rule(&self) -> Option<&Arc<RulesFile>> {
        match self.parsed().item.as_ref()? {
            ParsedItem::Rule(rule) => Some(rule),
            ParsedItem::Agent(_) | ParsedItem::Skill(_) | ParsedItem::Checklist(_) => None,
        }
    }

    pub(crate) fn agent(&self) -> Option<&Arc<Agent>> {
        match self.parsed().item.as_ref()? {
            ParsedItem::Agent(agent) => Some(agent),
            ParsedItem::Rule(_) | ParsedItem::Skill(_) | ParsedItem::Checklist(_) => None,
        }
    }

    pub(crate) fn skill(&self) -> Option<&Arc<Skill>> {
        match self.parsed().item.as_ref()? {
            ParsedItem::Skill(skill) => Some(skill),
            ParsedItem::Rule(_) | ParsedItem::Agent(_) | ParsedItem::Checklist(_) => None,
        }
    }

    pub(crate) fn checklist(&self) -> Option<&Arc<Checklist>> {
        match self.parsed().item.as_ref()? {
            ParsedItem::Checklist(checklist) => Some(checklist),
            ParsedItem::Rule(_) | ParsedItem::Agent(_) | ParsedItem::Skill(_) => None,
        }
    }
}

fn parse(place: &ContentPlace) -> ParsedEntry {
    let mut report = DocumentReport::new(&place.file);
    let text = match read(&place.origin) {
        Ok(text) => text,
        Err(message) => {
            report.error(DocumentPosition::START, message);
            return ParsedEntry {
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
    ParsedEntry {
        text,
        item,
        diagnostics: report.into_found(),
        imported: imported.files,
    }
}

/// Makes of a text what its place says it is.
pub(crate) fn read_item(
    place: &ContentPlace,
    text: &str,
    report: &mut DocumentReport,
) -> Option<ParsedItem> {
    match place.kind {
        ContentKind::Rule => Some(ParsedItem::Rule(Arc::new(read_rule(place, text, report)))),
        ContentKind::Agent => {
            let read = if place.is_json() {
                read_json_agent
            } else {
                read_markdown_agent
            };
            read(place, text, report).map(|agent| ParsedItem::Agent(Arc::new(agent)))
        }
        ContentKind::Skill => {
            read_skill(place, text, report).map(|skill| ParsedItem::Skill(Arc::new(skill)))
        }
        ContentKind::Checklist => read_checklist(place, text, report)
            .map(|checklist| ParsedItem::Checklist(Arc::new(checklist))),
    }
}

fn read(origin: &ContentOrigin) -> Result<Cow<'static, str>, String> {
    match origin {
        ContentOrigin::Embedded(text) => Ok(Cow::Borrowed(text)),
        ContentOrigin::Disk { within, path, .. } => read_within(within, path).map(Cow::Owned),
    }
}

/// The text of a file below a folder, through no link that was put there since it was found; the error is the reason
/// that there is none.
pub(crate) fn read_within(within: &AbsPath, path: &str) -> Result<String, String> {
    let (root, path) = open_within(within, path)?;
    root.read_file(&path)
        .map(|file| file.text)
        .map_err(|error| error.to_string())
}

/// The same for a file that need not be text.
pub(crate) fn read_bytes_within(within: &AbsPath, path: &str) -> Result<Vec<u8>, String> {
    let (root, path) = open_within(within, path)?;
    root.read_bytes(&path).map_err(|error| error.to_string())
}

fn open_within(within: &AbsPath, path: &str) -> Result<(RootDir, ProjectPath), String> {
    let size = std::fs::metadata(within.as_path().join(path)).map_or(0, |found| found.len());
    if size > LARGEST {
        return Err(format!(
            "the file has {size} bytes, more than the {LARGEST} that are read"
        ));
    }
    let path = ProjectPath::parse(path, within).map_err(|error| error.to_string())?;
    let root = RootDir::open(within).map_err(|error| error.to_string())?;
    Ok((root, path))
}
