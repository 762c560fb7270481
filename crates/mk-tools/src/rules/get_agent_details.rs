//! `get_agent_details`: who an agent is, as it was written down.

use mk_engine::Error;
use mk_playbook::{ModelWishes, Needs, Playbook, resolve_model};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::parse_mode::model;

use crate::tool::{Answer, Call, Definition, Effect, Spec, Tool, Toolset, rules_reply, source_of};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct GetAgentDetailsArgs {
    /// Name of the agent (e.g., 'frontend-developer', 'code-reviewer')
    #[serde(rename = "agentName")]
    agent_name: String,
}

pub(crate) static TOOL: Tool = Tool::of::<GetAgentDetailsArgs>();

impl Definition for GetAgentDetailsArgs {
    const SPEC: Spec = Spec {
        name: "get_agent_details",
        title: "Show an agent",
        description: "Detailed profile of an agent",
        toolset: Toolset::Rules,
        group: None,
        effect: Effect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: None,
    };

    async fn run(self, call: Call<'_>) -> Result<Answer, Error> {
        let Self { agent_name } = self;
        let details = call
            .engine
            .with_playbook(call.caller, Needs::Files, move |playbook| {
                details(playbook, &agent_name)
            })
            .await?;
        Ok(rules_reply(&details))
    }
}

fn details(playbook: &Playbook, name: &str) -> Result<Value, Error> {
    let agent = playbook
        .agent(name)
        .ok_or_else(|| mk_playbook::Error::NoAgent {
            name: name.to_owned(),
        })?;
    let config = playbook.config()?;
    let mut shown = Value::Object(agent.definition.clone());
    shown["source"] = json!(source_of(agent.layer));
    if let (Some(language), Some(communication)) = (
        config.language(),
        shown
            .get_mut("communication")
            .and_then(Value::as_object_mut),
    ) {
        communication.insert("language".to_owned(), json!(language));
    }
    let wishes = ModelWishes {
        agent: agent.model.as_ref().map(|model| model.model.as_str()),
        mode: None,
        global: config.default_model(),
    };
    shown["resolvedModel"] = model(&resolve_model(wishes));
    Ok(shown)
}
