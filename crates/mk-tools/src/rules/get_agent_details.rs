//! `get_agent_details`: who an agent is, as it was written down.

use mk_engine::{AgentProfile, Error};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::parse_mode::model;

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, rules_reply, source_of,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct GetAgentDetailsArgs {
    /// Name of the agent (e.g., 'frontend-developer', 'code-reviewer')
    #[serde(rename = "agentName")]
    agent_name: String,
}

pub(crate) static TOOL: Tool = Tool::of::<GetAgentDetailsArgs>();

impl ToolDefinition for GetAgentDetailsArgs {
    const SPEC: Spec = Spec {
        name: "get_agent_details",
        title: "Show an agent",
        description: "Detailed profile of an agent",
        toolset: Toolset::Rules,
        group: None,
        effect: ToolEffect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: None,
    };

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let profile = call.project().playbook().agent(self.agent_name).await?;
        Ok(rules_reply(&details(&profile)))
    }
}

fn details(profile: &AgentProfile) -> Value {
    let mut shown = Value::Object(profile.agent.definition.clone());
    shown["source"] = json!(source_of(profile.agent.layer));
    let communication = shown.get_mut("communication");
    if let (Some(language), Some(communication)) = (
        &profile.language,
        communication.and_then(Value::as_object_mut),
    ) {
        communication.insert("language".to_owned(), json!(language));
    }
    shown["resolvedModel"] = model(&profile.model);
    shown
}
