//! `activate_project`: which project later calls are about.

use mk_engine::Outcome;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Answer, Context, Family, Hints, Reply, Run, Running, Schema, Tool, parse};

pub(crate) static TOOL: Tool = Tool {
    name: "activate_project",
    title: "Activate a project",
    description: "Work on another project folder from now on",
    group: None,
    family: Family::Project,
    hints: Hints::Changes,
    paths: &[],
    input: Schema::of::<ActivateProjectArgs>(),
    output: None,
    run: Run::Free(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ActivateProjectArgs {
    /// Absolute path of the project's folder
    project_root: String,
}

fn run<'a>(context: &'a Context<'a>, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let ActivateProjectArgs { project_root } = parse(arguments)?;
        let project = match context
            .engine
            .activate_project(context.caller, &project_root)
            .await?
        {
            Outcome::Done(project) => project,
            Outcome::NeedsApproval(question) => return Ok(Answer::NeedsApproval(question)),
        };
        Ok(Answer::Done(Reply {
            text: format!("Project activated: {project}"),
            structured: json!({ "project": project.as_str() }),
            metadata: Value::Null,
            current: None,
            project: Some(project),
        }))
    })
}
