//! `generate_checklist`: what to look at before something is done.

use std::borrow::Cow;

use mk_playbook::{
    ChecklistItem, ChecklistQuery, DomainChecklist, GeneratedChecklists, MatchedTrigger, Needs,
    TriggerReason,
};
use schemars::{JsonSchema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Context, Family, Hints, Run, Running, Schema, Tool, parse, rules_reply};

pub(crate) static TOOL: Tool = Tool {
    name: "generate_checklist",
    title: "Make a checklist",
    description: "What to check, by domain or by the files that were touched",
    group: None,
    family: Family::Rules,
    hints: Hints::ReadOnly,
    paths: &[],
    input: Schema::of::<GenerateChecklistArgs>(),
    output: None,
    run: Run::Free(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct GenerateChecklistArgs {
    /// File paths to analyze for checklist generation
    files: Option<Vec<String>>,
    /// Domains; found from the files if left out
    domains: Option<Vec<Domain>>,
}

/// A domain of ours or of the user's: the schema names ours, as the contract does, and takes any.
#[derive(Debug, Deserialize)]
pub(crate) struct Domain(String);

impl JsonSchema for Domain {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Domain".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> schemars::Schema {
        json_schema!({
            "type": "string",
            "enum": ["security", "accessibility", "performance", "testing", "code-quality", "seo"],
        })
    }
}

fn run<'a>(context: &'a Context<'a>, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let GenerateChecklistArgs { files, domains } = parse(arguments)?;
        let made = context
            .engine
            .with_playbook(context.caller, Needs::Files, move |playbook| {
                let domains: Vec<String> = domains
                    .unwrap_or_default()
                    .into_iter()
                    .map(|domain| domain.0)
                    .collect();
                let files = files.unwrap_or_default();
                Ok(playbook.checklist(&ChecklistQuery {
                    domains: &domains,
                    files: &files,
                }))
            })
            .await?;
        Ok(rules_reply(&checklists(&made)))
    })
}

pub(crate) fn checklists(made: &GeneratedChecklists) -> Value {
    let item = |item: &ChecklistItem| {
        let mut shown = json!({ "id": item.id, "description": item.text, "text": item.text, "priority": item.priority.as_str() });
        if let Some(reason) = &item.reason {
            shown["reason"] = json!(reason);
        }
        if let Some(reference) = &item.reference {
            shown["reference"] = json!(reference);
        }
        shown
    };
    let checklist = |checklist: &DomainChecklist| {
        json!({
            "domain": checklist.domain,
            "icon": checklist.icon,
            "priority": checklist.priority.as_str(),
            "items": checklist.items.iter().map(item).collect::<Vec<_>>(),
        })
    };
    let trigger = |trigger: &MatchedTrigger| {
        let reason = match trigger.reason {
            TriggerReason::Explicit => "explicit",
            TriggerReason::FilePattern => "file_pattern",
        };
        json!({ "domain": trigger.domain, "category": trigger.category, "reason": reason, "match": trigger.matched })
    };
    let summary = &made.summary;
    json!({
        "checklists": made.checklists.iter().map(checklist).collect::<Vec<_>>(),
        "detectedPatterns": made.detected_patterns,
        "summary": {
            "total": summary.total,
            "critical": summary.critical,
            "high": summary.high,
            "medium": summary.medium,
            "low": summary.low,
        },
        "matchedTriggers": made.matched_triggers.iter().map(trigger).collect::<Vec<_>>(),
    })
}
