//! `generate_checklist`: what to look at before something is done.

use std::borrow::Cow;

use mk_engine::{
    ChecklistItem, DomainChecklist, Error, GeneratedChecklists, MatchedTrigger, TriggerReason,
};
use schemars::{JsonSchema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Answer, Call, Definition, Effect, Spec, Tool, Toolset, rules_reply};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct GenerateChecklistArgs {
    /// File paths to analyze for checklist generation
    files: Option<Vec<String>>,
    /// Domains; found from the files if left out
    domains: Option<Vec<Domain>>,
}

/// A domain of ours or of the user's: the schema names ours, as the contract does, and takes any.
#[derive(Debug, Clone, Deserialize)]
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

pub(crate) static TOOL: Tool = Tool::of::<GenerateChecklistArgs>();

impl Definition for GenerateChecklistArgs {
    const SPEC: Spec = Spec {
        name: "generate_checklist",
        title: "Make a checklist",
        description: "What to check, by domain or by the files that were touched",
        toolset: Toolset::Rules,
        group: None,
        effect: Effect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: None,
    };

    async fn run(self, call: Call<'_>) -> Result<Answer, Error> {
        let domains = self.domains.unwrap_or_default().into_iter();
        let domains = domains.map(|domain| domain.0).collect();
        let playbook = call.project().playbook();
        let made = playbook
            .checklist(domains, self.files.unwrap_or_default())
            .await?;
        Ok(rules_reply(&checklists(&made)))
    }
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
