//! `move_file`: gives a file another name; never overwrites.

use mk_engine::{Error, Granted};
use mk_policy::Group;
use mk_project::Edit;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, parse};
use crate::written;

pub(crate) static TOOL: Tool = Tool {
    name: "move_file",
    title: "Move a file",
    description: "Move or rename a file; an existing target is never overwritten",
    group: Some(Group::Edit),
    family: Family::Files,
    hints: Hints::Changes,
    paths: &["from_path", "to_path"],
    input: Schema::of::<MoveFileArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct MoveFileArgs {
    /// Path now, relative to the project
    #[serde(rename = "from_path")]
    _from_path: String,
    /// Path afterwards
    #[serde(rename = "to_path")]
    _to_path: String,
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let MoveFileArgs { .. } = parse(arguments)?;
        let [from, to] = granted.permit.targets() else {
            return Err(Error::invalid(
                "to_path",
                "Parameters from_path and to_path must name one file each",
            ));
        };
        let edit = Edit::Move {
            from: from.clone(),
            to: to.clone(),
        };
        written::apply(context, granted, vec![edit]).await
    })
}
