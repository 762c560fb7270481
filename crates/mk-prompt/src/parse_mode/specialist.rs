//! Who looks at the work beside the agent that does it: a mode's own specialists, and those whose field the prompt speaks of.
//!
//! Names only; whether such an agent exists is for the caller to check.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use super::KeywordMode;
use super::phrases::{Phrases, SubjectIndex, embedded};
use crate::text::Text;

/// Any phrase of a field counts alike.
const WEIGHT: u8 = 1;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SpecialistFile {
    modes: HashMap<KeywordMode, Vec<String>>,
    neutral: Phrases,
    fields: BTreeMap<String, Phrases>,
}

#[derive(Debug)]
struct Fields {
    modes: HashMap<KeywordMode, Vec<String>>,
    specialists: Vec<String>,
    index: SubjectIndex,
}

static FIELDS: LazyLock<Fields> = LazyLock::new(|| {
    let SpecialistFile {
        modes,
        neutral,
        fields,
    } = embedded(include_str!(
        "../../../../content/playbook/specialists.yaml"
    ));
    let rows = fields
        .values()
        .enumerate()
        .flat_map(|(at, phrases)| phrases.rows(at, WEIGHT));
    let index = SubjectIndex::new(fields.len(), &neutral, rows);
    Fields {
        modes,
        specialists: fields.into_keys().collect(),
        index,
    }
});

/// The mode's specialists, then those of the prompt from the first mentioned to the last.
pub(super) fn specialists(mode: KeywordMode, text: &Text<'_>) -> Vec<&'static str> {
    let mut names: Vec<&str> = FIELDS
        .modes
        .get(&mode)
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    let evidence = FIELDS.index.weigh(text);
    let mut spoken: Vec<(usize, &str)> = FIELDS
        .specialists
        .iter()
        .zip(evidence)
        .filter(|(_, evidence)| evidence.score > 0)
        .map(|(name, evidence)| (evidence.first, name.as_str()))
        .collect();
    spoken.sort_unstable();
    for (_, name) in spoken {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
