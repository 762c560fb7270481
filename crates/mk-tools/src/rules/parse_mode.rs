//! `parse_mode`: what a prompt's first word asks for, who does it, and by which rules.

use mk_engine::Error;
use mk_playbook::{
    AgentChoice, Briefing, KeywordMode, ModeRequest, Needs, ParsedMode, Playbook, ResolvedModel,
    Rule, mode_section, parse_mode,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Answer, Call, Definition, Effect, Spec, Tool, Toolset, missing, rules_reply};

const HINT: &str =
    "Ask these specialists side by side: prepare_parallel_agents makes their prompts";

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ParseModeArgs {
    /// User prompt that may start with PLAN/ACT/EVAL keyword
    prompt: String,
    /// Agent that an earlier PLAN recommended
    recommended_agent: Option<String>,
    /// Files that the prompt is about
    files: Option<Vec<String>>,
    /// How much of the rules to send (default: standard)
    verbosity: Option<Verbosity>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Verbosity {
    Minimal,
    #[default]
    Standard,
    Full,
}

pub(crate) static TOOL: Tool = Tool::of::<ParseModeArgs>();

impl Definition for ParseModeArgs {
    const SPEC: Spec = Spec {
        name: "parse_mode",
        title: "Read the mode of a prompt",
        description: "Call first when a prompt starts with PLAN, ACT, EVAL or AUTO (or their translations): instructions, rules, agent and specialists for it",
        toolset: Toolset::Rules,
        group: None,
        effect: Effect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: None,
    };

    async fn run(self, call: Call<'_>) -> Result<Answer, Error> {
        let args = self;
        if args.prompt.trim().is_empty() {
            return Err(missing("prompt"));
        }
        let now = call.engine.clock().now().to_string();
        let answer = call
            .engine
            .with_playbook(call.caller, Needs::Briefing, move |playbook| {
                answer(playbook, &args, &now)
            })
            .await?;
        Ok(rules_reply(&answer))
    }
}

fn answer(playbook: &Playbook, args: &ParseModeArgs, now: &str) -> Result<Value, Error> {
    let config = playbook.config()?;
    let modes = config.modes();
    let briefing = playbook.briefing();
    let request = ModeRequest {
        prompt: &args.prompt,
        roster: &briefing.roster,
        config: &modes,
        recommended_agent: args.recommended_agent.as_deref(),
        files: args.files.as_deref().unwrap_or_default(),
    };
    let parsed = parse_mode(&request);
    let delegate = parsed.delegates_to.agent;
    let mut answer = json!({
        "mode": parsed.mode.as_str(),
        "originalPrompt": parsed.original_prompt,
        "instructions": parsed.instructions,
    });
    // Moved, where `json!` would copy it: the rules are most of the answer.
    let verbosity = args.verbosity.unwrap_or_default();
    answer["rules"] = Value::Array(rules(&briefing, parsed.mode, verbosity));
    if !parsed.warnings.is_empty() {
        answer["warnings"] = json!(parsed.warnings);
    }
    answer["agent"] = json!(parsed.mode.agent());
    answer["delegates_to"] = json!(delegate);
    answer["primary_agent_source"] = json!(parsed.delegates_to.source.to_string());
    answer["primary_agent_confidence"] = json!(rounded(parsed.delegates_to.confidence));
    if let Some(agent) = briefing.agents.get(delegate) {
        answer["delegate_agent_info"] = json!({
            "name": agent.name,
            "description": agent.description,
            "expertise": agent.expertise,
        });
    }
    answer["parallelAgentsRecommendation"] =
        json!({ "specialists": parsed.specialists, "hint": HINT });
    if let Some(choice) = &parsed.recommended_act_agent {
        answer["recommended_act_agent"] = act_agent(choice);
        answer["available_act_agents"] = json!(parsed.available_act_agents);
    }
    answer["activation_message"] = activation(&parsed, now);
    if let Some(language) = config.language() {
        answer["language"] = json!(language);
    }
    answer["languageInstruction"] = json!(parsed.language_instruction);
    answer["resolvedModel"] = model(&parsed.model);
    answer["suggestedMode"] = json!(parsed.mode.suggested_mode());
    if let Some(rounds) = parsed.max_iterations {
        answer["autoConfig"] = json!({ "maxIterations": rounds });
    }
    Ok(answer)
}

/// The rules of a mode, of the core rules only what the mode needs.
fn rules(briefing: &Briefing, mode: KeywordMode, verbosity: Verbosity) -> Vec<Value> {
    let rule = |(name, rule): (&str, &Rule)| {
        let content = match (verbosity, name) {
            (Verbosity::Minimal, _) => return json!({ "name": name }),
            (Verbosity::Standard, "core.md") => mode_section(&rule.text, mode),
            (Verbosity::Standard | Verbosity::Full, _) => rule.text.clone(),
        };
        let mut shown = json!({ "name": name });
        shown["content"] = Value::String(content);
        shown
    };
    briefing.rules(mode).map(rule).collect()
}

fn act_agent(choice: &AgentChoice<'_>) -> Value {
    json!({
        "agentName": choice.agent,
        "reason": choice.reason,
        "confidence": rounded(choice.confidence),
    })
}

fn activation(parsed: &ParsedMode<'_>, now: &str) -> Value {
    let activation = |name: &str, tier: &str| json!({ "type": "agent", "name": name, "tier": tier, "timestamp": now });
    let primary = parsed.delegates_to.agent;
    let specialists = parsed.specialists.iter();
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
