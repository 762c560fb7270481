//! The content that ships with the program, as a table of texts. Nothing is parsed before it is asked for.

use crate::place::{ContentKind, ContentLayer, ContentOrigin, ContentPlace};

/// Paths below `content/` and their texts, sorted by path.
static FILES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

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
