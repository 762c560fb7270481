//! `edit_memory`: changes a part of a memory.

use mk_engine::Granted;
use mk_policy::Group;
use mk_project::{MemoryName, Occurrences, PatternKind, Replacement};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, code_reply, parse};

pub(crate) static TOOL: Tool = Tool {
    name: "edit_memory",
    title: "Edit a memory",
    description: "Replace literal text (or a regex) in a memory; an ambiguous match is refused",
    group: Some(Group::Edit),
    family: Family::Memory,
    hints: Hints::Changes,
    paths: &[],
    input: Schema::of::<EditMemoryArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct EditMemoryArgs {
    /// Name, as list_memories shows it
    name: String,
    /// Text to find
    find: String,
    /// New text
    replace: String,
    /// `find` is a regex
    regex: Option<bool>,
    /// Replace every occurrence
    all: Option<bool>,
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let EditMemoryArgs {
            name,
            find,
            replace,
            regex,
            all,
            ..
        } = parse(arguments)?;
        let name = MemoryName::parse(&name)?;
        let shown = name.to_string();
        let Granted { permit, in_force } = granted;
        let replacement = Replacement {
            find,
            replace,
            kind: if regex == Some(true) {
                PatternKind::Regex
            } else {
                PatternKind::Literal
            },
            occurrences: if all == Some(true) {
                Occurrences::All
            } else {
                Occurrences::One
            },
        };
        context
            .engine
            .on_disk(&in_force, move |workspace| {
                Ok(workspace.memories()?.edit(permit, &name, &replacement)?)
            })
            .await?;
        Ok(code_reply(
            format!("Memory changed: {shown}"),
            json!({ "name": shown }),
        ))
    })
}
