//! Checks one file as if it were in a playbook: which kind it is follows from where it stands.

use mk_document::{Diagnostic, Report};

use crate::config;
use crate::entry::read_item;
use crate::place::{Kind, Layer, Origin, Place};

/// What is wrong with a file; `None` if a file at this path is no part of a playbook.
///
/// `path` is relative to a project, to a configuration directory or to `content/`, with `/` between its parts.
pub fn lint(path: &str, text: &str) -> Option<Vec<Diagnostic>> {
    let mut report = Report::new(path);
    if config::is_config(path) {
        config::check_text(path, text, &mut report);
        return Some(report.into_found());
    }
    let place = Place {
        kind: kind_of(path)?,
        layer: Layer::Project,
        address: path.to_owned(),
        file: path.to_owned(),
        scope: String::new(),
        mode: None,
        written: None,
        origin: Origin::Embedded(""),
    };
    read_item(&place, text, &mut report);
    Some(report.into_found())
}

fn kind_of(path: &str) -> Option<Kind> {
    let parts: Vec<&str> = path.split('/').collect();
    let (name, folders) = parts.split_last()?;
    let is_in = |folder: &str| folders.contains(&folder);
    let ends = |ending: &str| name.ends_with(ending);
    match *name {
        "SKILL.md" => Some(Kind::Skill),
        "AGENTS.md" | "CLAUDE.md" | "copilot-instructions.md" => Some(Kind::Rule),
        _ if ends(".mdc") || ends(".instructions.md") => Some(Kind::Rule),
        _ if is_in("skills") => None,
        _ if is_in("agents") && (ends(".json") || ends(".md")) => Some(Kind::Agent),
        _ if is_in("checklists") && ends(".json") && *name != "index.json" => Some(Kind::Checklist),
        _ if is_in("rules") && ends(".md") => Some(Kind::Rule),
        _ => None,
    }
}
