//! One probability from several witnesses: what the model, the key phrases and their rivals say of a skill.
//!
//! The weights come from prompts that the model was not trained on, so that a score is about the share of right answers.

use super::model::{Model, ModelVerdict};
use crate::text::Vocabulary;

/// How many numbers are weighed.
pub const EVIDENCE: usize = 5;

/// What speaks for and against one class, in the order of the weights: always 1, the model, its key phrases, those of others, and how much of the prompt training had seen.
pub type ClassEvidence = [f32; EVIDENCE];

/// More keys than two say nothing new.
const MOST_KEYS: f32 = 2.0;

impl Model<'_> {
    /// The evidence for every class on one prompt.
    pub fn evidence(&self, prompt: &str, vocabulary: &Vocabulary<'_>) -> Vec<ClassEvidence> {
        self.judge(&vocabulary.read_prompt(prompt), vocabulary)
            .evidence()
    }
}

impl ModelVerdict {
    pub(super) fn evidence(&self) -> Vec<ClassEvidence> {
        let mut keys = vec![0.0_f32; self.probabilities.len()];
        for hit in &self.keys {
            if let Some(key) = keys.get_mut(usize::from(hit.id)) {
                *key += f32::from(hit.weight) / 255.0;
            }
        }
        let rivals: Vec<f32> = (0..keys.len())
            .map(|class| {
                let others = keys.iter().enumerate().filter(|(other, _)| *other != class);
                others.fold(0.0_f32, |most, (_, key)| most.max(*key))
            })
            .collect();
        self.probabilities
            .iter()
            .zip(keys.iter().zip(rivals))
            .map(|(probability, (key, rival))| {
                [
                    1.0,
                    log_odds(*probability),
                    // A key in a prompt about something else is a word like any other.
                    key.min(MOST_KEYS) * (1.0 - self.none),
                    rival.min(MOST_KEYS),
                    self.known,
                ]
            })
            .collect()
    }
}

/// The probability that a class fits.
pub fn fused(evidence: &ClassEvidence, weights: &ClassEvidence) -> f32 {
    let sum: f32 = evidence
        .iter()
        .zip(weights)
        .map(|(it, weight)| it * weight)
        .sum();
    1.0 / (1.0 + (-sum).exp())
}

fn log_odds(probability: f32) -> f32 {
    let bounded = probability.clamp(1e-4, 1.0 - 1e-4);
    (bounded / (1.0 - bounded)).ln()
}
