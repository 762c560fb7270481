//! Who looks at the work beside the agent that does it: a mode's own specialists, those whose field the prompt speaks of,
//! and those whose kind of files it is about.
//!
//! Names only; whether such an agent exists is for the caller to check.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::KeywordMode;
use super::phrases::{SubjectIndex, embedded};
use crate::text::PromptText;

/// More than these are a crowd.
const MOST: usize = 6;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SpecialistFile {
    modes: HashMap<KeywordMode, Vec<String>>,
    /// Those who have nothing to say about files that are not theirs.
    surface: Vec<String>,
    fields: Vec<SpecialistField>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SpecialistField {
    name: String,
}

#[derive(Debug)]
struct SpecialistFields {
    modes: HashMap<KeywordMode, Vec<String>>,
    surface: Vec<String>,
    specialists: Vec<String>,
    index: SubjectIndex,
}

static FIELDS: LazyLock<SpecialistFields> = LazyLock::new(|| {
    let SpecialistFile {
        modes,
        surface,
        fields,
    } = embedded(include_str!(concat!(env!("OUT_DIR"), "/specialists.json")));
    let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/specialists-fields.bin"));
    let index = SubjectIndex::read(fields.len(), bytes);
    SpecialistFields {
        modes,
        surface,
        specialists: fields.into_iter().map(|field| field.name).collect(),
        index,
    }
});

/// The mode's specialists, those whose field the prompt speaks of, and those whose files it is about.
///
/// Where files are known, the mode's own specialists for surfaces come only with files that are theirs.
pub(super) fn specialists<'a>(
    mode: KeywordMode,
    spoken: &[PromptText<'_>],
    files: &FileExperts<'a>,
) -> Vec<&'a str> {
    let mut names: Vec<&'a str> = FIELDS
        .modes
        .get(&mode)
        .into_iter()
        .flatten()
        .map(String::as_str)
        .filter(|name| {
            !files.known
                || files.experts.contains(name)
                || !FIELDS.surface.iter().any(|it| it == name)
        })
        .collect();
    let mut add = |name: &'a str| {
        if names.len() < MOST && !names.contains(&name) {
            names.push(name);
        }
    };
    let evidence = FIELDS.index.weigh_all(spoken);
    let mut mentioned: Vec<(usize, &'static str)> = FIELDS
        .specialists
        .iter()
        .zip(evidence)
        .filter(|(_, evidence)| evidence.score > 0)
        .map(|(name, evidence)| (evidence.first, name.as_str()))
        .collect();
    mentioned.sort_unstable();
    for (_, name) in mentioned {
        add(name);
    }
    for name in &files.experts {
        add(name);
    }
    names
}

/// The specialists whose kind of files a prompt is about.
#[derive(Debug, Default)]
pub(super) struct FileExperts<'a> {
    /// Whether it is about any files at all.
    pub(super) known: bool,
    pub(super) experts: Vec<&'a str>,
}
