//! `analyze_task`: what a task is, what can go wrong, whom to ask and what to check.

use mk_engine::{Error, KeywordMode, Phase, SpecialistAdvice, TaskAnalysis};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::generate_checklist::checklists;
use super::get_agent_system_prompt::Workflow;

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, missing, rules_reply,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct AnalyzeTaskArgs {
    /// User's task description
    prompt: String,
    /// Optional file paths related to the task
    files: Option<Vec<String>>,
    mode: Option<Workflow>,
}

pub(crate) static TOOL: Tool = Tool::of::<AnalyzeTaskArgs>();

impl ToolDefinition for AnalyzeTaskArgs {
    const SPEC: Spec = Spec {
        name: "analyze_task",
        title: "Analyze a task",
        description: "Risk, checklists, specialists and workflow for a task, from its description and files",
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
        let mode = self.mode.map(KeywordMode::from);
        let playbook = call.project().playbook();
        let (analysis, made) = playbook
            .analyze_task(self.prompt, self.files.unwrap_or_default(), mode)
            .await?;
        Ok(rules_reply(&shown(&analysis, &checklists(&made))))
    }
}

/// `made` is what the files alone call for.
fn shown(analysis: &TaskAnalysis, made: &Value) -> Value {
    let names: Vec<&str> = analysis
        .specialists
        .iter()
        .map(|advice| advice.name)
        .collect();
    let advice = |advice: &SpecialistAdvice| json!({ "name": advice.name, "reason": advice.reason, "priority": advice.priority });
    let phase = |phase: &Phase| json!({ "phase": phase.mode.as_str(), "focus": phase.focus });
    json!({
        "riskAssessment": {
            "level": analysis.risk.level.to_string(),
            "factors": analysis.risk.factors,
            "reason": analysis.risk.reason,
            "attentionAreas": analysis.risk.factors,
        },
        "recommendedChecklists": analysis.checklists,
        "recommendedSpecialists": names,
        "workflowSuggestions": analysis.suggestions,
        "analysis": {
            "intent": analysis.intent.to_string(),
            "category": analysis.category.to_string(),
            "complexity": analysis.complexity.to_string(),
            "keywords": analysis.keywords,
        },
        "specialistDetails": analysis.specialists.iter().map(advice).collect::<Vec<_>>(),
        "suggestedWorkflow": { "phases": analysis.phases.iter().map(phase).collect::<Vec<_>>() },
        "checklistSummary": made["summary"],
        "matchedTriggers": made["matchedTriggers"],
    })
}
