//! `get_agent_system_prompt`: everything that makes a model one of the specialists.

use mk_engine::{AgentAssignment, Error, KeywordMode, PreparedAgent, WorkMode};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, rules_reply,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct GetAgentSystemPromptArgs {
    /// Name of the specialist agent, such as security-specialist
    #[serde(rename = "agentName")]
    agent_name: String,
    /// Context for the agent
    context: AgentContext,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct AgentContext {
    mode: Workflow,
    #[serde(rename = "targetFiles")]
    target_files: Option<Vec<String>>,
    #[serde(rename = "taskDescription")]
    task_description: Option<String>,
}

/// Current workflow mode
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Workflow {
    Plan,
    Act,
    Eval,
}

impl From<Workflow> for KeywordMode {
    fn from(mode: Workflow) -> Self {
        match mode {
            Workflow::Plan => Self::Plan,
            Workflow::Act => Self::Act,
            Workflow::Eval => Self::Eval,
        }
    }
}

impl From<Workflow> for WorkMode {
    fn from(mode: Workflow) -> Self {
        match mode {
            Workflow::Plan => Self::Plan,
            Workflow::Act => Self::Act,
            Workflow::Eval => Self::Eval,
        }
    }
}

pub(crate) static TOOL: Tool = Tool::of::<GetAgentSystemPromptArgs>();

impl ToolDefinition for GetAgentSystemPromptArgs {
    const SPEC: Spec = Spec {
        name: "get_agent_system_prompt",
        title: "Prompt of an agent",
        description: "System prompt and task prompt that make a subagent a specialist",
        toolset: Toolset::Rules,
        group: None,
        effect: ToolEffect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: None,
    };

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let assignment = AgentAssignment {
            mode: self.context.mode.into(),
            files: self.context.target_files.unwrap_or_default(),
            description: self.context.task_description,
        };
        let playbook = call.project().playbook();
        let mode = playbook.working_mode(assignment.mode);
        let prepared = playbook.prepare_agent(self.agent_name, assignment).await?;
        let mut answer = shown(&prepared);
        if let Some(mode) = mode {
            answer["suggestedMode"] = json!(mode.slug);
        }
        Ok(rules_reply(&answer))
    }
}

pub(crate) fn shown(prepared: &PreparedAgent) -> Value {
    json!({
        "agentName": prepared.id,
        "displayName": prepared.name,
        "description": prepared.description,
        "systemPrompt": prepared.system_prompt,
        "taskPrompt": prepared.task_prompt,
    })
}
