//! `get_agent_system_prompt`: everything that makes a model one of the specialists.

use mk_playbook::{AgentTask, KeywordMode, Needs, PreparedAgent, WorkMode};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, parse, rules_reply};

pub(crate) static TOOL: Tool = Tool {
    name: "get_agent_system_prompt",
    title: "Prompt of an agent",
    description: "System prompt and task prompt that make a subagent a specialist",
    group: None,
    family: Family::Rules,
    hints: Hints::ReadOnly,
    paths: &[],
    input: Schema::of::<GetAgentSystemPromptArgs>(),
    output: None,
    run: Run::Free(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct GetAgentSystemPromptArgs {
    /// Name of the specialist agent, such as security-specialist
    #[serde(rename = "agentName")]
    agent_name: String,
    /// Context for the agent
    context: AgentContext,
}

#[derive(Debug, Deserialize, JsonSchema)]
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

fn run<'a>(context: &'a Context<'a>, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let GetAgentSystemPromptArgs {
            agent_name,
            context: given,
        } = parse(arguments)?;
        let prepared = context
            .engine
            .with_playbook(context.caller, Needs::Files, move |playbook| {
                let config = playbook.config()?;
                let task = AgentTask {
                    mode: given.mode.into(),
                    files: given.target_files.as_deref().unwrap_or_default(),
                    description: given.task_description.as_deref(),
                    language: config.language(),
                };
                Ok(playbook.prepare_agent(&agent_name, &task)?)
            })
            .await?;
        Ok(rules_reply(&shown(&prepared)))
    })
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
