//! `parse_mode`: what a prompt's first word asks for, who does it, and what this project wants of it.
//!
//! The answer is short: what it leaves out is named, and `verbosity: full` sends it.

mod fit;

use mk_engine::{
    AgentDefinition, ChosenAgent, Error, ModeRule, ModeSkill, PlaybookLayer, PromptMode,
    PromptRequest, ResolvedModel, RuleVerbosity,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, missing, rules_reply,
    source_of,
};
use fit::{BEGINS, shorten_for};

const HINT: &str =
    "Ask these specialists in parallel: prepare_parallel_agents writes their prompts";

/// Duties of an agent in a short answer.
const MOST_DUTIES: usize = 4;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ParseModeArgs {
    /// User prompt that may start with PLAN/ACT/EVAL keyword
    prompt: String,
    /// Agent that an earlier PLAN recommended
    recommended_agent: Option<String>,
    /// Files that the prompt is about
    files: Option<Vec<String>>,
    /// Default: standard, at most 4 KB
    verbosity: Option<Verbosity>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Verbosity {
    Minimal,
    Standard,
    Full,
}

impl From<Verbosity> for RuleVerbosity {
    fn from(verbosity: Verbosity) -> Self {
        match verbosity {
            Verbosity::Minimal => Self::Minimal,
            Verbosity::Standard => Self::Standard,
            Verbosity::Full => Self::Full,
        }
    }
}

pub(crate) static TOOL: Tool = Tool::of::<ParseModeArgs>();

impl ToolDefinition for ParseModeArgs {
    const SPEC: Spec = Spec {
        name: "parse_mode",
        title: "Read the mode of a prompt",
        description: "Call first when a prompt starts with PLAN, ACT, EVAL or AUTO (or a translation): agent, rules, skills and checks for it",
        toolset: Toolset::Rules,
        group: None,
        effect: ToolEffect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: None,
    };

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        if self.prompt.trim().is_empty() {
            return Err(missing("prompt"));
        }
        let verbosity = self.verbosity.map(RuleVerbosity::from).unwrap_or_default();
        let request = PromptRequest {
            prompt: self.prompt,
            recommended_agent: self.recommended_agent,
            files: self.files.unwrap_or_default(),
            verbosity,
        };
        let now = call.engine.clock().now().to_string();
        let parsed = call.project().playbook().parse_mode(request).await?;
        let mut answer = answer(parsed, &now, verbosity);
        if verbosity == RuleVerbosity::Standard {
            shorten_for(call.engine, call.caller, &mut answer);
        }
        Ok(rules_reply(&answer))
    }
}

fn answer(parsed: PromptMode, now: &str, verbosity: RuleVerbosity) -> Value {
    let mut answer = json!({
        "mode": parsed.mode.as_str(),
        "originalPrompt": parsed.original_prompt,
        "instructions": parsed.instructions,
        "rules": [],
    });
    let activation = activation(&parsed, now, verbosity);
    let next = next(&parsed);
    if !parsed.warnings.is_empty() {
        answer["warnings"] = json!(parsed.warnings);
    }
    answer["agent"] = json!(parsed.mode.agent());
    answer["delegates_to"] = json!(parsed.delegate.agent);
    answer["primary_agent_source"] = json!(parsed.delegate.source);
    answer["primary_agent_confidence"] = json!(rounded(parsed.delegate.confidence));
    if let Some(agent) = &parsed.delegate_profile {
        answer["delegate_agent_info"] = agent_info(agent, &parsed, verbosity);
    }
    answer["parallelAgentsRecommendation"] =
        json!({ "specialists": parsed.specialists, "hint": HINT });
    if let Some((agent, available)) = &parsed.act_agent {
        answer["recommended_act_agent"] = act_agent(agent);
        answer["available_act_agents"] = json!(available);
    }
    answer["activation_message"] = activation;
    if let Some(language) = &parsed.language {
        answer["language"] = json!(language);
    }
    answer["languageInstruction"] = json!(parsed.language_instruction);
    answer["resolvedModel"] = model(&parsed.model);
    if let Some(mode) = &parsed.working_mode {
        answer["suggestedMode"] = json!(mode.slug);
        answer["mayTouch"] = json!(mode.may_touch);
    }
    if let Some(rounds) = parsed.max_iterations {
        answer["autoConfig"] = json!({ "maxIterations": rounds });
    }
    let (level, reason) = &parsed.risk;
    answer["risk"] = json!({ "level": level, "reason": reason });
    if verbosity != RuleVerbosity::Minimal {
        answer["skills"] = parsed.skills.iter().map(skill).collect();
        answer["checks"] = json!(parsed.checks);
        answer["next"] = json!(next);
    }
    answer["rules"] = parsed.rules.into_iter().map(rule).collect();
    answer
}

/// Moved, where `json!` would copy it: the rules are most of the answer.
fn rule(rule: ModeRule) -> Value {
    let mut shown = json!({ "name": rule.name });
    if rule.layer != PlaybookLayer::Embedded {
        shown["source"] = json!(source_of(rule.layer));
    }
    if let Some(because) = rule.because {
        shown["because"] = json!(because);
    }
    if let Some(uri) = rule.uri {
        shown["uri"] = json!(uri);
    }
    if let Some(content) = rule.content {
        shown["content"] = Value::String(content);
    }
    shown
}

fn skill(skill: &ModeSkill) -> Value {
    let mut shown = json!({
        "name": skill.name,
        "confidence": skill.confidence.as_str(),
        "because": skill.because,
    });
    if let Some(begins) = &skill.begins {
        shown[BEGINS] = json!(begins);
    }
    shown
}

/// Who does the work, and what it looks at in this mode.
fn agent_info(agent: &AgentDefinition, parsed: &PromptMode, verbosity: RuleVerbosity) -> Value {
    let mut shown = json!({
        "name": agent.name,
        "description": agent.description,
        "expertise": agent.expertise,
    });
    let most = match verbosity {
        RuleVerbosity::Minimal => return shown,
        // No one asked for this agent, and the skill says what to do.
        RuleVerbosity::Standard if !parsed.is_asked && !parsed.skills.is_empty() => return shown,
        RuleVerbosity::Standard => MOST_DUTIES,
        RuleVerbosity::Full => usize::MAX,
    };
    let duties = agent.duties(parsed.work);
    shown["duties"] = duties.into_iter().take(most).collect();
    shown
}

/// The calls that help on, most useful first.
fn next(parsed: &PromptMode) -> Vec<String> {
    let mode = parsed.working_mode.iter();
    let mut calls: Vec<String> = mode
        .map(|mode| format!("create_task {{\"mode_slug\": \"{}\"}}", mode.slug))
        .collect();
    if parsed.max_iterations.is_some() && parsed.working_mode.is_some() {
        // The lead of the rounds touches nothing itself.
        calls.push(
            "create_task with that task as its parent, for each round's work in the mode that it needs (list_modes)"
                .to_owned(),
        );
    }
    let skills = parsed.skills.iter();
    calls.extend(skills.map(|it| format!("get_skill {{\"name\": \"{}\"}}", it.name)));
    if !parsed.specialists.is_empty() {
        calls.push(format!(
            "prepare_parallel_agents {{\"mode\": \"{}\", \"specialists\": {}}}",
            parsed.work.as_str(),
            json!(parsed.specialists)
        ));
    }
    if parsed.files.is_empty() {
        calls.push("rules_for_files {\"files\": […]} before the first edit".to_owned());
    }
    calls
}

fn act_agent(choice: &ChosenAgent) -> Value {
    json!({
        "agentName": choice.agent,
        "reason": choice.reason,
        "confidence": rounded(choice.confidence),
    })
}

fn activation(parsed: &PromptMode, now: &str, verbosity: RuleVerbosity) -> Value {
    let activation = |name: &str, tier: &str| json!({ "type": "agent", "name": name, "tier": tier, "timestamp": now });
    let primary = parsed.delegate.agent.as_str();
    let specialists = match verbosity {
        RuleVerbosity::Full => parsed.specialists.as_slice(),
        RuleVerbosity::Minimal | RuleVerbosity::Standard => &[],
    };
    let specialists = specialists.iter();
    let all: Vec<Value> = std::iter::once(activation(primary, "primary"))
        .chain(specialists.map(|name| activation(name, "specialist")))
        .collect();
    json!({ "activations": all, "formatted": format!("🤖 {primary} [Primary Agent]") })
}

pub(crate) fn model(resolved: &ResolvedModel) -> Value {
    let mut shown = json!({ "model": resolved.model, "source": resolved.source.to_string() });
    if let Some(warning) = &resolved.warning {
        shown["warning"] = json!(warning);
    }
    shown
}

fn rounded(confidence: f64) -> f64 {
    (confidence * 100.0).round() / 100.0
}
