//! The content that ships with the program, as a table of texts. Nothing is parsed before it is asked for.

use crate::place::{Kind, Layer, Origin, Place};

/// Paths below `content/` and their texts, sorted by path.
static FILES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

pub(crate) fn places() -> impl Iterator<Item = Place> {
    FILES.iter().filter_map(|(path, text)| {
        let (folder, rest) = path.split_once('/')?;
        let kind = match folder {
            "rules" => Kind::Rule,
            "agents" => Kind::Agent,
            "skills" if rest.split('/').count() == 2 && rest.ends_with("/SKILL.md") => Kind::Skill,
            "checklists" => Kind::Checklist,
            _ => return None,
        };
        Some(Place {
            kind,
            layer: Layer::Embedded,
            address: (*path).to_owned(),
            file: format!("content/{path}"),
            scope: String::new(),
            mode: None,
            written: None,
            origin: Origin::Embedded(text),
        })
    })
}
