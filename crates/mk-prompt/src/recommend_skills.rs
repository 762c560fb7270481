//! Which skills fit a prompt, how surely, and by which of its words.
//!
//! Skills that ship are known to a trained model and to a list of key phrases; any other is compared by its own words.
//! Both answer with a probability, so a user's skill stands beside those that ship. When nothing fits, the answer is empty.

mod feature;
mod fuse;
mod model;
mod overlap;
mod shape;

use std::ops::Range;

pub use feature::Features;
pub use fuse::{ClassEvidence, EVIDENCE, fused};
pub use model::{FeatureRow, Mass, Model, ModelParts, NONE, softmax};

use crate::reading::PromptReading;
use crate::segment::{PastedPart, Segments, clauses, is_foreign};
use crate::text::{ConceptReading, Script, Vocabulary};
use feature::{concept_feature, word_feature};
use model::ModelVerdict;
pub(crate) use overlap::{OverlapIndex, Words};

/// As many skills as are worth reading.
const MOST: usize = 5;
/// Places that trained skills leave to others.
const MOST_TRAINED: usize = 3;
/// What a paste is worth where nothing is said clearly.
const PASTED: f32 = 0.6;
/// Words of a remark that leaves the asking to what was pasted.
const MOST_OF_REMARK: usize = 3;
/// The most that something unsure is worth.
const MOST_UNSURE: f32 = 0.7;
/// Words that are named as the reason for one skill.
const MOST_MATCHED: usize = 4;

/// A skill that may be recommended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillCandidate {
    pub name: String,
    pub description: String,
    /// Headings of its text.
    pub headings: Vec<String>,
    /// Lower is higher; it decides between equals only.
    pub priority: u32,
}

/// How sure a recommendation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    Low,
    Medium,
    High,
}

impl Confidence {
    /// From .25 low, from .45 medium, from .85 high; below there is nothing to recommend.
    ///
    /// Scores are probabilities, but those of prompts unlike any that was trained on are too bold: from .75 on, one in
    /// fifty was wrong there, and "high" is to be relied upon.
    pub fn of(score: f32) -> Option<Self> {
        match score {
            score if score >= 0.85 => Some(Self::High),
            score if score >= 0.45 => Some(Self::Medium),
            score if score >= 0.25 => Some(Self::Low),
            _ => None,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// A skill that fits a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Recommendation {
    pub skill: String,
    pub description: String,
    pub confidence: Confidence,
    /// The probability that it fits.
    pub score: f32,
    /// Words of the prompt that speak for it, as typed.
    pub matched: Vec<String>,
}

/// Recommends among a set of skills; made once for a set, and asked often.
#[derive(Debug)]
pub struct Recommender {
    candidates: Vec<SkillCandidate>,
    /// Places among the candidates of those that the model knows, by class.
    trained: Vec<Option<usize>>,
    /// Places of the others, in the order of the overlap index.
    untrained: Vec<usize>,
    overlap: OverlapIndex,
}

impl Recommender {
    pub fn new(candidates: Vec<SkillCandidate>) -> Self {
        let model = Model::shipped();
        let place = |class: &&str| candidates.iter().position(|it| it.name == **class);
        let trained: Vec<Option<usize>> = model.classes().iter().map(place).collect();
        let untrained: Vec<usize> = (0..candidates.len())
            .filter(|place| !trained.contains(&Some(*place)))
            .collect();
        let words = untrained
            .iter()
            .filter_map(|place| candidates.get(*place))
            .map(|candidate| Words {
                name: &candidate.name,
                description: &candidate.description,
                headings: &candidate.headings,
            });
        let overlap = OverlapIndex::new(words, model);
        Self {
            candidates,
            trained,
            untrained,
            overlap,
        }
    }

    /// The skills that fit, best first, or in the order of the steps that the prompt asks for; at most five, and none
    /// when none fits.
    ///
    /// 1. What is said first decides, if it says something; below a paste that comes first, what is said last.
    /// 2. Otherwise the last paragraph does, then the sentences between.
    /// 3. Where nothing said is clear, the kind of what was pasted decides.
    pub fn recommend(&self, prompt: &str) -> Vec<Recommendation> {
        self.of_segments(&Segments::of(prompt))
    }

    /// The same for a prompt that was read before.
    pub fn recommend_for(&self, reading: &PromptReading<'_>) -> Vec<Recommendation> {
        self.of_segments(&reading.segments)
    }

    fn of_segments(&self, segments: &Segments<'_>) -> Vec<Recommendation> {
        let mut found = self.of_steps(segments.opening);
        if segments.asks_last || !is_clear(&found) {
            let closing = self.of_steps(segments.closing);
            let asks = segments.asks_last && is_clear(&closing);
            if asks || !is_clear(&found) && best(&closing) > best(&found) {
                found = closing;
            }
        }
        if !is_clear(&found) {
            let between = segments.between.iter().map(|it| self.of_text(it));
            let between = between
                .filter(|it| is_clear(it))
                .max_by(|a, b| best(a).total_cmp(&best(b)));
            if let Some(mut between) = between {
                weaken(&mut between);
                found = between;
            }
        }
        // "any idea?" above a trace is about the trace.
        let is_remark = segments.opening.split_whitespace().count() <= MOST_OF_REMARK
            && segments.opening.ends_with(['?', '？']);
        if (!is_clear(&found) || is_remark)
            && let Some(pasted) = self.of_paste(segments.pasted)
        {
            if is_remark {
                found.clear();
            }
            found.retain(|it| it.skill != pasted.skill);
            found.insert(0, pasted);
        }
        if segments.spoken().any(is_foreign) {
            weaken(&mut found);
        }
        found.truncate(MOST);
        found
    }

    /// What fits a text, or each of its steps where they ask for different things.
    fn of_steps(&self, text: &str) -> Vec<Recommendation> {
        let whole = self.of_text(text);
        let mut steps: Vec<Recommendation> = Vec::new();
        for clause in clauses(text) {
            let first = self.of_text(clause).into_iter().next();
            let first = first.filter(|it| it.confidence >= Confidence::Medium);
            if let Some(first) = first
                && steps.iter().all(|it| it.skill != first.skill)
            {
                steps.push(first);
            }
        }
        if steps.len() < 2 {
            return whole;
        }
        let others = whole
            .into_iter()
            .filter(|it| steps.iter().all(|step| step.skill != it.skill));
        let others: Vec<Recommendation> = others.collect();
        steps.extend(others);
        steps
    }

    /// What the kind of a paste speaks for, where nothing else does.
    fn of_paste(&self, pasted: PastedPart) -> Option<Recommendation> {
        let (skill, what) = match pasted {
            PastedPart { diff: true, .. } => ("pr-review", "a diff"),
            PastedPart { trace: true, .. } => ("systematic-debugging", "a stack trace"),
            PastedPart {
                failing_log: true, ..
            } => ("systematic-debugging", "a log with errors"),
            _ => return None,
        };
        let candidate = self.candidates.iter().find(|it| it.name == skill)?;
        recommendation(candidate, PASTED, || vec![what.to_owned()])
    }

    fn of_text(&self, text: &str) -> Vec<Recommendation> {
        if text.is_empty() {
            return Vec::new();
        }
        let (model, vocabulary) = (Model::shipped(), Vocabulary::shipped());
        let reading = vocabulary.read_prompt(text);
        let verdict = model.judge(&reading, vocabulary);
        let mut found = self.by_training(model, &reading, &verdict);
        found.extend(self.by_words(model, &reading));
        found.sort_by(|(a, left), (b, right)| {
            right
                .score
                .total_cmp(&left.score)
                .then(a.priority.cmp(&b.priority))
        });
        found.truncate(MOST);
        found
            .into_iter()
            .map(|(_, recommendation)| recommendation)
            .collect()
    }

    fn by_training(
        &self,
        model: &Model<'_>,
        reading: &ConceptReading<'_>,
        verdict: &ModelVerdict,
    ) -> Vec<(&SkillCandidate, Recommendation)> {
        let mut scores: Vec<(usize, &SkillCandidate, f32)> = verdict
            .evidence()
            .iter()
            .map(|evidence| fused(evidence, model.fusion()))
            .enumerate()
            .filter_map(|(class, score)| {
                let place = self.trained.get(class).copied().flatten()?;
                Some((class, self.candidates.get(place)?, score))
            })
            .collect();
        scores.sort_by(|a, b| b.2.total_cmp(&a.2));
        scores
            .into_iter()
            .take(MOST_TRAINED)
            .filter_map(|(class, candidate, score)| {
                let matched = || why(model, reading, verdict, class);
                Some((candidate, recommendation(candidate, score, matched)?))
            })
            .collect()
    }

    fn by_words(
        &self,
        model: &Model<'_>,
        reading: &ConceptReading<'_>,
    ) -> Vec<(&SkillCandidate, Recommendation)> {
        self.overlap
            .find(reading, model)
            .into_iter()
            .filter_map(|found| {
                let candidate = self.candidates.get(*self.untrained.get(found.skill)?)?;
                let matched = || {
                    let units = found.units.iter().map(|unit| phrase_at(reading, *unit));
                    typed(reading, units)
                };
                Some((candidate, recommendation(candidate, found.score, matched)?))
            })
            .collect()
    }
}

fn best(found: &[Recommendation]) -> f32 {
    found.first().map_or(0.0, |it| it.score)
}

fn is_clear(found: &[Recommendation]) -> bool {
    found
        .first()
        .is_some_and(|it| it.confidence >= Confidence::Medium)
}

/// Takes certainty from what is only likely.
fn weaken(found: &mut [Recommendation]) {
    for it in found {
        if it.confidence == Confidence::High {
            it.confidence = Confidence::Medium;
            it.score = it.score.min(MOST_UNSURE);
        }
    }
}

fn recommendation(
    candidate: &SkillCandidate,
    score: f32,
    matched: impl FnOnce() -> Vec<String>,
) -> Option<Recommendation> {
    Some(Recommendation {
        confidence: Confidence::of(score)?,
        skill: candidate.name.clone(),
        description: candidate.description.clone(),
        score,
        matched: matched(),
    })
}

/// The words that speak for a class: its key phrases, then its concepts, then single words.
fn why(
    model: &Model<'_>,
    reading: &ConceptReading<'_>,
    verdict: &ModelVerdict,
    class: usize,
) -> Vec<String> {
    let keys = verdict
        .keys
        .iter()
        .filter(|hit| usize::from(hit.id) == class);
    let keys: Vec<Range<usize>> = keys.map(|hit| hit.units.clone()).collect();
    if !keys.is_empty() {
        return typed(reading, keys.into_iter());
    }
    let concepts = reading.concepts.iter().map(|hit| {
        let weight = model.weight(concept_feature(hit.id), class);
        (hit.units.clone(), weight)
    });
    let concepts = heaviest(concepts);
    if !concepts.is_empty() {
        return typed(reading, concepts.into_iter());
    }
    let words = reading
        .text
        .units
        .iter()
        .enumerate()
        .filter(|(at, _)| reading.counts(*at));
    let words = words.map(|(at, unit)| {
        let weight = model.weight(word_feature(unit.hash), class);
        (at..at + 1, weight)
    });
    typed(reading, heaviest(words).into_iter())
}

fn heaviest(weights: impl Iterator<Item = (Range<usize>, f32)>) -> Vec<Range<usize>> {
    let mut weights: Vec<(Range<usize>, f32)> =
        weights.filter(|(_, weight)| *weight > 0.0).collect();
    weights.sort_by(|a, b| b.1.total_cmp(&a.1));
    weights.into_iter().map(|(units, _)| units).collect()
}

/// A word, or the run of signs that a sign belongs to.
fn phrase_at(reading: &ConceptReading<'_>, unit: usize) -> Range<usize> {
    let concept = reading.concepts.iter().find(|hit| hit.units.start == unit);
    if let Some(hit) = concept {
        return hit.units.clone();
    }
    let signs = reading
        .text
        .units
        .get(unit)
        .is_some_and(|unit| matches!(unit.script, Script::Katakana | Script::Ideograph));
    unit..unit + if signs { 2 } else { 1 }
}

fn typed(reading: &ConceptReading<'_>, units: impl Iterator<Item = Range<usize>>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in units.map(|units| reading.text.typed(units)) {
        if words.len() < MOST_MATCHED && !word.is_empty() && !words.iter().any(|it| it == word) {
            words.push(word.to_owned());
        }
    }
    words
}
