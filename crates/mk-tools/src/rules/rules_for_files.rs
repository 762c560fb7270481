//! `rules_for_files`: which rules apply where.

use mk_engine::{AppliedRule, Error, RuleReason};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, rules_reply, source_of,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct RulesForFilesArgs {
    /// Paths, relative to the project
    files: Vec<String>,
    /// From nextOffset
    offset: Option<usize>,
}

/// Bytes of the rules' texts in one answer, and of one rule.
const MOST_BYTES: usize = 12_000;
const MOST_OF_ONE: usize = 6_000;
/// Files that are named for one rule: the caller knows which it asked for.
const MOST_FILES: usize = 20;

pub(crate) static TOOL: Tool = Tool::of::<RulesForFilesArgs>();

impl ToolDefinition for RulesForFilesArgs {
    const SPEC: Spec = Spec {
        name: "rules_for_files",
        title: "Rules for files",
        description: "Rules for these files, most specific first, and why",
        toolset: Toolset::Rules,
        group: None,
        effect: ToolEffect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: None,
    };

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let playbook = call.project().playbook();
        let applied = playbook.rules_for_files(self.files).await?;
        let offset = self.offset.unwrap_or(0);
        let mut room = MOST_BYTES;
        let mut shown: Vec<Value> = Vec::new();
        for applied in applied.iter().skip(offset) {
            let size = applied.rule.text.len().min(MOST_OF_ONE);
            if size > room && !shown.is_empty() {
                break;
            }
            room = room.saturating_sub(size);
            shown.push(rule(applied));
        }
        let reached = offset + shown.len();
        let mut answer = json!({ "rules": shown, "total": applied.len() });
        if reached < applied.len() {
            answer["nextOffset"] = json!(reached);
        }
        Ok(rules_reply(&answer))
    }
}

fn rule(applied: &AppliedRule) -> Value {
    let (reason, because) = match &applied.reason {
        RuleReason::Always => ("always", None),
        RuleReason::Nearest { folder } => ("nearest", Some(folder)),
        RuleReason::Above { folder } => ("above", Some(folder)),
        RuleReason::Glob { pattern } => ("glob", Some(pattern)),
        RuleReason::Mode { slug } => ("mode", Some(slug)),
    };
    let text = &applied.rule.text;
    let mut end = text.len().min(MOST_OF_ONE);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut shown = json!({
        "rule": applied.rule.path,
        "title": applied.rule.title,
        "reason": reason,
        "because": because,
        "files": applied.files.get(..MOST_FILES).unwrap_or(&applied.files),
        "content": text.get(..end).unwrap_or_default(),
        "source": source_of(applied.rule.layer),
    });
    if applied.files.len() > MOST_FILES {
        shown["moreFiles"] = json!(applied.files.len() - MOST_FILES);
    }
    if end < text.len() {
        shown["cut"] = json!(format!(
            "read rules://{} for the full text",
            applied.rule.path
        ));
    }
    shown
}
