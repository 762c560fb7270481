//! `prepare_parallel_agents`: several specialists made ready for one task.

use mk_playbook::{AgentTask, Needs, PreparedAgent};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::get_agent_system_prompt::{Workflow, shown};
use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, parse, rules_reply};

const HINT: &str = "Use Task tool with subagent_type='general-purpose' and run_in_background=true, \
                    one call for each agent in the same message; collect the findings when all are done";

pub(crate) static TOOL: Tool = Tool {
    name: "prepare_parallel_agents",
    title: "Prepare several agents",
    description: "Prompts for several specialists that look at the same task side by side",
    group: None,
    family: Family::Rules,
    hints: Hints::ReadOnly,
    paths: &[],
    input: Schema::of::<PrepareParallelAgentsArgs>(),
    output: None,
    run: Run::Free(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
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

fn run<'a>(context: &'a Context<'a>, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let args: PrepareParallelAgentsArgs = parse(arguments)?;
        let prepared = context
            .engine
            .with_playbook(context.caller, Needs::Files, move |playbook| {
                let config = playbook.config()?;
                let task = AgentTask {
                    mode: args.mode.into(),
                    files: args.target_files.as_deref().unwrap_or_default(),
                    description: args.shared_context.as_deref(),
                    language: config.language(),
                };
                Ok(playbook.prepare_agents(&args.specialists, &task))
            })
            .await?;
        let agent = |agent: &PreparedAgent| json!({ "id": agent.id, "displayName": agent.name, "taskPrompt": agent.task_prompt, "description": agent.description });
        let mut answer = json!({
            "prepared": prepared.agents.iter().map(shown).collect::<Vec<_>>(),
            "executionHint": HINT,
            "agents": prepared.agents.iter().map(agent).collect::<Vec<_>>(),
            "parallelExecutionHint": HINT,
        });
        if !prepared.failed.is_empty() {
            let failed = prepared.failed.iter();
            answer["failedAgents"] = failed
                .map(|(id, reason)| json!({ "id": id, "reason": reason }))
                .collect();
        }
        Ok(rules_reply(&answer))
    })
}
