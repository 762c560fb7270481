//! `write_memory`: writes something down for later.

use mk_engine::Granted;
use mk_policy::Group;
use mk_project::MemoryName;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, code_reply, parse};

pub(crate) static TOOL: Tool = Tool {
    name: "write_memory",
    title: "Write a memory",
    description: "Write down something worth knowing later; overwrites a memory of the same name",
    group: Some(Group::Edit),
    family: Family::Memory,
    hints: Hints::Changes,
    paths: &[],
    input: Schema::of::<WriteMemoryArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct WriteMemoryArgs {
    /// Name of the memory; `/` separates topics, `global/…` is shared by all projects
    name: String,
    /// Markdown
    content: String,
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let WriteMemoryArgs { name, content, .. } = parse(arguments)?;
        let name = MemoryName::parse(&name)?;
        let shown = name.to_string();
        let Granted { permit, in_force } = granted;
        let size = content.len();
        context
            .engine
            .on_disk(&in_force, move |workspace| {
                Ok(workspace.memories()?.write(permit, &name, &content)?)
            })
            .await?;
        Ok(code_reply(
            format!("Memory written: {shown}"),
            json!({ "name": shown, "size": size }),
        ))
    })
}
