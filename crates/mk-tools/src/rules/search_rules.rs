//! `search_rules`: what the team has written about something.

use mk_engine::{Error, RuleFileMatch, RuleLineMatch};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, missing, rules_reply,
    source_of,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct SearchRulesArgs {
    /// Search query
    query: String,
}

pub(crate) static TOOL: Tool = Tool::of::<SearchRulesArgs>();

impl ToolDefinition for SearchRulesArgs {
    const SPEC: Spec = Spec {
        name: "search_rules",
        title: "Search the rules",
        description: "Search rules, agents, skills and checklists; best passages first",
        toolset: Toolset::Rules,
        group: None,
        effect: ToolEffect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: None,
    };

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let Self { query } = self;
        if query.trim().is_empty() {
            return Err(missing("query"));
        }
        let found = call.project().playbook().search(query).await?;
        let file = |file: &RuleFileMatch| {
            let line = |line: &RuleLineMatch| format!("Line {}: {}", line.line, line.text);
            json!({
                "file": file.path,
                "matches": file.lines.iter().map(line).collect::<Vec<_>>(),
                "score": file.score,
                "source": source_of(file.layer),
                "total": file.n_lines,
            })
        };
        Ok(rules_reply(&found.iter().map(file).collect()))
    }
}
