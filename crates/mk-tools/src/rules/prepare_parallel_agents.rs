//! `prepare_parallel_agents`: several specialists made ready for one task.

use mk_engine::{AgentAssignment, Error, PreparedAgent};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::get_agent_system_prompt::{Workflow, shown};

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, rules_reply,
};

const HINT: &str = "Use Task tool with subagent_type='general-purpose' and run_in_background=true, \
                    one call for each agent in the same message; collect the findings when all are done";

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct PrepareParallelAgentsArgs {
    mode: Workflow,
    /// List of specialist agent names
    specialists: Vec<String>,
    /// Files to analyze or review
    #[serde(rename = "targetFiles")]
    target_files: Option<Vec<String>>,
    /// Shared context or task description for all agents
    #[serde(rename = "sharedContext")]
    shared_context: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<PrepareParallelAgentsArgs>();

impl ToolDefinition for PrepareParallelAgentsArgs {
    const SPEC: Spec = Spec {
        name: "prepare_parallel_agents",
        title: "Prepare several agents",
        description: "Prompts for several specialists that look at the same task side by side",
        toolset: Toolset::Rules,
        group: None,
        effect: ToolEffect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: None,
    };

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let assignment = AgentAssignment {
            mode: self.mode.into(),
            files: self.target_files.unwrap_or_default(),
            description: self.shared_context,
        };
        let playbook = call.project().playbook();
        let mode = playbook.working_mode(assignment.mode);
        let prepared = playbook
            .prepare_agents(self.specialists, assignment)
            .await?;
        let agent = |agent: &PreparedAgent| json!({ "id": agent.id, "displayName": agent.name, "taskPrompt": agent.task_prompt, "description": agent.description });
        let mut answer = json!({
            "prepared": prepared.agents.iter().map(shown).collect::<Vec<_>>(),
            "executionHint": HINT,
            "agents": prepared.agents.iter().map(agent).collect::<Vec<_>>(),
            "parallelExecutionHint": HINT,
        });
        if let Some(mode) = mode {
            answer["suggestedMode"] = json!(mode.slug);
        }
        if !prepared.failed.is_empty() {
            let failed = prepared.failed.iter();
            answer["failedAgents"] = failed
                .map(|(id, reason)| json!({ "id": id, "reason": reason }))
                .collect();
        }
        Ok(rules_reply(&answer))
    }
}
