//! `list_memories`: what has been written down.

use mk_engine::Granted;
use mk_policy::Group;
use mk_project::{Access, Memory};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, code_reply, parse};

pub(crate) static TOOL: Tool = Tool {
    name: "list_memories",
    title: "List memories",
    description: "List memories; read the ones whose names fit the task",
    group: Some(Group::Read),
    family: Family::Memory,
    hints: Hints::ReadOnly,
    paths: &[],
    input: Schema::of::<ListMemoriesArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ListMemoriesArgs {
    /// Only memories below this topic
    topic: Option<String>,
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let ListMemoriesArgs { topic, .. } = parse(arguments)?;
        let memories = context
            .engine
            .on_disk(&granted.in_force, move |workspace| {
                Ok(workspace.memories()?.list(topic.as_deref())?)
            })
            .await?;
        let line = |memory: &Memory| match memory.access {
            Access::Writable => memory.name.to_string(),
            Access::ReadOnly => format!("{} (read-only)", memory.name),
        };
        let text = memories.iter().map(line).collect::<Vec<_>>().join("\n");
        let text = if text.is_empty() {
            "No memories yet".to_owned()
        } else {
            text
        };
        let entry = |memory: &Memory| {
            json!({
                "name": memory.name.to_string(),
                "size": memory.size,
                "modified": memory.modified.to_string(),
                "read_only": memory.access == Access::ReadOnly,
            })
        };
        Ok(code_reply(
            text,
            json!({ "memories": memories.iter().map(entry).collect::<Vec<_>>() }),
        ))
    })
}
