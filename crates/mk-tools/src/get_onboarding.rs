//! `get_onboarding`: what to learn about a project that nothing is known about yet.

use std::fmt::Write as _;

use mk_engine::Granted;
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, code_reply, parse};

const STEPS: &str = include_str!("../../../content/onboarding.md");

pub(crate) static TOOL: Tool = Tool {
    name: "get_onboarding",
    title: "Onboarding",
    description: "What to learn about a new project and which memories to write",
    group: Some(Group::Read),
    family: Family::Project,
    hints: Hints::ReadOnly,
    paths: &[],
    input: Schema::of::<GetOnboardingArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct GetOnboardingArgs {
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let GetOnboardingArgs { .. } = parse(arguments)?;
        let memories = context
            .engine
            .on_disk(&granted.in_force, move |workspace| {
                Ok(workspace.memories()?.list(None)?)
            })
            .await?;
        let names: Vec<String> = memories
            .iter()
            .map(|memory| memory.name.to_string())
            .collect();
        let mut text = STEPS.to_owned();
        if !names.is_empty() {
            let _ = write!(
                text,
                "\nAlready written: {}. Read them first; write only what is missing or wrong.\n",
                names.join(", ")
            );
        }
        Ok(code_reply(text, json!({ "memories": names })))
    })
}
