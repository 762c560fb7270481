//! `search_rules`: what the team has written about something.

use mk_playbook::{FileMatch, LineMatch, Needs, SearchLimits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{
    Context, Family, Hints, Run, Running, Schema, Tool, missing, parse, rules_reply, source_of,
};

pub(crate) static TOOL: Tool = Tool {
    name: "search_rules",
    title: "Search the rules",
    description: "Search rules, agents, skills and checklists; best passages first",
    group: None,
    family: Family::Rules,
    hints: Hints::ReadOnly,
    paths: &[],
    input: Schema::of::<SearchRulesArgs>(),
    output: None,
    run: Run::Free(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SearchRulesArgs {
    /// Search query
    query: String,
}

fn run<'a>(context: &'a Context<'a>, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let SearchRulesArgs { query } = parse(arguments)?;
        if query.trim().is_empty() {
            return Err(missing("query"));
        }
        let found = context
            .engine
            .with_playbook(context.caller, Needs::SearchIndex, move |playbook| {
                Ok(playbook.search(&query, &SearchLimits::default()))
            })
            .await?;
        let file = |file: &FileMatch| {
            let line = |line: &LineMatch| format!("Line {}: {}", line.line, line.text);
            json!({
                "file": file.path,
                "matches": file.lines.iter().map(line).collect::<Vec<_>>(),
                "score": file.score,
                "source": source_of(file.layer),
                "total": file.n_lines,
            })
        };
        Ok(rules_reply(&found.files.iter().map(file).collect()))
    })
}
