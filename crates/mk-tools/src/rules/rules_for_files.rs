//! `rules_for_files`: which rules hold where.

use mk_engine::{AppliedRule, Error, RuleReason};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::tool::{Answer, Call, Definition, Effect, Spec, Tool, Toolset, rules_reply, source_of};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct RulesForFilesArgs {
    /// Paths, relative to the project
    files: Vec<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<RulesForFilesArgs>();

impl Definition for RulesForFilesArgs {
    const SPEC: Spec = Spec {
        name: "rules_for_files",
        title: "Rules for files",
        description: "Which rules apply to these files, the most specific first, and why",
        toolset: Toolset::Rules,
        group: None,
        effect: Effect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: None,
    };

    async fn run(self, call: Call<'_>) -> Result<Answer, Error> {
        let playbook = call.project().playbook();
        let applied = playbook.rules_for_files(self.files).await?;
        let rule = |applied: &AppliedRule| {
            let (reason, because) = match &applied.reason {
                RuleReason::Always => ("always", None),
                RuleReason::Nearest { folder } => ("nearest", Some(folder)),
                RuleReason::Above { folder } => ("above", Some(folder)),
                RuleReason::Glob { pattern } => ("glob", Some(pattern)),
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
    }
}
