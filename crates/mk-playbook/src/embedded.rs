//! The content that ships with the program, as a table of texts. Nothing is parsed before it is asked for.

use crate::place::{ContentKind, ContentLayer, ContentOrigin, ContentPlace};

/// Paths below `content/` and their texts, sorted by path.
static FILES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The names and texts of the skills that ship, whatever a project has put in their place.
pub fn shipped_skills() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.iter().filter_map(|(path, text)| {
        let name = path.strip_prefix("skills/")?.strip_suffix("/SKILL.md")?;
        Some((name, *text))
    })
}

pub(crate) fn places() -> impl Iterator<Item = ContentPlace> {
    FILES.iter().filter_map(|(path, text)| {
        let (folder, rest) = path.split_once('/')?;
        let kind = match folder {
            "rules" => ContentKind::Rule,
            "agents" => ContentKind::Agent,
            "skills" if rest.split('/').count() == 2 && rest.ends_with("/SKILL.md") => {
                ContentKind::Skill
            }
            "checklists" => ContentKind::Checklist,
            _ => return None,
        };
        Some(ContentPlace {
            kind,
            layer: ContentLayer::Embedded,
            address: (*path).to_owned(),
            file: format!("content/{path}"),
            scope: String::new(),
            mode: None,
            written: None,
            origin: ContentOrigin::Embedded(text),
        })
    })
}
