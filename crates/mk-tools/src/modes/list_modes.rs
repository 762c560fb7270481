//! `list_modes`: the modes of the project, in short.

use std::fmt::Write as _;

use mk_engine::Error;
use mk_policy::{Mode, ModeSource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::schema;
use crate::tool::{Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, reply};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ListModesArgs {
    /// Filter modes by source (default: all)
    source: Option<SourceFilter>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SourceFilter {
    Builtin,
    Global,
    Project,
    All,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListModesOutput {
    modes: Vec<ListedMode>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ListedMode {
    slug: String,
    name: String,
    source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// Enabled tool groups; a restriction follows in parentheses.
    tool_groups: Vec<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<ListModesArgs>();

impl ToolDefinition for ListModesArgs {
    const SPEC: Spec = Spec {
        name: "list_modes",
        title: "List modes",
        description: "List all available modes with their metadata",
        toolset: Toolset::Modes,
        group: None,
        effect: ToolEffect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: Some(schema::of_output::<ListModesOutput>),
    };

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let Self { source } = self;
        let source = source.unwrap_or(SourceFilter::All);
        let catalogue = call.engine.modes().catalogue(call.caller);
        let modes: Vec<ListedMode> = catalogue
            .visible()
            .filter(|mode| source.takes(mode.source))
            .map(|mode| list(mode))
            .collect();
        let mut text = "Available modes:\n".to_owned();
        for (mode_idx, mode) in modes.iter().enumerate() {
            let _ = write!(
                text,
                "\n{}. {} ({}) - {}\n",
                mode_idx + 1,
                mode.slug,
                mode.name,
                mode.source
            );
            if let Some(description) = &mode.description {
                let _ = writeln!(text, "   Description: {}", one_line(description));
            }
            let _ = writeln!(text, "   Tool groups: {}", join_or_none(&mode.tool_groups));
        }
        if modes.is_empty() {
            text.push_str("\nNone from this source.\n");
        }
        let metadata = json!({ "count": modes.len(), "source": source });
        Ok(ToolAnswer::Done(reply(
            text,
            &ListModesOutput { modes },
            metadata,
        )))
    }
}

impl SourceFilter {
    fn takes(self, source: ModeSource) -> bool {
        match self {
            Self::All => true,
            Self::Builtin => source == ModeSource::Builtin,
            Self::Global => source == ModeSource::Global,
            Self::Project => source == ModeSource::Project,
        }
    }
}

fn list(mode: &Mode) -> ListedMode {
    let group = |group: mk_policy::Group| match mode.restriction(group) {
        Some(limit) => format!("{group} ({limit})"),
        None => group.to_string(),
    };
    ListedMode {
        slug: mode.slug.to_string(),
        name: mode.name.clone(),
        source: mode.source.as_str().to_owned(),
        description: mode.description.clone(),
        tool_groups: mode.groups().into_iter().map(group).collect(),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn join_or_none(groups: &[String]) -> String {
    if groups.is_empty() {
        "none".to_owned()
    } else {
        groups.join(", ")
    }
}
