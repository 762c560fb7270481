//! How well a prompt fits a skill's own words: name, description, headings. For skills that the model was not trained on, such as a user's.
//!
//! Rare words count, common ones do not: how common a word is, training's prompts tell.
//! Concepts are compared beside words, so that a description in English answers a prompt in Korean.

use std::collections::{BTreeMap, HashMap};

use super::feature::{concept_feature, word_feature};
use super::model::Model;
use crate::text::{Hash, Reading, Script, Vocabulary};

/// Words this common say nothing.
const COMMON: f32 = 3.5;
/// What a word counts that training has never seen: a product's name, mostly.
const UNSEEN: f32 = 4.5;
/// A concept is wider than a word.
const CONCEPT_WORTH: f32 = 0.6;
/// Pairs of Chinese or Japanese signs overlap, and so count twice.
const PAIR_WORTH: f32 = 0.5;

/// Where a word stands decides what it is worth.
const IN_NAME: f32 = 2.0;
const IN_DESCRIPTION: f32 = 1.0;
const IN_HEADING: f32 = 0.7;

/// The logistic curve from overlap to probability, set so that one rare word of a name or two of a description are a medium match.
const STRENGTH: f32 = 0.42;
const COVERAGE: f32 = 3.2;
const THRESHOLD: f32 = 4.4;

/// What a skill says of itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words<'a> {
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
    pub(crate) headings: &'a [String],
}

/// The words of skills, and who uses them.
#[derive(Debug, Default)]
pub(crate) struct OverlapIndex {
    /// Skills by term, each with what the term is worth there.
    postings: HashMap<Hash, Vec<(usize, f32)>>,
}

/// A skill whose words a prompt uses.
#[derive(Debug)]
pub(crate) struct Overlap {
    pub(crate) skill: usize,
    pub(crate) score: f32,
    /// Units of the prompt that matched, most telling first.
    pub(crate) units: Vec<usize>,
}

#[derive(Debug, Default)]
struct Sum {
    strength: f32,
    units: Vec<(usize, f32)>,
}

/// A comparable piece of a text, what it is worth, and the unit that it begins with.
struct Term {
    hash: Hash,
    worth: f32,
    unit: usize,
}

impl OverlapIndex {
    pub(crate) fn new<'w>(skills: impl IntoIterator<Item = Words<'w>>, model: &Model<'_>) -> Self {
        let mut postings: HashMap<Hash, Vec<(usize, f32)>> = HashMap::new();
        for (skill, words) in skills.into_iter().enumerate() {
            let mut terms: BTreeMap<Hash, f32> = BTreeMap::new();
            let mut add = |text: &str, boost: f32| {
                let reading = Vocabulary::shipped().read_prompt(text);
                for term in terms_of(&reading, model) {
                    let worth = terms.entry(term.hash).or_default();
                    *worth = worth.max(boost);
                }
            };
            add(words.name, IN_NAME);
            add(words.description, IN_DESCRIPTION);
            for heading in words.headings {
                add(heading, IN_HEADING);
            }
            for (term, worth) in terms {
                postings.entry(term).or_default().push((skill, worth));
            }
        }
        Self { postings }
    }

    /// Every skill that shares a word worth counting, with a probability.
    pub(crate) fn find(&self, reading: &Reading<'_>, model: &Model<'_>) -> Vec<Overlap> {
        if self.postings.is_empty() {
            return Vec::new();
        }
        let mut sums: BTreeMap<usize, Sum> = BTreeMap::new();
        let mut whole = 0.0_f32;
        for term in terms_of(reading, model) {
            whole += term.worth;
            let Some(postings) = self.postings.get(&term.hash) else {
                continue;
            };
            // What many skills say tells none of them apart.
            #[expect(clippy::cast_precision_loss, reason = "a count of skills")]
            let shared = 1.0 + (postings.len() as f32).ln();
            for (skill, boost) in postings {
                let sum = sums.entry(*skill).or_default();
                let gain = term.worth * boost / shared;
                sum.strength += gain;
                sum.units.push((term.unit, gain));
            }
        }
        sums.into_iter()
            .map(|(skill, sum)| Overlap {
                skill,
                score: probability(sum.strength, whole),
                units: by_gain(sum.units),
            })
            .collect()
    }
}

fn probability(strength: f32, whole: f32) -> f32 {
    let coverage = (strength / whole.max(1.0)).min(1.0);
    let sum = STRENGTH * strength + COVERAGE * coverage - THRESHOLD;
    1.0 / (1.0 + (-sum).exp())
}

fn by_gain(mut units: Vec<(usize, f32)>) -> Vec<usize> {
    units.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut seen = Vec::new();
    for (unit, _) in units {
        if !seen.contains(&unit) {
            seen.push(unit);
        }
    }
    seen
}

fn terms_of(reading: &Reading<'_>, model: &Model<'_>) -> Vec<Term> {
    let units = &reading.text.units;
    let mut terms: Vec<Term> = Vec::with_capacity(units.len());
    for (at, unit) in units.iter().enumerate() {
        if !reading.counts(at) {
            continue;
        }
        let term = match unit.script {
            Script::Alphabet | Script::Hangul => Term {
                hash: Hash::of(stem(reading.text.normal(unit))),
                worth: worth(model.idf(word_feature(unit.hash))),
                unit: at,
            },
            Script::Katakana | Script::Ideograph => {
                let Some(next) = units.get(at + 1).filter(|next| next.glued) else {
                    continue;
                };
                Term {
                    hash: unit.hash.with(next.hash.0),
                    worth: UNSEEN * PAIR_WORTH,
                    unit: at,
                }
            }
        };
        terms.push(term);
    }
    for hit in &reading.concepts {
        if Vocabulary::shipped().is_aside(hit.id) {
            continue;
        }
        let feature = concept_feature(hit.id);
        terms.push(Term {
            hash: feature,
            worth: worth(model.idf(feature)) * CONCEPT_WORTH,
            unit: hit.units.start,
        });
    }
    terms.retain(|term| term.worth > 0.0);
    terms.sort_by_key(|term| (term.hash, term.unit));
    terms.dedup_by_key(|term| term.hash);
    terms
}

fn worth(idf: Option<f32>) -> f32 {
    idf.map_or(UNSEEN, |idf| (idf - COMMON).clamp(0.0, UNSEEN))
}

/// A plural is the same word; more is not known of a language here.
fn stem(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 2 && !stem.ends_with('s') => stem,
        _ => word,
    }
}
