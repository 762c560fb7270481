//! `find_implementations`: what implements a trait, an interface, a class or a method of one.

use mk_engine::Granted;
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::places::{self, Wanted};
use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, parse};

pub(crate) static TOOL: Tool = Tool {
    name: "find_implementations",
    title: "Find implementations",
    description: "Find what implements an interface, trait, class or method; needs a language server",
    group: Some(Group::Read),
    family: Family::Symbols,
    hints: Hints::ReadOnly,
    paths: &["file_path"],
    input: Schema::of::<FindImplementationsArgs>(),
    output: None,
    run: Run::Granted(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct FindImplementationsArgs {
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
        let args: FindImplementationsArgs = parse(arguments)?;
        let wanted = Wanted::new(context, &granted, args.file_path, args.max_results)?;
        let name = &args.symbol_name;
        let found = context
            .engine
            .implementations(&granted.in_force, name, wanted.file, wanted.limit)
            .await?;
        Ok(places::reply(name, "is not implemented", &found))
    })
}
