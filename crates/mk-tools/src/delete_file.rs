//! `delete_file`: removes a file, with a backup.

use mk_engine::Granted;
use mk_policy::Group;
use mk_project::Edit;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, parse};
use crate::written;

pub(crate) static TOOL: Tool = Tool {
    name: "delete_file",
    title: "Delete a file",
    description: "Delete a file, with a backup",
    group: Some(Group::Edit),
    family: Family::Files,
    hints: Hints::Changes,
    paths: &["file_path"],
    input: Schema::of::<DeleteFileArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct DeleteFileArgs {
    /// Path, relative to the project
    #[serde(rename = "file_path")]
    _file_path: String,
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let DeleteFileArgs { .. } = parse(arguments)?;
        let path = context.engine.only_target(&granted.permit)?;
        written::apply(context, granted, vec![Edit::Delete { path }]).await
    })
}
