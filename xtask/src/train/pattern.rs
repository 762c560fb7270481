//! Prompts by pattern: what developers say of many things in the same words.
//!
//! Every pattern is filled in the same number of ways, chosen by a fixed seed, so that a long list of words does not
//! outweigh what people really wrote.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use mk_prompt::PhraseLanguage;
use serde::Deserialize;

use super::corpus::Said;

/// In how many ways a pattern is filled.
const FILLINGS: usize = 30;
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Patterns by skill, and the words for their slots.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Patterns {
    words: BTreeMap<String, Vec<String>>,
    say: BTreeMap<String, Vec<String>>,
}

impl Patterns {
    pub(super) fn said(&self, language: PhraseLanguage) -> Result<Vec<Said>> {
        let mut chance = SEED;
        let mut said = Vec::new();
        for (skill, patterns) in &self.say {
            for pattern in patterns {
                for _ in 0..FILLINGS {
                    said.push(Said {
                        skill: skill.clone(),
                        prompt: self.fill(pattern, &mut chance)?,
                        language,
                    });
                }
            }
        }
        Ok(said)
    }

    fn fill(&self, pattern: &str, chance: &mut u64) -> Result<String> {
        let mut filled = String::new();
        let mut rest = pattern;
        while let Some((before, after)) = rest.split_once('{') {
            let (slot, after) = after
                .split_once('}')
                .with_context(|| format!("a slot of `{pattern}` is not closed"))?;
            let words = self
                .words
                .get(slot)
                .with_context(|| format!("there are no words for `{slot}`"))?;
            filled.push_str(before);
            filled.push_str(pick(words, chance));
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }
}

fn pick<'a>(words: &'a [String], chance: &mut u64) -> &'a str {
    *chance = chance
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    let place = usize::try_from(*chance >> 33).unwrap_or(0) % words.len().max(1);
    words.get(place).map_or("", String::as_str)
}
