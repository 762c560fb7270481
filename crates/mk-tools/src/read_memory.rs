//! `read_memory`: what was written down under a name.

use mk_engine::Granted;
use mk_policy::Group;
use mk_project::MemoryName;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, code_reply, parse};

pub(crate) static TOOL: Tool = Tool {
    name: "read_memory",
    title: "Read a memory",
    description: "Read a memory: what was learned about this project earlier",
    group: Some(Group::Read),
    family: Family::Memory,
    hints: Hints::ReadOnly,
    paths: &[],
    input: Schema::of::<ReadMemoryArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ReadMemoryArgs {
    /// Name, as list_memories shows it
    name: String,
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let ReadMemoryArgs { name, .. } = parse(arguments)?;
        let name = MemoryName::parse(&name)?;
        let shown = name.to_string();
        let text = context
            .engine
            .on_disk(&granted.in_force, move |workspace| {
                Ok(workspace.memories()?.read(&name)?)
            })
            .await?;
        Ok(code_reply(text, json!({ "name": shown })))
    })
}
