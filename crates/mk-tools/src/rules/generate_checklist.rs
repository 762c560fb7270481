//! `generate_checklist`: what to look at before something is done.

use std::borrow::Cow;

use mk_engine::{
    ChecklistItem, DomainChecklist, Error, GeneratedChecklists, MatchedTrigger, TriggerReason,
};
use schemars::{JsonSchema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, rules_reply,
};

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

impl ToolDefinition for GenerateChecklistArgs {
    const SPEC: Spec = Spec {
        name: "generate_checklist",
        title: "Make a checklist",
        description: "What to check, by domain or by files touched",
        toolset: Toolset::Rules,
        group: None,
        effect: ToolEffect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: None,
    };

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let domains = self.domains.unwrap_or_default().into_iter();
        let domains = domains.map(|domain| domain.0).collect();
        let playbook = call.project().playbook();
        let made = playbook
            .checklist(domains, self.files.unwrap_or_default())
            .await?;
        Ok(rules_reply(&checklists(&made)))
    }
}

/// Bytes of an answer; beyond them the least important items are counted and not sent.
const MOST_BYTES: usize = 6_000;

pub(crate) fn checklists(made: &GeneratedChecklists) -> Value {
    let trigger = |trigger: &MatchedTrigger| {
        let reason = match trigger.reason {
            TriggerReason::Explicit => "explicit",
            TriggerReason::FilePattern => "file_pattern",
        };
        json!({ "domain": trigger.domain, "category": trigger.category, "reason": reason, "match": trigger.matched })
    };
    let triggers: Vec<Value> = made.matched_triggers.iter().map(trigger).collect();
    let summary = &made.summary;
    let mut answer = json!({
        "checklists": [],
        "detectedPatterns": made.detected_patterns,
        "summary": {
            "total": summary.total,
            "critical": summary.critical,
            "high": summary.high,
            "medium": summary.medium,
            "low": summary.low,
        },
        "matchedTriggers": triggers.iter().take(MOST_TRIGGERS).collect::<Vec<_>>(),
    });
    if !made.unknown_domains.is_empty() {
        answer["unknownDomains"] = json!(made.unknown_domains);
    }
    let room = MOST_BYTES.saturating_sub(answer.to_string().len());
    let (lists, omitted) = within(made, room);
    answer["checklists"] = Value::Array(lists);
    if omitted > 0 {
        answer["omitted"] = json!(omitted);
        answer["hint"] = json!("Name fewer domains or files to see the omitted items");
    }
    answer
}

/// As many triggers as explain an answer.
const MOST_TRIGGERS: usize = 10;

/// The most important items of all domains that fit, by domain, and how many do not.
fn within(made: &GeneratedChecklists, room: usize) -> (Vec<Value>, usize) {
    let mut items: Vec<(usize, &ChecklistItem)> = Vec::new();
    for (place, checklist) in made.checklists.iter().enumerate() {
        items.extend(checklist.items.iter().map(|item| (place, item)));
    }
    items.sort_by_key(|(_, item)| item.priority);
    let mut shown: Vec<Vec<Value>> = made.checklists.iter().map(|_| Vec::new()).collect();
    let mut room = room.saturating_sub(80 * made.checklists.len());
    let mut omitted = 0;
    for (place, item) in items {
        let value = shown_item(item);
        let size = value.to_string().len() + 1;
        match shown.get_mut(place) {
            Some(list) if size <= room => {
                room -= size;
                list.push(value);
            }
            _ => omitted += 1,
        }
    }
    let lists = made.checklists.iter().zip(shown);
    let lists = lists.filter(|(_, items)| !items.is_empty());
    let lists = lists.map(|(checklist, items)| domain(checklist, items));
    (lists.collect(), omitted)
}

fn shown_item(item: &ChecklistItem) -> Value {
    let mut shown =
        json!({ "id": item.id, "description": item.text, "priority": item.priority.as_str() });
    if let Some(reason) = &item.reason {
        shown["reason"] = json!(reason);
    }
    if let Some(reference) = &item.reference {
        shown["reference"] = json!(reference);
    }
    shown
}

fn domain(checklist: &DomainChecklist, items: Vec<Value>) -> Value {
    let mut shown = json!({
        "domain": checklist.domain,
        "icon": checklist.icon,
        "priority": checklist.priority.as_str(),
    });
    shown["items"] = Value::Array(items);
    shown
}
