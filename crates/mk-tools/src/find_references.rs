//! `find_references`: where a symbol is used.

use mk_engine::Granted;
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::places::{self, Wanted};
use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, parse};

pub(crate) static TOOL: Tool = Tool {
    name: "find_references",
    title: "Find uses of a symbol",
    description: "Find where a symbol is used: exact with a language server, else by name",
    group: Some(Group::Read),
    family: Family::Symbols,
    hints: Hints::ReadOnly,
    paths: &["file_path"],
    input: Schema::of::<FindReferencesArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct FindReferencesArgs {
    /// Name or name path
    symbol_name: String,
    /// File it is in
    file_path: Option<String>,
    /// Default: 100
    max_results: Option<u32>,
    #[serde(rename = "session_id")]
    _session_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let args: FindReferencesArgs = parse(arguments)?;
        let wanted = Wanted::new(context, &granted, args.file_path, args.max_results)?;
        let name = &args.symbol_name;
        let found = context
            .engine
            .references(&granted.in_force, name, wanted.file, wanted.limit)
            .await?;
        Ok(places::reply(name, "is not used", &found))
    })
}
