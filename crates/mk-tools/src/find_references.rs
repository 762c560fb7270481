//! `find_references`: where a symbol is used.

use mk_engine::Granted;
use mk_policy::Group;
use serde_json::Value;

use crate::places::{self, PlacesArgs, Wanted};
use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool};

pub(crate) static TOOL: Tool = Tool {
    name: "find_references",
    title: "Find uses of a symbol",
    description: "Find where a symbol is used: exact with a language server, else by name",
    group: Some(Group::Read),
    family: Family::Symbols,
    hints: Hints::ReadOnly,
    paths: &["file_path"],
    input: Schema::of::<PlacesArgs>(),
    output: None,
    run: Run::Granted(run),
};

fn run<'a>(context: &'a Context<'a>, granted: Granted, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let Wanted { name, file, limit } = Wanted::parse(context, &granted, arguments)?;
        let found = context
            .engine
            .references(&granted.in_force, &name, file, limit)
            .await?;
        Ok(places::reply(&name, "is not used", &found))
    })
}
