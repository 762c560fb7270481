//! `parse_mode`: the mode that a prompt's first word starts, who does the work, and who looks at it.
//!
//! The tables are content under `content/playbook`, read when a prompt first needs them.
//! It takes plain inputs and reads no file; which fields go to which client is the faces' business.

mod agent;
mod detect;
mod explicit;
mod language;
mod model;
pub(crate) mod phrases;
mod roster;
mod section;
mod specialist;

use std::fmt;

use serde::Deserialize;

pub use agent::{AgentChoice, AgentSource};
pub use language::language_instruction;
pub use model::{ModelSource, ModelWishes, ResolvedModel, resolve_model};
pub use roster::{AgentCard, AgentKind, Roster};
pub use section::mode_section;

use crate::reading::PromptReading;
use crate::segment::mentioned_files;
use agent::Chooser;
use specialist::FileExperts;

const DEFAULT_ITERATIONS: u8 = 3;
const MOST_ITERATIONS: u8 = 10;
/// Files beyond these say nothing new.
const MOST_FILES: usize = 200;

/// The mode that a keyword starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeywordMode {
    Plan,
    Act,
    Eval,
    Auto,
}

impl KeywordMode {
    pub const ALL: [Self; 4] = [Self::Plan, Self::Act, Self::Eval, Self::Auto];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plan => "PLAN",
            Self::Act => "ACT",
            Self::Eval => "EVAL",
            Self::Auto => "AUTO",
        }
    }

    /// The skill of the mode's own work, whatever it is about.
    pub fn skill(self) -> Option<&'static str> {
        match self {
            Self::Plan => Some("writing-plans"),
            Self::Eval => Some("pr-review"),
            Self::Act | Self::Auto => None,
        }
    }

    /// The agent that stands for the mode.
    pub fn agent(self) -> &'static str {
        match self {
            Self::Plan => "plan-mode",
            Self::Act => "act-mode",
            Self::Eval => "eval-mode",
            Self::Auto => "auto-mode",
        }
    }

    /// The Modekeeper mode that fits, as `create_task` takes it: nothing is written while planning and judging.
    pub fn suggested_mode(self) -> &'static str {
        match self {
            Self::Plan | Self::Eval => "ask",
            Self::Act => "code",
            Self::Auto => "orchestrator",
        }
    }

    fn default_agent(self) -> &'static str {
        match self {
            Self::Plan => "solution-architect",
            Self::Act | Self::Auto => "software-engineer",
            Self::Eval => "code-reviewer",
        }
    }

    /// Whether files change in it.
    fn is_acting(self) -> bool {
        matches!(self, Self::Act | Self::Auto)
    }
}

impl fmt::Display for KeywordMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a project's configuration says about modes.
#[derive(Debug, Clone, Default)]
pub struct PromptConfig {
    pub language: Option<String>,
    pub primary_agent: Option<String>,
    pub exclude_agents: Vec<String>,
    pub default_model: Option<String>,
    /// Rounds of AUTO, from 1 to 10.
    pub max_iterations: Option<u8>,
}

/// A prompt and what is known around it.
#[derive(Debug, Clone, Copy)]
pub struct ModeRequest<'a> {
    /// Not blank: that is an error of the caller's to report.
    pub prompt: &'a str,
    pub roster: &'a Roster,
    pub config: &'a PromptConfig,
    /// The agent that a plan recommended for acting.
    pub recommended_agent: Option<&'a str>,
    /// Files that the prompt is about.
    pub files: &'a [String],
}

/// Everything that follows from a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedMode<'a> {
    pub mode: KeywordMode,
    /// Whether a keyword asked for the mode; PLAN is also what follows from none.
    pub is_asked: bool,
    /// The prompt without its keyword.
    pub original_prompt: &'a str,
    pub warnings: Vec<String>,
    pub instructions: &'static str,
    pub delegates_to: AgentChoice<'a>,
    pub specialists: Vec<&'a str>,
    /// Files that the prompt is about: those that were given, then those it names.
    pub files: Vec<&'a str>,
    /// Who should act on the plan; in PLAN only.
    pub recommended_act_agent: Option<AgentChoice<'a>>,
    /// Who could; in PLAN only.
    pub available_act_agents: Vec<&'a str>,
    pub language_instruction: String,
    pub model: ResolvedModel,
    /// Rounds; in AUTO only.
    pub max_iterations: Option<u8>,
    /// The prompt without its keyword, read once, for every later question about it.
    pub reading: PromptReading<'a>,
}

/// Reads a prompt's mode and resolves what the mode needs.
pub fn parse_mode<'a>(request: &'a ModeRequest<'a>) -> ParsedMode<'a> {
    let ModeRequest {
        prompt,
        roster,
        config,
        ..
    } = *request;
    let detect::DetectedKeyword {
        mode,
        rest,
        warning,
    } = detect::detect(prompt);
    let reading = PromptReading::of(rest);
    let segments = &reading.segments;
    let given = request.files.iter().map(String::as_str);
    let files: Vec<&str> = given
        .chain(segments.spoken().flat_map(mentioned_files))
        .chain(segments.pasted_files.iter().copied())
        .take(MOST_FILES)
        .collect();
    let chooser = Chooser {
        request,
        spoken: &reading.spoken,
        files: &files,
    };
    let mut warnings: Vec<String> = warning.into_iter().map(str::to_owned).collect();
    warnings.extend(unknown_agents(request).map(|name| format!("Agent '{name}' not found.")));
    let is_plan = mode == KeywordMode::Plan;
    let act_agents = is_plan.then(|| chooser.candidates(KeywordMode::Act));
    let act_agents = act_agents.unwrap_or_default();
    let experts = FileExperts {
        known: !files.is_empty(),
        experts: roster.specialists_for(&files),
    };
    let specialists = specialist::specialists(mode, &reading.spoken, &experts)
        .into_iter()
        .filter(|name| chooser.open_agent(name).is_some())
        .collect();
    ParsedMode {
        mode,
        is_asked: warning != Some(detect::NO_KEYWORD),
        original_prompt: rest,
        warnings,
        instructions: language::instructions(mode, config.language.as_deref()),
        delegates_to: chooser.choose(mode),
        specialists,
        files: files.clone(),
        recommended_act_agent: is_plan.then(|| chooser.recommend()),
        available_act_agents: act_agents.iter().map(|agent| agent.id.as_str()).collect(),
        language_instruction: language_instruction(config.language.as_deref()),
        model: resolve_model(ModelWishes {
            agent: None,
            mode: roster
                .find(mode.agent())
                .and_then(|agent| agent.model.as_deref()),
            global: config.default_model.as_deref(),
        }),
        max_iterations: (mode == KeywordMode::Auto).then(|| iterations(config)),
        reading,
    }
}

/// Agents that were asked for by name, and that are not there.
fn unknown_agents<'a>(request: &'a ModeRequest<'a>) -> impl Iterator<Item = &'a str> {
    let wanted = [
        request.recommended_agent,
        request.config.primary_agent.as_deref(),
    ];
    let is_unknown = |name: &&str| request.roster.find(name).is_none();
    wanted.into_iter().flatten().filter(is_unknown)
}

fn iterations(config: &PromptConfig) -> u8 {
    config
        .max_iterations
        .unwrap_or(DEFAULT_ITERATIONS)
        .clamp(1, MOST_ITERATIONS)
}
