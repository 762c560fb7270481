//! `replace_content`: replaces text in one file; refuses when it is not clear which place is meant.

use mk_engine::Granted;
use mk_policy::Group;
use mk_project::{Edit, Occurrences, PatternKind, Replacement};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, parse};
use crate::written;

pub(crate) static TOOL: Tool = Tool {
    name: "replace_content",
    title: "Replace text in a file",
    description: "Replace literal text (or a regex) in a file; an ambiguous match is refused with its lines",
    group: Some(Group::Edit),
    family: Family::Files,
    hints: Hints::Changes,
    paths: &["file_path"],
    input: Schema::of::<ReplaceContentArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ReplaceContentArgs {
    /// Path, relative to the project
    #[serde(rename = "file_path")]
    _file_path: String,
    /// Text to find
    find: String,
    /// New text; `$1` is a group of the regex
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
        let ReplaceContentArgs {
            find,
            replace,
            regex,
            all,
            ..
        } = parse(arguments)?;
        let path = context.engine.only_target(&granted.permit)?;
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
        let file = path.clone();
        let edit = Edit::replace(path, move |text| {
            replacement.apply(&file, text).map(|(text, _)| text)
        });
        written::apply(context, granted, vec![edit]).await
    })
}
