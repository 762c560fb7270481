//! `list_dir`: what is in a folder.

use mk_engine::Granted;
use mk_policy::Group;
use mk_project::{Depth, EntryKind, ListQuery, list_dir};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, code_reply, parse};

const MOST_ENTRIES: usize = 1_000;

pub(crate) static TOOL: Tool = Tool {
    name: "list_dir",
    title: "List a folder",
    description: "List a folder; names of folders end with /. Respects .gitignore",
    group: Some(Group::Read),
    family: Family::Files,
    hints: Hints::ReadOnly,
    paths: &["path"],
    input: Schema::of::<ListDirArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ListDirArgs {
    /// Folder (default: the project)
    #[serde(rename = "path")]
    _path: Option<String>,
    /// List what is in subfolders too
    recursive: Option<bool>,
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let ListDirArgs { recursive, .. } = parse(arguments)?;
        let Granted { permit, in_force } = granted;
        let query = ListQuery {
            folder: context.engine.target_or_root(&permit, &in_force)?,
            depth: if recursive == Some(true) {
                Depth::Recursive
            } else {
                Depth::Flat
            },
            max_entries: MOST_ENTRIES,
        };
        let listed = context
            .engine
            .on_disk(&in_force, move |workspace| {
                let readable = |path: &_| workspace.readable(path);
                Ok(list_dir(
                    workspace.root.root(),
                    &query,
                    &readable,
                    workspace.cancel(),
                )?)
            })
            .await?;
        let mut lines = Vec::new();
        for entry in &listed.entries {
            lines.push(match entry.kind {
                EntryKind::Folder => format!("{}/", entry.path),
                EntryKind::Link => format!("{} (link)", entry.path),
                EntryKind::Other => format!("{} (special)", entry.path),
                EntryKind::File => format!("{}  {}", entry.path, entry.size),
            });
        }
        if listed.cut {
            lines.push(format!(
                "[{} of {} shown]",
                listed.entries.len(),
                listed.total
            ));
        }
        if lines.is_empty() {
            lines.push("The folder is empty".to_owned());
        }
        Ok(code_reply(
            lines.join("\n"),
            json!({ "total": listed.total, "cut": listed.cut }),
        ))
    })
}
