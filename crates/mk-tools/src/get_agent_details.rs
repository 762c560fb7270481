//! `get_agent_details`: who an agent is, as it was written down.

use mk_engine::Error;
use mk_playbook::{ModelWishes, Needs, Playbook, resolve_model};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::parse_mode::model;
use crate::tool::{
    Context, Family, Hints, Run, Running, Schema, Tool, parse, rules_reply, source_of,
};

pub(crate) static TOOL: Tool = Tool {
    name: "get_agent_details",
    title: "Show an agent",
    description: "Detailed profile of an agent",
    group: None,
    family: Family::Rules,
    hints: Hints::ReadOnly,
    paths: &[],
    input: Schema::of::<GetAgentDetailsArgs>(),
    output: None,
    run: Run::Free(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct GetAgentDetailsArgs {
    /// Name of the agent (e.g., 'frontend-developer', 'code-reviewer')
    #[serde(rename = "agentName")]
    agent_name: String,
}

fn run<'a>(context: &'a Context<'a>, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let GetAgentDetailsArgs { agent_name } = parse(arguments)?;
        let details = context
            .engine
            .with_playbook(context.caller, Needs::Files, move |playbook| {
                details(playbook, &agent_name)
            })
            .await?;
        Ok(rules_reply(&details))
    })
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
