//! Which agent does the work of a prompt.
//!
//! In this order, and no one that the configuration excludes:
//! 1. explicit: the prompt asks for an agent;
//! 2. config: the caller's recommendation, then the configured agent, where the mode has a choice of it;
//! 3. intent: what the prompt speaks of;
//! 4. context: the files it is about, while acting;
//! 5. default: the mode's own.

use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;

use super::explicit::requested;
use super::phrases::{SubjectEvidence, SubjectIndex, embedded, is_head_last};
use super::roster::{AgentCard, AgentKind};
use super::{KeywordMode, ModeRequest};
use crate::text::{PromptText, fold};

/// One weak word sends a prompt to no one.
const LEAST_SCORE: u32 = 2;
/// From here on an own agent's description fits.
const LEAST_DESCRIBED: f32 = 0.45;
/// Words that a reason shows.
const MOST_SHOWN: usize = 3;

/// Why an agent was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentSource {
    Explicit,
    Config,
    Intent,
    Context,
    Default,
}

impl fmt::Display for AgentSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Explicit => "explicit",
            Self::Config => "config",
            Self::Intent => "intent",
            Self::Context => "context",
            Self::Default => "default",
        })
    }
}

/// An agent and why it was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentChoice<'a> {
    pub agent: &'a str,
    pub source: AgentSource,
    /// From 0 to 1.
    pub confidence: f64,
    /// A sentence without its full stop, in English.
    pub reason: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct IntentFile {
    plan: Vec<AgentIntentRow>,
    eval: Vec<AgentIntentRow>,
    act: Vec<AgentIntentRow>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct AgentIntentRow {
    agent: String,
}

static FILE: LazyLock<IntentFile> =
    LazyLock::new(|| embedded(include_str!(concat!(env!("OUT_DIR"), "/intents.json"))));
static PLAN: LazyLock<SubjectIndex> = LazyLock::new(|| {
    let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/intents-plan.bin"));
    SubjectIndex::read(FILE.plan.len(), bytes)
});
static ACT: LazyLock<SubjectIndex> = LazyLock::new(|| {
    let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/intents-act.bin"));
    SubjectIndex::read(FILE.act.len(), bytes)
});

/// The agents of a mode, from the special to the general.
fn rows(mode: KeywordMode) -> &'static [AgentIntentRow] {
    match mode {
        KeywordMode::Plan => &FILE.plan,
        KeywordMode::Act | KeywordMode::Auto => &FILE.act,
        KeywordMode::Eval => &FILE.eval,
    }
}

/// What prompts say when an agent of the mode is meant; there is only one to evaluate.
fn intents(mode: KeywordMode) -> Option<&'static SubjectIndex> {
    match mode {
        KeywordMode::Plan => Some(&PLAN),
        KeywordMode::Act | KeywordMode::Auto => Some(&ACT),
        KeywordMode::Eval => None,
    }
}

/// Chooses among the agents of a request.
pub(super) struct Chooser<'a, 't> {
    pub(super) request: &'a ModeRequest<'a>,
    /// What the prompt says, without its keyword and without what was pasted: the most telling first.
    pub(super) spoken: &'t [PromptText<'t>],
    /// Files that it is about.
    pub(super) files: &'t [&'t str],
}

impl<'a> Chooser<'a, '_> {
    pub(super) fn choose(&self, mode: KeywordMode) -> AgentChoice<'a> {
        self.explicit().unwrap_or_else(|| self.choose_unasked(mode))
    }

    fn choose_unasked(&self, mode: KeywordMode) -> AgentChoice<'a> {
        self.configured(mode)
            .or_else(|| self.intent(mode))
            .or_else(|| self.context(mode))
            .unwrap_or_else(|| self.default(mode))
    }

    /// Who should carry out the plan; a planner that the prompt asks for does not.
    pub(super) fn recommend(&self) -> AgentChoice<'a> {
        let mode = KeywordMode::Act;
        let acts =
            |choice: &AgentChoice<'_>| self.candidates(mode).iter().any(|it| it.id == choice.agent);
        self.explicit()
            .filter(acts)
            .unwrap_or_else(|| self.choose_unasked(mode))
    }

    fn explicit(&self) -> Option<AgentChoice<'a>> {
        let mut asked = self.spoken.iter();
        let agent = asked.find_map(|text| requested(self.request.roster, text))?;
        self.is_open(agent).then(|| AgentChoice {
            agent: &agent.id,
            source: AgentSource::Explicit,
            confidence: 1.0,
            reason: "The prompt asks for this agent".to_owned(),
        })
    }

    fn configured(&self, mode: KeywordMode) -> Option<AgentChoice<'a>> {
        let wishes = [
            (
                self.request.recommended_agent,
                0.9,
                "Recommended by the plan",
            ),
            (
                self.request.config.primary_agent.as_deref(),
                0.95,
                "Configured as primary agent",
            ),
        ];
        wishes.into_iter().find_map(|(name, confidence, reason)| {
            let agent = self.request.roster.find(name?)?;
            let fits = self.candidates(mode).iter().any(|it| it.id == agent.id);
            fits.then(|| AgentChoice {
                agent: &agent.id,
                source: AgentSource::Config,
                confidence,
                reason: reason.to_owned(),
            })
        })
    }

    fn intent(&self, mode: KeywordMode) -> Option<AgentChoice<'a>> {
        let intents = intents(mode)?;
        let mut spoken = self.spoken.iter();
        spoken.find_map(|text| {
            let own = self.described(mode, text);
            own.or_else(|| self.intent_of(mode, intents, text))
        })
    }

    /// A user's own agent whose description fits: who wrote one means it to be used.
    fn described(&self, mode: KeywordMode, text: &PromptText<'_>) -> Option<AgentChoice<'a>> {
        if !mode.is_acting() {
            return None;
        }
        let found = self.request.roster.described_by(text.source(), |agent| {
            agent.kind == AgentKind::Primary && !is_known(&agent.id)
        });
        let (agent, score) = found
            .into_iter()
            .filter(|(agent, _)| self.is_open(agent))
            .max_by(|a, b| a.1.total_cmp(&b.1))?;
        (score >= LEAST_DESCRIBED).then(|| AgentChoice {
            agent: &agent.id,
            source: AgentSource::Intent,
            confidence: rounded(f64::from(score)),
            reason: "Its description fits the prompt".to_owned(),
        })
    }

    fn intent_of(
        &self,
        mode: KeywordMode,
        intents: &SubjectIndex,
        text: &PromptText<'_>,
    ) -> Option<AgentChoice<'a>> {
        let evidence = intents.weigh(text);
        let head_last = is_head_last(text);
        let mut found: Vec<(&AgentCard, SubjectEvidence<'_>)> = rows(mode)
            .iter()
            .zip(evidence)
            .filter(|(_, evidence)| evidence.score > 0)
            .filter_map(|(row, evidence)| Some((self.open_agent(&row.agent)?, evidence)))
            .collect();
        // Equal evidence: what the sentence is about is said first, or last where modifiers come first.
        found.sort_by_key(|(_, evidence)| {
            let place = if head_last {
                usize::MAX - evidence.last
            } else {
                evidence.first
            };
            (std::cmp::Reverse(evidence.score), place)
        });
        let mut found = found.into_iter();
        let (agent, best) = found.next().filter(|(_, best)| best.score >= LEAST_SCORE)?;
        let second = found.next().map_or(0, |(_, second)| second.score);
        let shown: Vec<String> = best
            .typed
            .iter()
            .take(MOST_SHOWN)
            .map(|it| format!("`{it}`"))
            .collect();
        Some(AgentChoice {
            agent: &agent.id,
            source: AgentSource::Intent,
            confidence: rounded(f64::from(best.score) / f64::from(best.score + second + 1)),
            reason: format!("The prompt mentions {}", shown.join(", ")),
        })
    }

    fn context(&self, mode: KeywordMode) -> Option<AgentChoice<'a>> {
        let files = self.files;
        if files.is_empty() || !mode.is_acting() {
            return None;
        }
        let roster = self.request.roster;
        let mut covered = vec![0_u32; roster.agents().len()];
        for file in files {
            for agent in roster.made_for(file) {
                if let Some(count) = covered.get_mut(agent) {
                    *count += 1;
                }
            }
        }
        let place = |agent: &AgentCard| roster.agents().iter().position(|it| it.id == agent.id);
        let (agent, covered) = self
            .candidates(mode)
            .into_iter()
            .filter_map(|agent| Some((agent, *covered.get(place(agent)?)?)))
            // Of equals the last one wins, and candidates go from the special to the general.
            .rev()
            .max_by_key(|(_, covered)| *covered)?;
        let share = f64::from(covered) / files.len() as f64;
        (share >= 0.5).then(|| AgentChoice {
            agent: &agent.id,
            source: AgentSource::Context,
            confidence: rounded(0.8 * share),
            reason: match files.len() {
                1 => "Its file patterns match the file".to_owned(),
                n_files => format!("Its file patterns match {covered} of {n_files} files"),
            },
        })
    }

    fn default(&self, mode: KeywordMode) -> AgentChoice<'a> {
        let agent = match self.open_agent(mode.default_agent()) {
            Some(agent) => &agent.id,
            // Someone has to do it, even when the configuration excludes everybody.
            None => self
                .candidates(mode)
                .last()
                .map_or(mode.default_agent(), |agent| &agent.id),
        };
        AgentChoice {
            agent,
            source: AgentSource::Default,
            confidence: 0.3,
            reason: format!("Default for {mode}"),
        }
    }

    /// The agents that may do the work of a mode: its own in their order, and while acting the user's own, who come first.
    pub(super) fn candidates(&self, mode: KeywordMode) -> Vec<&'a AgentCard> {
        let own = rows(mode)
            .iter()
            .filter_map(|row| self.open_agent(&row.agent));
        if !mode.is_acting() {
            return own.collect();
        }
        let users = self.request.roster.agents().iter().filter(|agent| {
            agent.kind == AgentKind::Primary && !is_known(&agent.id) && self.is_open(agent)
        });
        users.chain(own).collect()
    }

    pub(super) fn open_agent(&self, id: &str) -> Option<&'a AgentCard> {
        let agent = self
            .request
            .roster
            .agents()
            .iter()
            .find(|agent| agent.id == id)?;
        self.is_open(agent).then_some(agent)
    }

    fn is_open(&self, agent: &AgentCard) -> bool {
        let excluded = &self.request.config.exclude_agents;
        excluded.is_empty() || {
            let (id, name) = (fold(&agent.id), fold(&agent.name));
            !excluded
                .iter()
                .map(|it| fold(it))
                .any(|it| it == id || it == name)
        }
    }
}

/// Whether the tables know an agent; any other is a user's own.
fn is_known(id: &str) -> bool {
    let known = KeywordMode::ALL.into_iter().flat_map(rows);
    known.map(|row| row.agent.as_str()).any(|agent| agent == id)
}

/// Two decimals say all that such a number can.
fn rounded(confidence: f64) -> f64 {
    (confidence * 100.0).round() / 100.0
}
