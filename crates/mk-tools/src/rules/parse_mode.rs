//! `parse_mode`: what a prompt's first word asks for, who does it, and by which rules.

use mk_engine::{
    ChosenAgent, Error, ModeRule, PromptMode, PromptRequest, ResolvedModel, RuleVerbosity,
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
        if self.prompt.trim().is_empty() {
            return Err(missing("prompt"));
        }
        let request = PromptRequest {
            prompt: self.prompt,
            recommended_agent: self.recommended_agent,
            files: self.files.unwrap_or_default(),
            verbosity: self.verbosity.map(RuleVerbosity::from).unwrap_or_default(),
        };
        let now = call.engine.clock().now().to_string();
        let parsed = call.project().playbook().parse_mode(request).await?;
        Ok(rules_reply(&answer(parsed, &now)))
    }
}

fn answer(parsed: PromptMode, now: &str) -> Value {
    let mut answer = json!({
        "mode": parsed.mode.as_str(),
        "originalPrompt": parsed.original_prompt,
        "instructions": parsed.instructions,
    });
    let activation = activation(&parsed, now);
    answer["rules"] = parsed.rules.into_iter().map(rule).collect();
    if !parsed.warnings.is_empty() {
        answer["warnings"] = json!(parsed.warnings);
    }
    answer["agent"] = json!(parsed.mode.agent());
    answer["delegates_to"] = json!(parsed.delegate.agent);
    answer["primary_agent_source"] = json!(parsed.delegate.source);
    answer["primary_agent_confidence"] = json!(rounded(parsed.delegate.confidence));
    if let Some(agent) = &parsed.delegate_profile {
        answer["delegate_agent_info"] = json!({
            "name": agent.name,
            "description": agent.description,
            "expertise": agent.expertise,
        });
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
    answer["suggestedMode"] = json!(parsed.mode.suggested_mode());
    if let Some(rounds) = parsed.max_iterations {
        answer["autoConfig"] = json!({ "maxIterations": rounds });
    }
    answer
}

/// Moved, where `json!` would copy it: the rules are most of the answer.
fn rule(rule: ModeRule) -> Value {
    let mut shown = json!({ "name": rule.name });
    if let Some(content) = rule.content {
        shown["content"] = Value::String(content);
    }
    shown
}

fn act_agent(choice: &ChosenAgent) -> Value {
    json!({
        "agentName": choice.agent,
        "reason": choice.reason,
        "confidence": rounded(choice.confidence),
    })
}

fn activation(parsed: &PromptMode, now: &str) -> Value {
    let activation = |name: &str, tier: &str| json!({ "type": "agent", "name": name, "tier": tier, "timestamp": now });
    let primary = parsed.delegate.agent.as_str();
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
