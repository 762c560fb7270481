//! What the model's and the keys' word is worth, measured on prompts that they were not trained on.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use mk_prompt::{ClassEvidence, EVIDENCE, Model, NONE, PhraseLanguage, fused};

use super::{Example, Lesson};

const FOLDS: usize = 5;
/// How much a prompt that needs no skill counts here: most of what people say to an assistant is such.
const NONE_COUNTS: f64 = 1.5;
/// From here on a skill is recommended.
const LEAST: f32 = 0.25;

/// How precise each key is on the examples: how often it was in a prompt of its own skill.
pub(super) fn key_weights(lesson: &Lesson<'_>, examples: &[&Example]) -> Result<Vec<u8>> {
    // Doubt about a key that was seen rarely.
    const DOUBT: f32 = 0.3;
    let bytes = lesson.keys_only()?;
    let model = Model::read(&bytes).context("the key phrases are unreadable")?;
    let mut counts = vec![(0.0_f32, 0.0_f32); lesson.corpus.keys.len()];
    for example in examples.iter().filter(|example| !example.prompt.is_empty()) {
        let keys = model.keys(&example.prompt, &lesson.vocabulary);
        for number in keys.into_iter().collect::<BTreeSet<u16>>() {
            let number = usize::from(number);
            let key = lesson.corpus.keys.get(number).context("no such key")?;
            let own = lesson.class(&key.skill)? == example.class;
            let (right, wrong) = counts.get_mut(number).context("no such key")?;
            *if own { right } else { wrong } += 1.0;
        }
    }
    let precision = |(right, wrong): (f32, f32)| (right + 1.0) / (right + wrong + 1.0 + DOUBT);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of one, scaled to a byte"
    )]
    let weights = counts
        .into_iter()
        .map(|count| (precision(count) * 255.0) as u8);
    Ok(weights.collect())
}

/// A prompt and what a model that had not seen it made of it.
struct Trial<'a> {
    example: &'a Example,
    evidence: Vec<ClassEvidence>,
}

/// The weights of the evidence, and how well they do, per language.
pub(super) fn fusion(lesson: &Lesson<'_>) -> Result<(ClassEvidence, String)> {
    let trials = cross_validate(lesson)?;
    let none = lesson.class(NONE)?;
    let mut rows: Vec<(&ClassEvidence, f64, f64)> = Vec::new();
    for Trial { example, evidence } in &trials {
        let counts = if example.class == none {
            NONE_COUNTS
        } else {
            1.0
        };
        for (class, evidence) in evidence
            .iter()
            .enumerate()
            .filter(|(class, _)| *class != none)
        {
            rows.push((
                evidence,
                f64::from(u8::from(class == example.class)),
                counts,
            ));
        }
    }
    let weights = logistic(&rows);
    Ok((weights, report(&trials, none, &weights)))
}

/// Each prompt is judged by a model that learned from the other four fifths.
fn cross_validate<'l>(lesson: &'l Lesson<'_>) -> Result<Vec<Trial<'l>>> {
    let mut seen: BTreeMap<(PhraseLanguage, usize), usize> = BTreeMap::new();
    let mut folds: Vec<Option<usize>> = Vec::with_capacity(lesson.examples.len());
    for example in &lesson.examples {
        let count = seen.entry((example.language, example.class)).or_default();
        folds.push((!example.prompt.is_empty()).then_some(*count % FOLDS));
        *count += 1;
    }
    let mut trials = Vec::new();
    for fold in 0..FOLDS {
        let (mut learned, mut kept) = (Vec::new(), Vec::new());
        for (example, in_fold) in lesson.examples.iter().zip(&folds) {
            let side = if *in_fold == Some(fold) {
                &mut kept
            } else {
                &mut learned
            };
            side.push(example);
        }
        let bytes = lesson.model(&learned, ClassEvidence::default())?;
        let model = Model::read(&bytes).context("the model is unreadable")?;
        trials.extend(kept.into_iter().map(|example| Trial {
            example,
            evidence: model.evidence(&example.prompt, &lesson.vocabulary),
        }));
    }
    Ok(trials)
}

/// Logistic regression of a handful of numbers: gradient descent with Adam's steps on all rows at once.
fn logistic(rows: &[(&ClassEvidence, f64, f64)]) -> ClassEvidence {
    const ROUNDS: i32 = 400;
    const STEP: f64 = 0.05;
    let total: f64 = rows.iter().map(|(_, _, counts)| counts).sum();
    let mut weights = ClassEvidence::default();
    let mut exact = [0.0_f64; EVIDENCE];
    let (mut mean, mut square) = ([0.0_f64; EVIDENCE], [0.0_f64; EVIDENCE]);
    for round in 1..=ROUNDS {
        let mut gradient = [0.0_f64; EVIDENCE];
        for (evidence, right, counts) in rows {
            let error = (f64::from(fused(evidence, &weights)) - right) * counts;
            for (sum, value) in gradient.iter_mut().zip(*evidence) {
                *sum += error * f64::from(*value);
            }
        }
        let moments = mean.iter_mut().zip(&mut square);
        for ((weight, (mean, square)), sum) in exact.iter_mut().zip(moments).zip(gradient) {
            let slope = sum / total;
            *mean = 0.9 * *mean + 0.1 * slope;
            *square = 0.999 * *square + 0.001 * slope * slope;
            let mean = *mean / (1.0 - 0.9_f64.powi(round));
            let square = *square / (1.0 - 0.999_f64.powi(round));
            *weight -= STEP * mean / (square.sqrt() + 1e-9);
        }
        for (weight, exact) in weights.iter_mut().zip(exact) {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the model keeps single precision"
            )]
            let rounded = exact as f32;
            *weight = rounded;
        }
    }
    weights
}

#[derive(Default)]
struct Figures {
    skills: f32,
    first: f32,
    listed: f32,
    others: f32,
    silent: f32,
}

fn report(trials: &[Trial<'_>], none: usize, weights: &ClassEvidence) -> String {
    let mut by_language: BTreeMap<PhraseLanguage, Figures> = BTreeMap::new();
    for Trial { example, evidence } in trials {
        let scores = evidence
            .iter()
            .map(|evidence| fused(evidence, weights))
            .enumerate();
        let mut listed: Vec<(usize, f32)> = scores
            .filter(|(class, score)| *class != none && *score >= LEAST)
            .collect();
        listed.sort_by(|a, b| b.1.total_cmp(&a.1));
        let figures = by_language.entry(example.language).or_default();
        let one = |is: bool| f32::from(u8::from(is));
        if example.class == none {
            figures.others += 1.0;
            figures.silent += one(listed.is_empty());
        } else {
            let own = |(class, _): &(usize, f32)| *class == example.class;
            figures.skills += 1.0;
            figures.first += one(listed.first().is_some_and(own));
            figures.listed += one(listed.iter().any(own));
        }
    }
    let mut report = "on prompts that were left out:".to_owned();
    for (language, it) in by_language {
        let _ = write!(
            report,
            "\n{language}: first {:.3}, listed {:.3}, silent {:.3}",
            it.first / it.skills,
            it.listed / it.skills,
            it.silent / it.others
        );
    }
    report
}
