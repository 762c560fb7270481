//! `rules_for_files`: which rules hold where.

use mk_playbook::{AppliedRule, Needs, Reason};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{
    Context, Family, Hints, Run, Running, Schema, Tool, parse, rules_reply, source_of,
};

pub(crate) static TOOL: Tool = Tool {
    name: "rules_for_files",
    title: "Rules for files",
    description: "Which rules apply to these files, the most specific first, and why",
    group: None,
    family: Family::Rules,
    hints: Hints::ReadOnly,
    paths: &[],
    input: Schema::of::<RulesForFilesArgs>(),
    output: None,
    run: Run::Free(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct RulesForFilesArgs {
    /// Paths, relative to the project
    files: Vec<String>,
}

fn run<'a>(context: &'a Context<'a>, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let RulesForFilesArgs { files } = parse(arguments)?;
        let applied = context
            .engine
            .with_playbook(context.caller, Needs::Files, move |playbook| {
                Ok(playbook.rules_for_files(&files))
            })
            .await?;
        let rule = |applied: &AppliedRule| {
            let (reason, because) = match &applied.reason {
                Reason::Always => ("always", None),
                Reason::Nearest { folder } => ("nearest", Some(folder)),
                Reason::Above { folder } => ("above", Some(folder)),
                Reason::Glob { pattern } => ("glob", Some(pattern)),
            };
            json!({
                "rule": applied.rule.path,
                "title": applied.rule.title,
                "reason": reason,
                "because": because,
                "files": applied.files,
                "content": applied.rule.text,
                "source": source_of(applied.rule.layer),
            })
        };
        Ok(rules_reply(
            &json!({ "rules": applied.iter().map(rule).collect::<Vec<_>>() }),
        ))
    })
}
