//! `get_repository_map`: the most used symbols of the project, within a number of tokens.

use mk_engine::Granted;
use mk_policy::Group;
use mk_symbols::Source;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::indexed;
use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, code_reply, parse};

const DEFAULT_TOKENS: u32 = 1_000;
const MOST_TOKENS: u32 = 20_000;

pub(crate) static TOOL: Tool = Tool {
    name: "get_repository_map",
    title: "Map the project",
    description: "Show the signatures that most of the project's code leans on, file by file",
    group: Some(Group::Read),
    family: Family::Symbols,
    hints: Hints::ReadOnly,
    paths: &[],
    input: Schema::of::<GetRepositoryMapArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct GetRepositoryMapArgs {
    /// Default: 1000
    max_tokens: Option<u32>,
    /// File or glob; what it uses comes first
    focus: Option<String>,
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let args: GetRepositoryMapArgs = parse(arguments)?;
        let tokens = args.max_tokens.unwrap_or(DEFAULT_TOKENS).min(MOST_TOKENS) as usize;
        let map = context
            .engine
            .on_disk(&granted.in_force, move |workspace| {
                workspace.repository_map(tokens, args.focus.as_deref())
            })
            .await?;
        let mut text = if map.files_total == 0 {
            "The project defines no symbols\n".to_owned()
        } else {
            map.text
        };
        text.extend(indexed::note(map.progress));
        let mut facts = indexed::facts(&Source::Index, map.progress);
        facts["tokens"] = json!(map.tokens);
        facts["files_shown"] = json!(map.files_shown);
        facts["files_total"] = json!(map.files_total);
        Ok(code_reply(text, facts))
    })
}
