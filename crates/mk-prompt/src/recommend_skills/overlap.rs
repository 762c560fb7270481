//! How well a prompt fits a skill's own words: name, description, headings. For skills that the model was not trained on, such as a user's.
//!
//! Rare words count, common ones do not: how common a word is, training's prompts tell.
//! Concepts are compared beside words, so that a description in English answers a prompt in Korean.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::feature::{concept_feature, word_feature};
use super::model::Model;
use crate::text::{ConceptReading, Hash, Script, Vocabulary};

/// Words this common in training's prompts say nothing, beside those that every text has.
const COMMON: f32 = 3.5;
/// What a word counts that training has never seen: a product's name, mostly.
const UNSEEN: f32 = 4.5;
/// A concept is wider than a word.
const CONCEPT_WORTH: f32 = 0.8;
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
/// A prompt of common words only is not covered by one of them.
const LEAST_WHOLE: f32 = 5.0;

/// A word that more skills use than this, and more than a tenth of them, tells none of them apart.
const FEW: usize = 20;

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
    /// What so many use that it tells none of them apart.
    shared: HashSet<Hash>,
    n_skills: usize,
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

/// A word or phrase of a text in its readings: as it is written, and as the concept it stands for.
struct WordSpan {
    unit: usize,
    /// What it is compared by, and what that is worth.
    readings: Vec<(Hash, f32)>,
}

impl WordSpan {
    fn worth(&self) -> f32 {
        self.readings
            .iter()
            .fold(0.0, |most, (_, worth)| most.max(*worth))
    }
}

impl OverlapIndex {
    pub(crate) fn new<'w>(skills: impl IntoIterator<Item = Words<'w>>, model: &Model<'_>) -> Self {
        let mut postings: HashMap<Hash, Vec<(usize, f32)>> = HashMap::new();
        let mut n_skills = 0_usize;
        for (skill, words) in skills.into_iter().enumerate() {
            n_skills += 1;
            let mut terms: BTreeMap<Hash, f32> = BTreeMap::new();
            let mut add = |text: &str, boost: f32| {
                let reading = Vocabulary::shipped().read_prompt(text);
                let spans = spans(&reading, model);
                for (term, _) in spans.iter().flat_map(|span| &span.readings) {
                    let worth = terms.entry(*term).or_default();
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
        let most = FEW.max(n_skills / 10);
        let shared = postings.extract_if(|_, skills| skills.len() > most);
        let shared = shared.map(|(term, _)| term).collect();
        Self {
            postings,
            shared,
            n_skills,
        }
    }

    /// Every skill that shares a word worth counting, with a probability.
    pub(crate) fn find(&self, reading: &ConceptReading<'_>, model: &Model<'_>) -> Vec<Overlap> {
        if self.postings.is_empty() {
            return Vec::new();
        }
        let mut sums: BTreeMap<usize, Sum> = BTreeMap::new();
        let mut whole = 0.0_f32;
        for span in spans(reading, model) {
            if span
                .readings
                .iter()
                .all(|(term, _)| self.shared.contains(term))
            {
                continue;
            }
            whole += span.worth();
            for (skill, gain) in self.gains(&span) {
                let sum = sums.entry(skill).or_default();
                sum.strength += gain;
                sum.units.push((span.unit, gain));
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

    /// What a span is worth to each skill, by the reading that is worth most.
    fn gains(&self, span: &WordSpan) -> BTreeMap<usize, f32> {
        let mut gains: BTreeMap<usize, f32> = BTreeMap::new();
        for (term, worth) in &span.readings {
            let Some(postings) = self.postings.get(term) else {
                continue;
            };
            let rarity = rarity(self.n_skills, postings.len());
            for (skill, boost) in postings {
                let gain = gains.entry(*skill).or_default();
                *gain = gain.max(worth * boost * rarity);
            }
        }
        gains
    }
}

/// What many skills say tells none of them apart; what five of six hundred say tells much.
#[expect(clippy::cast_precision_loss, reason = "counts of skills")]
fn rarity(n_skills: usize, n_with: usize) -> f32 {
    let all = n_skills.max(1) as f32;
    (1.0 + all / n_with.max(1) as f32).ln() / (1.0 + all).ln()
}

fn probability(strength: f32, whole: f32) -> f32 {
    let coverage = (strength / whole.max(LEAST_WHOLE)).min(1.0);
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

fn spans(reading: &ConceptReading<'_>, model: &Model<'_>) -> Vec<WordSpan> {
    let units = &reading.text.units;
    let mut spans: Vec<WordSpan> = Vec::with_capacity(units.len());
    for (at, unit) in units
        .iter()
        .enumerate()
        .filter(|(at, _)| reading.counts(*at))
    {
        let mut readings = Vec::new();
        match unit.script {
            Script::Alphabet | Script::Hangul if reading.is_common(at) => {}
            Script::Alphabet | Script::Hangul => {
                let worth = worth(model.idf(word_feature(unit.hash)));
                readings.push((Hash::of(stem(reading.text.normal(unit))), worth));
            }
            Script::Katakana | Script::Ideograph => {
                if let Some(next) = units.get(at + 1).filter(|next| next.glued) {
                    readings.push((unit.hash.with(next.hash.0), UNSEEN * PAIR_WORTH));
                }
            }
        }
        let trade = |concept| !Vocabulary::shipped().is_aside(concept);
        let concepts = reading
            .concepts
            .iter()
            .filter(|hit| hit.units.start == at && trade(hit.id));
        readings.extend(concepts.map(|hit| {
            let feature = concept_feature(hit.id);
            (feature, worth(model.idf(feature)) * CONCEPT_WORTH)
        }));
        readings.retain(|(_, worth)| *worth > 0.0);
        if !readings.is_empty() {
            spans.push(WordSpan { unit: at, readings });
        }
    }
    spans
}

fn worth(idf: Option<f32>) -> f32 {
    idf.map_or(UNSEEN, |idf| (idf - COMMON).clamp(0.0, UNSEEN))
}

/// Endings that do not make another word in most languages with an alphabet.
const ENDINGS: [&str; 9] = ["ing", "ed", "es", "en", "er", "em", "s", "e", "n"];
const SHORTEST_STEM: usize = 4;

/// A word without its ending; roughly, because the language is not known here.
fn stem(word: &str) -> &str {
    let stems = ENDINGS
        .iter()
        .filter_map(|ending| word.strip_suffix(ending));
    let mut long = stems.filter(|stem| stem.len() >= SHORTEST_STEM);
    long.next().unwrap_or(word)
}
