//! `delete_memory`: forgets a memory.

use mk_engine::Granted;
use mk_policy::Group;
use mk_project::MemoryName;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, code_reply, parse};

pub(crate) static TOOL: Tool = Tool {
    name: "delete_memory",
    title: "Delete a memory",
    description: "Delete a memory that is wrong or no longer needed",
    group: Some(Group::Edit),
    family: Family::Memory,
    hints: Hints::Changes,
    paths: &[],
    input: Schema::of::<DeleteMemoryArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct DeleteMemoryArgs {
    /// Name, as list_memories shows it
    name: String,
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let DeleteMemoryArgs { name, .. } = parse(arguments)?;
        let name = MemoryName::parse(&name)?;
        let shown = name.to_string();
        let Granted { permit, in_force } = granted;
        context
            .engine
            .on_disk(&in_force, move |workspace| {
                Ok(workspace.memories()?.delete(permit, &name)?)
            })
            .await?;
        Ok(code_reply(
            format!("Memory deleted: {shown}"),
            json!({ "name": shown }),
        ))
    })
}
