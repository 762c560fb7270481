//! `rename_memory`: gives a memory another name; references follow.

use mk_engine::Granted;
use mk_policy::Group;
use mk_project::MemoryName;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, code_reply, parse};

pub(crate) static TOOL: Tool = Tool {
    name: "rename_memory",
    title: "Rename a memory",
    description: "Rename a memory; references to it (mem:name) in other memories follow",
    group: Some(Group::Edit),
    family: Family::Memory,
    hints: Hints::Changes,
    paths: &[],
    input: Schema::of::<RenameMemoryArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct RenameMemoryArgs {
    /// Name now
    old_name: String,
    /// Name afterwards
    new_name: String,
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let RenameMemoryArgs {
            old_name, new_name, ..
        } = parse(arguments)?;
        let (old, new) = (MemoryName::parse(&old_name)?, MemoryName::parse(&new_name)?);
        let shown = (old.to_string(), new.to_string());
        let Granted { permit, in_force } = granted;
        let references = context
            .engine
            .on_disk(&in_force, move |workspace| {
                Ok(workspace.memories()?.rename(permit, &old, &new)?)
            })
            .await?;
        let text = format!(
            "Memory renamed: {} to {} ({references} references changed)",
            shown.0, shown.1
        );
        Ok(code_reply(
            text,
            json!({ "old_name": shown.0, "new_name": shown.1, "references": references }),
        ))
    })
}
