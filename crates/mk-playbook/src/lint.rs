//! Checks one file as if it were in a playbook: which kind it is follows from where it stands.

use mk_clients::is_rules_file;
use mk_document::{Diagnostic, DocumentReport};

use crate::config;
use crate::entry::read_item;
use crate::place::{ContentKind, ContentLayer, ContentOrigin, ContentPlace};

/// What is wrong with a file; `None` if a file at this path is no part of a playbook.
///
/// `path` is relative to a project, to a configuration directory or to `content/`, with `/` between its parts.
pub fn lint(path: &str, text: &str) -> Option<Vec<Diagnostic>> {
    let mut report = DocumentReport::new(path);
    if config::is_config(path) {
        config::check_text(path, text, &mut report);
        return Some(report.into_found());
    }
    let place = ContentPlace {
        kind: kind_of(path)?,
        layer: ContentLayer::Project,
        address: path.to_owned(),
        file: path.to_owned(),
        scope: String::new(),
        mode: None,
        written: None,
        origin: ContentOrigin::Embedded(""),
    };
    read_item(&place, text, &mut report);
    Some(report.into_found())
}

fn kind_of(path: &str) -> Option<ContentKind> {
    let parts: Vec<&str> = path.split('/').collect();
    let (name, folders) = parts.split_last()?;
    let is_in = |folder: &str| folders.contains(&folder);
    let ends = |ending: &str| name.ends_with(ending);
    match *name {
        "SKILL.md" => Some(ContentKind::Skill),
        name if is_rules_file(name) => Some(ContentKind::Rule),
        _ if is_in("skills") => None,
        _ if is_in("agents") && (ends(".json") || ends(".md")) => Some(ContentKind::Agent),
        _ if is_in("checklists") && ends(".json") && *name != "index.json" => {
            Some(ContentKind::Checklist)
        }
        _ if is_in("rules") && ends(".md") => Some(ContentKind::Rule),
        _ => None,
    }
}
