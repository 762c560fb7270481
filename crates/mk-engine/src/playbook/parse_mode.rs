//! `parse_mode`: a prompt's mode with everything that its answer names, taken out of the playbook that may change next.

use std::sync::Arc;

use mk_playbook::{
    Agent, AgentChoice, Briefing, KeywordMode, ModeRequest, Playbook, ResolvedModel, Rule,
    mode_section, parse_mode,
};

use crate::error::Error;

/// The rule of which a mode needs its own section only.
const CORE: &str = "core.md";

/// A prompt and what its client knows around it.
#[derive(Debug, Clone)]
pub struct PromptRequest {
    /// Not blank.
    pub prompt: String,
    /// The agent that a plan recommended for acting.
    pub recommended_agent: Option<String>,
    /// Files that the prompt is about.
    pub files: Vec<String>,
    pub verbosity: RuleVerbosity,
}

/// How much of the rules is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RuleVerbosity {
    /// Their names.
    Minimal,
    /// All of them, of the core rules what the mode needs.
    #[default]
    Standard,
    /// All of all of them.
    Full,
}

/// A rule of a mode of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeRule {
    pub name: &'static str,
    pub content: Option<String>,
}

/// An agent and why it was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct ChosenAgent {
    pub agent: String,
    pub source: String,
    pub reason: String,
    /// From 0 to 1.
    pub confidence: f64,
}

/// Everything that follows from a prompt.
#[derive(Debug)]
pub struct PromptMode {
    pub mode: KeywordMode,
    /// The prompt without its keyword.
    pub original_prompt: String,
    pub instructions: &'static str,
    pub rules: Vec<ModeRule>,
    pub warnings: Vec<String>,
    pub delegate: ChosenAgent,
    /// Who that is, if anyone wrote it down.
    pub delegate_profile: Option<Arc<Agent>>,
    pub specialists: Vec<&'static str>,
    /// Who should act on the plan, and who could; in PLAN only.
    pub act_agent: Option<(ChosenAgent, Vec<String>)>,
    pub language: Option<String>,
    pub language_instruction: String,
    pub model: ResolvedModel,
    /// Rounds; in AUTO only.
    pub max_iterations: Option<u8>,
}

pub(super) fn parse(playbook: &Playbook, asked: &PromptRequest) -> Result<PromptMode, Error> {
    let config = playbook.config()?;
    let modes = config.modes();
    let briefing = playbook.briefing();
    let request = ModeRequest {
        prompt: &asked.prompt,
        roster: &briefing.roster,
        config: &modes,
        recommended_agent: asked.recommended_agent.as_deref(),
        files: &asked.files,
    };
    let parsed = parse_mode(&request);
    let available = parsed.available_act_agents.iter();
    let available = available.map(|agent| (*agent).to_owned()).collect();
    let act_agent = parsed.recommended_act_agent.as_ref().map(ChosenAgent::from);
    Ok(PromptMode {
        rules: rules(&briefing, parsed.mode, asked.verbosity),
        delegate: ChosenAgent::from(&parsed.delegates_to),
        delegate_profile: briefing.agents.get(parsed.delegates_to.agent).cloned(),
        act_agent: act_agent.map(|agent| (agent, available)),
        language: config.language().map(str::to_owned),
        mode: parsed.mode,
        original_prompt: parsed.original_prompt.to_owned(),
        instructions: parsed.instructions,
        warnings: parsed.warnings,
        specialists: parsed.specialists,
        language_instruction: parsed.language_instruction,
        model: parsed.model,
        max_iterations: parsed.max_iterations,
    })
}

fn rules(briefing: &Briefing, mode: KeywordMode, verbosity: RuleVerbosity) -> Vec<ModeRule> {
    let rule = |(name, rule): (&'static str, &Rule)| ModeRule {
        name,
        content: match verbosity {
            RuleVerbosity::Minimal => None,
            RuleVerbosity::Standard if name == CORE => Some(mode_section(&rule.text, mode)),
            RuleVerbosity::Standard | RuleVerbosity::Full => Some(rule.text.clone()),
        },
    };
    briefing.rules(mode).map(rule).collect()
}

impl From<&AgentChoice<'_>> for ChosenAgent {
    fn from(choice: &AgentChoice<'_>) -> Self {
        Self {
            agent: choice.agent.to_owned(),
            source: choice.source.to_string(),
            reason: choice.reason.clone(),
            confidence: choice.confidence,
        }
    }
}
