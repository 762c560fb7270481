//! `find_files`: files by the pattern of their names.

use mk_engine::Granted;
use mk_policy::Group;
use mk_project::{FindQuery, find_files};
use mk_types::ProjectPath;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, code_reply, parse};

const DEFAULT_RESULTS: u32 = 100;
const MOST_RESULTS: u32 = 2_000;

pub(crate) static TOOL: Tool = Tool {
    name: "find_files",
    title: "Find files",
    description: "Find files by glob; respects .gitignore. `*.py` matches at any depth, `src/**/*.rs` from the root",
    group: Some(Group::Read),
    family: Family::Files,
    hints: Hints::ReadOnly,
    paths: &["path"],
    input: Schema::of::<FindFilesArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct FindFilesArgs {
    /// Glob
    pattern: String,
    /// Folder (default: the project)
    #[serde(rename = "path")]
    _path: Option<String>,
    /// Default: 100
    max_results: Option<u32>,
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let FindFilesArgs {
            pattern,
            max_results,
            ..
        } = parse(arguments)?;
        let Granted { permit, in_force } = granted;
        let query = FindQuery {
            pattern,
            folder: context.engine.target_or_root(&permit, &in_force)?,
            max_results: max_results
                .unwrap_or(DEFAULT_RESULTS)
                .clamp(1, MOST_RESULTS) as usize,
        };
        let found = context
            .engine
            .on_disk(&in_force, move |workspace| {
                let readable = |path: &_| workspace.readable(path);
                Ok(find_files(
                    workspace.root.root(),
                    &query,
                    &readable,
                    workspace.cancel(),
                )?)
            })
            .await?;
        let paths: Vec<&str> = found.paths.iter().map(ProjectPath::as_str).collect();
        let mut text = paths.join("\n");
        match (paths.is_empty(), found.cut) {
            (true, _) => text.push_str("No files match"),
            (_, true) => text.push_str(&format!("\n[{} of {} shown]", paths.len(), found.total)),
            _ => {}
        }
        let facts = json!({ "files": paths, "total": found.total, "cut": found.cut });
        Ok(code_reply(text, facts))
    })
}
