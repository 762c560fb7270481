//! `parse_mode`: a prompt's mode with everything that its answer names, taken out of the playbook that may change next.

use std::sync::Arc;

use mk_playbook::{
    Agent, AgentChoice, AppliedRule, Briefing, ChecklistQuery, Confidence, ContentLayer,
    KeywordMode, ModeRequest, ParsedMode, Playbook, Reason, ResolvedModel, RulesFile, Skill,
    WorkMode, analyze_reading, parse_mode,
};

use super::WorkingMode;
use crate::error::Error;

/// The rule of which a mode needs its own section only.
const CORE: &str = "core.md";
const MOST_SKILLS: usize = 2;
/// Bytes that are taken of a skill's text; an answer may show fewer.
const MOST_OF_SKILL: usize = 1_500;
const MOST_CHECKS: usize = 7;
/// Of them, the most that come from the skill, and the most that come from the agent.
const MOST_OWN_CHECKS: usize = 3;
/// Rules of the team that a short answer names.
const MOST_RULES: usize = 6;
/// Points that are shown of the rules for a technology.
const MOST_POINTS: usize = 2;

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

/// How much is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RuleVerbosity {
    /// Names of rules, and no advice.
    Minimal,
    /// The team's rules, of the general ones what the mode needs.
    #[default]
    Standard,
    /// All of all of them.
    Full,
}

/// A rule that holds for the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeRule {
    pub name: String,
    pub layer: ContentLayer,
    /// Why a rule of the team holds.
    pub because: Option<String>,
    pub content: Option<String>,
    /// Where to read all of it; none for a minimal answer.
    pub uri: Option<String>,
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

/// A skill to work by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeSkill {
    pub name: String,
    pub confidence: Confidence,
    /// What speaks for it: words of the prompt, or the mode.
    pub because: Vec<String>,
    /// How its text begins, of the one that fits the prompt best.
    pub begins: Option<String>,
}

/// Everything that follows from a prompt.
#[derive(Debug)]
pub struct PromptMode {
    pub mode: KeywordMode,
    /// Whether a keyword asked for the mode; PLAN is also what follows from none.
    pub is_asked: bool,
    /// The prompt without its keyword.
    pub original_prompt: String,
    pub instructions: &'static str,
    pub rules: Vec<ModeRule>,
    pub warnings: Vec<String>,
    pub delegate: ChosenAgent,
    /// Who that is, if anyone wrote it down.
    pub delegate_profile: Option<Arc<Agent>>,
    pub specialists: Vec<String>,
    /// Who should act on the plan, and who could; in PLAN only.
    pub act_agent: Option<(ChosenAgent, Vec<String>)>,
    pub language: Option<String>,
    pub language_instruction: String,
    pub model: ResolvedModel,
    /// Rounds; in AUTO only.
    pub max_iterations: Option<u8>,
    /// How the agent works, for its duties and its own checks.
    pub work: WorkMode,
    /// Files that the prompt is about, given or named.
    pub files: Vec<String>,
    /// The level and its reason.
    pub risk: (String, String),
    /// The best that fit; none for a minimal answer.
    pub skills: Vec<ModeSkill>,
    /// What to look at before the work is done; none for a minimal answer.
    pub checks: Vec<String>,
    /// The mode of the project to work in.
    pub working_mode: Option<WorkingMode>,
}

/// Everything but the working mode, which is not in the playbook.
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
    let files = owned(&parsed.files);
    let work = work_in(parsed.mode);
    let analysis = analyze_reading(&parsed.reading, &files, Some(parsed.mode));
    let profile = briefing.agents.get(parsed.delegates_to.agent).cloned();
    let (mut skills, mut checks) = (Vec::new(), Vec::new());
    if asked.verbosity != RuleVerbosity::Minimal {
        skills = skills_for(playbook, &briefing, &parsed);
        let first = skills.first().and_then(|it| briefing.skill(&it.name));
        let domains = owned(&analysis.checklists);
        // Where no file is named yet, what the task is about stands for its directories.
        let areas = owned(&analysis.areas);
        let query = ChecklistQuery {
            domains: &domains,
            files: if files.is_empty() { &areas } else { &files },
        };
        let of_skill = first.map_or(&[][..], |skill| skill.checks.as_slice());
        // Where no mode was asked for, the agent is that of PLAN, and a skill knows better what the work is.
        let by_skill = !parsed.is_asked && first.is_some();
        let (most_of_skill, most_of_agent) = if by_skill {
            (MOST_CHECKS, 0)
        } else {
            (MOST_OWN_CHECKS, MOST_OWN_CHECKS)
        };
        let of_agent = profile.as_deref().map(|agent| agent.checklist(work));
        let of_agent = owned(&of_agent.unwrap_or_default());
        let own = of_skill.iter().take(most_of_skill);
        let own = own.chain(of_agent.iter().take(most_of_agent));
        checks = first_checks(own, &briefing.checks(&query, MOST_CHECKS));
    }
    let act_agent = parsed.recommended_act_agent.as_ref().map(ChosenAgent::from);
    Ok(PromptMode {
        rules: rules(&briefing, &parsed, &files, asked.verbosity),
        delegate: ChosenAgent::from(&parsed.delegates_to),
        delegate_profile: profile,
        act_agent: act_agent.map(|agent| (agent, owned(&parsed.available_act_agents))),
        language: config.language().map(str::to_owned),
        mode: parsed.mode,
        is_asked: parsed.is_asked,
        original_prompt: parsed.original_prompt.to_owned(),
        instructions: parsed.instructions,
        specialists: owned(&parsed.specialists),
        warnings: parsed.warnings,
        language_instruction: parsed.language_instruction,
        model: parsed.model,
        max_iterations: parsed.max_iterations,
        work,
        files,
        risk: (analysis.risk.level.to_string(), analysis.risk.reason),
        skills,
        checks,
        working_mode: None,
    })
}

/// The skills that fit the prompt, then that of the mode's own work, if someone asked for the mode.
fn skills_for(playbook: &Playbook, briefing: &Briefing, parsed: &ParsedMode<'_>) -> Vec<ModeSkill> {
    let mut skills: Vec<ModeSkill> = playbook
        .recommend_for(&parsed.reading)
        .into_iter()
        // Here a skill is a call to make; one that is only possible is what `recommend_skills` is for.
        .filter(|it| it.confidence >= Confidence::Medium)
        .take(MOST_SKILLS)
        .map(|it| ModeSkill {
            name: it.skill,
            confidence: it.confidence,
            because: it.matched,
            begins: None,
        })
        .collect();
    if let Some(first) = skills.first_mut() {
        first.begins = briefing.skill(&first.name).map(beginning);
    }
    // How it begins is what the mode's instructions say.
    let own = parsed.mode.skill().filter(|_| parsed.is_asked);
    let own = own.filter(|own| skills.iter().all(|it| it.name != *own));
    if let Some(own) = own.and_then(|own| briefing.skill(own))
        && skills.len() < MOST_SKILLS
    {
        skills.push(ModeSkill {
            name: own.name.clone(),
            confidence: Confidence::Medium,
            because: vec![parsed.mode.to_string()],
            begins: None,
        });
    }
    skills
}

/// The start of a skill's text, without its title.
fn beginning(skill: &Skill) -> String {
    let text = skill.text.trim_start();
    let text = match text.strip_prefix("# ") {
        Some(titled) => titled.split_once('\n').map_or("", |(_, text)| text),
        None => text,
    };
    let text = text.trim();
    let end = text.floor_char_boundary(MOST_OF_SKILL);
    text.get(..end).unwrap_or_default().to_owned()
}

fn work_in(mode: KeywordMode) -> WorkMode {
    match mode {
        KeywordMode::Plan => WorkMode::Plan,
        KeywordMode::Act | KeywordMode::Auto => WorkMode::Act,
        KeywordMode::Eval => WorkMode::Eval,
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Some points of the skill, some of the agent, then those of the task and its files.
fn first_checks<'c>(own: impl Iterator<Item = &'c String>, of_task: &'c [String]) -> Vec<String> {
    let mut checks: Vec<String> = Vec::new();
    for item in own.chain(of_task) {
        if checks.len() < MOST_CHECKS && !checks.contains(item) {
            checks.push(item.clone());
        }
    }
    checks
}

/// The team's rules, the nearest first; those of the technologies, with their commands; the mode's own section; the names
/// of the others.
fn rules(
    briefing: &Briefing,
    parsed: &ParsedMode<'_>,
    files: &[String],
    verbosity: RuleVerbosity,
) -> Vec<ModeRule> {
    let most = match verbosity {
        RuleVerbosity::Full => usize::MAX,
        RuleVerbosity::Minimal | RuleVerbosity::Standard => MOST_RULES,
    };
    let team = briefing.team_rules(files, parsed.mode.suggested_mode(), most);
    let mut shown: Vec<ModeRule> = team
        .iter()
        .map(|applied| team_rule(applied, verbosity))
        .collect();
    for rule in briefing.stack_rules(files) {
        let content = match verbosity {
            RuleVerbosity::Full => Some(rule.text.clone()),
            RuleVerbosity::Standard => Some(first_points(&rule.text)),
            RuleVerbosity::Minimal => None,
        };
        shown.push(general_rule(&rule.path, rule, content, verbosity));
    }
    for (name, rule) in briefing.rules(parsed.mode) {
        let content = match verbosity {
            RuleVerbosity::Full => Some(rule.text.clone()),
            RuleVerbosity::Standard if name == CORE => {
                briefing.section(parsed.mode).map(str::to_owned)
            }
            RuleVerbosity::Standard | RuleVerbosity::Minimal => None,
        };
        shown.push(general_rule(name, rule, content, verbosity));
    }
    shown
}

fn team_rule(applied: &AppliedRule, verbosity: RuleVerbosity) -> ModeRule {
    let because = match &applied.reason {
        Reason::Nearest { folder } | Reason::Above { folder } if !folder.is_empty() => {
            format!("for {folder}/")
        }
        Reason::Always | Reason::Nearest { .. } | Reason::Above { .. } => "always".to_owned(),
        Reason::Glob { pattern } => format!("for {pattern}"),
        Reason::Mode { slug } => format!("in mode {slug}"),
    };
    let content = applied.rule.text.trim().to_owned();
    ModeRule {
        name: applied.rule.path.clone(),
        layer: applied.rule.layer,
        because: Some(because),
        content: (verbosity != RuleVerbosity::Minimal).then_some(content),
        uri: address(&applied.rule, verbosity),
    }
}

fn general_rule(
    name: &str,
    rule: &RulesFile,
    content: Option<String>,
    verbosity: RuleVerbosity,
) -> ModeRule {
    ModeRule {
        name: name.to_owned(),
        layer: rule.layer,
        because: None,
        uri: address(rule, verbosity),
        content,
    }
}

fn address(rule: &RulesFile, verbosity: RuleVerbosity) -> Option<String> {
    (verbosity == RuleVerbosity::Standard).then(|| format!("rules://{}", rule.path))
}

/// The first points of a list, which say how to check the work.
fn first_points(text: &str) -> String {
    let points = text.lines().filter(|line| line.starts_with("- "));
    let points: Vec<&str> = points.take(MOST_POINTS).collect();
    points.join("\n")
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
