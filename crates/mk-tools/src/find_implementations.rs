//! `find_implementations`: what implements a trait, an interface, a class or a method of one.

use mk_engine::Granted;
use mk_policy::Group;
use serde_json::Value;

use crate::places::{self, PlacesArgs, Wanted};
use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool};

pub(crate) static TOOL: Tool = Tool {
    name: "find_implementations",
    title: "Find implementations",
    description: "Find what implements an interface, trait, class or method; needs a language server",
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
            .implementations(&granted.in_force, &name, file, limit)
            .await?;
        Ok(places::reply(&name, "is not implemented", &found))
    })
}
