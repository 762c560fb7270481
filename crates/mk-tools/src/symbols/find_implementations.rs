//! `find_implementations`: what implements a trait, an interface, a class or a method of one.

use mk_engine::Error;
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;

use super::places::{self, PlacesArgs};
use crate::tool::{Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset};

pub(crate) static TOOL: Tool = Tool::of::<FindImplementationsArgs>();

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct FindImplementationsArgs(PlacesArgs);

impl ToolDefinition for FindImplementationsArgs {
    const SPEC: Spec = Spec {
        name: "find_implementations",
        title: "Find implementations",
        description: "Find what implements an interface, trait, class or method; needs a language server",
        toolset: Toolset::Symbols,
        group: Some(Group::Read),
        effect: ToolEffect::ReadOnly,
        calls_per_minute: Some(50),
        paths: &["file_path"],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.0.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let (name, shown) = (self.0.symbol_name.clone(), self.0.shown());
        let symbols = call.project().symbols();
        let found = symbols.implementations(call.request, &name, shown).await?;
        Ok(places::reply(&name, "is not implemented", &found))
    }
}
