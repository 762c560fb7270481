//! `write_file`: creates a file, or replaces all of it.

use mk_engine::Granted;
use mk_policy::Group;
use mk_project::Edit;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, parse};
use crate::written;

pub(crate) static TOOL: Tool = Tool {
    name: "write_file",
    title: "Write a file",
    description: "Create a file or replace its contents, with a backup; folders are created",
    group: Some(Group::Edit),
    family: Family::Files,
    hints: Hints::Changes,
    paths: &["file_path"],
    input: Schema::of::<WriteFileArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct WriteFileArgs {
    /// Path, relative to the project
    #[serde(rename = "file_path")]
    _file_path: String,
    /// The whole new text
    content: String,
    /// `revision` from read_file: refuse if the file has changed since
    expected_revision: Option<String>,
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let WriteFileArgs {
            content,
            expected_revision,
            ..
        } = parse(arguments)?;
        let path = context.engine.only_target(&granted.permit)?;
        let seen = context
            .engine
            .seen(granted.in_force.session.as_ref(), &path);
        let edit = Edit::Write {
            path,
            contents: content,
            expected: expected_revision.or(seen),
        };
        written::apply(context, granted, vec![edit]).await
    })
}
