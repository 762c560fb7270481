//! How well prompts are understood, on cases that people wrote: one JSON object a line.
//!
//! `{"lang", "prompt", "skill", "match"}` says whether a skill must be recommended, with `"skill": "none"` for prompts
//! that nothing fits; `{"lang", "prompt", "mode", "originalPrompt"}` says which mode a prompt starts.

use std::collections::BTreeMap;

use mk_prompt::{ModeRequest, NONE, PromptConfig, Roster, parse_mode};
use serde::Deserialize;

use crate::playbook::Playbook;

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum EvalCase {
    Skill {
        lang: String,
        prompt: String,
        skill: String,
        #[serde(rename = "match")]
        fits: bool,
    },
    Mode {
        lang: String,
        prompt: String,
        mode: String,
        #[serde(rename = "originalPrompt")]
        original_prompt: String,
    },
}

/// A part of a whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    pub right: usize,
    pub of: usize,
}

impl Share {
    fn count(&mut self, right: bool) {
        self.right += usize::from(right);
        self.of += 1;
    }

    /// From 0 to 1; 1 of nothing.
    pub fn ratio(self) -> f64 {
        if self.of == 0 {
            return 1.0;
        }
        self.right as f64 / self.of as f64
    }
}

/// What was right, in one language or in all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Score {
    /// The skill comes first.
    pub first: Share,
    /// It is among the first three.
    pub among_three: Share,
    /// It is recommended at all.
    pub listed: Share,
    /// Nothing is recommended where nothing fits.
    pub silent: Share,
    /// A skill that must not be recommended is not.
    pub avoided: Share,
    /// Mode and remaining prompt are right.
    pub modes: Share,
}

/// What came of a file of cases.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EvalScores {
    pub by_language: BTreeMap<String, Score>,
    pub all: Score,
    /// Prompts that were not understood as they should, with what was expected and what came.
    pub failures: Vec<String>,
    /// Lines that are no cases, by number.
    pub unreadable: Vec<usize>,
}

/// Tries every case of a file.
pub fn evaluate(playbook: &Playbook, cases: &str) -> EvalScores {
    let mut scores = EvalScores::default();
    for (number, line) in (1..).zip(cases.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str(line) {
            Ok(case) => scores.take(playbook, &case),
            Err(_) => scores.unreadable.push(number),
        }
    }
    scores
}

impl EvalScores {
    fn take(&mut self, playbook: &Playbook, case: &EvalCase) {
        match case {
            EvalCase::Skill {
                lang,
                prompt,
                skill,
                fits,
            } => {
                let found = playbook.recommend(prompt);
                let place = found.iter().position(|it| it.skill == *skill);
                let count = |score: &mut Score| match (skill.as_str(), fits) {
                    (NONE, _) => score.silent.count(found.is_empty()),
                    (_, true) => {
                        score.first.count(place == Some(0));
                        score
                            .among_three
                            .count(place.is_some_and(|place| place < 3));
                        score.listed.count(place.is_some());
                    }
                    (_, false) => score.avoided.count(place.is_none()),
                };
                count(&mut self.all);
                count(self.by_language.entry(lang.clone()).or_default());
                let is_right = match (skill.as_str(), fits) {
                    (NONE, _) => found.is_empty(),
                    (_, true) => place == Some(0),
                    (_, false) => place.is_none(),
                };
                if !is_right {
                    let found: Vec<&str> = found.iter().map(|it| it.skill.as_str()).collect();
                    let wish = if *fits { "" } else { "not " };
                    self.failures.push(format!(
                        "{lang}: {prompt:?}: {wish}{skill}, found {found:?}"
                    ));
                }
            }
            EvalCase::Mode {
                lang,
                prompt,
                mode,
                original_prompt,
            } => {
                let request = ModeRequest {
                    prompt,
                    roster: &Roster::default(),
                    config: &PromptConfig::default(),
                    recommended_agent: None,
                    files: &[],
                };
                let parsed = parse_mode(&request);
                let is_right =
                    parsed.mode.as_str() == mode && parsed.original_prompt == original_prompt;
                self.all.modes.count(is_right);
                let score = self.by_language.entry(lang.clone()).or_default();
                score.modes.count(is_right);
                if !is_right {
                    let (found, rest) = (parsed.mode, parsed.original_prompt);
                    self.failures.push(format!(
                        "{lang}: {prompt:?}: {mode}, found {found} {rest:?}"
                    ));
                }
            }
        }
    }
}
