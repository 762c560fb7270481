//! `get_project_config`: the configuration that people wrote for the project.

use mk_playbook::Needs;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, parse, rules_reply};

pub(crate) static TOOL: Tool = Tool {
    name: "get_project_config",
    title: "Show the project configuration",
    description: "Tech stack, architecture, conventions and language of the project",
    group: None,
    family: Family::Rules,
    hints: Hints::ReadOnly,
    paths: &[],
    input: Schema::of::<GetProjectConfigArgs>(),
    output: None,
    run: Run::Free(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct GetProjectConfigArgs {}

fn run<'a>(context: &'a Context<'a>, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let GetProjectConfigArgs {} = parse(arguments)?;
        let config = context
            .engine
            .with_playbook(context.caller, Needs::Files, |playbook| {
                Ok(playbook.config()?)
            })
            .await?;
        Ok(rules_reply(&Value::Object(config.settings.clone())))
    })
}
