//! `suggest_config_updates`: what the configuration does not say yet.

use mk_engine::{ConfigSuggestion, Error, Outcome};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, rules_reply,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct SuggestConfigUpdatesArgs {
    /// Project root directory (default: the project)
    #[serde(rename = "projectRoot")]
    project_root: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<SuggestConfigUpdatesArgs>();

impl ToolDefinition for SuggestConfigUpdatesArgs {
    const SPEC: Spec = Spec {
        name: "suggest_config_updates",
        title: "Suggest configuration updates",
        description: "Compare the configuration with the frameworks and tools that the project uses",
        toolset: Toolset::Rules,
        group: None,
        effect: ToolEffect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: None,
    };

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let playbook = call.project().playbook();
        let suggestions = match playbook.suggest_config(self.project_root).await? {
            Outcome::NeedsApproval(request) => return Ok(ToolAnswer::NeedsApproval(request)),
            Outcome::Done(suggestions) => suggestions,
        };
        let suggestion = |suggestion: &ConfigSuggestion| {
            let mut shown = json!({ "field": suggestion.field, "reason": suggestion.reason });
            if let Some(current) = &suggestion.current {
                shown["currentValue"] = current.clone();
            }
            shown["suggestedValue"] = suggestion.suggested.clone();
            shown["priority"] = json!(suggestion.importance.as_str());
            shown
        };
        Ok(rules_reply(&json!({
            "isUpToDate": suggestions.is_empty(),
            "suggestions": suggestions.iter().map(suggestion).collect::<Vec<_>>(),
        })))
    }
}
