//! `suggest_config_updates`: what the configuration does not say yet.

use mk_engine::{Error, Outcome};
use mk_playbook::{Needs, Playbook, Suggestion};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Answer, Context, Family, Hints, Run, Running, Schema, Tool, parse, rules_reply};

pub(crate) static TOOL: Tool = Tool {
    name: "suggest_config_updates",
    title: "Suggest configuration updates",
    description: "Compare the configuration with the frameworks and tools that the project uses",
    group: None,
    family: Family::Rules,
    hints: Hints::ReadOnly,
    paths: &[],
    input: Schema::of::<SuggestConfigUpdatesArgs>(),
    output: None,
    run: Run::Free(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SuggestConfigUpdatesArgs {
    /// Project root directory (default: the project)
    #[serde(rename = "projectRoot")]
    project_root: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let SuggestConfigUpdatesArgs { project_root } = parse(arguments)?;
        let suggestions = match project_root {
            None => {
                let suggest = |playbook: &Playbook| Ok(playbook.suggest_config()?);
                context
                    .engine
                    .with_playbook(context.caller, Needs::Files, suggest)
                    .await?
            }
            Some(folder) => match context.engine.admit(context.caller, &folder).await? {
                Outcome::NeedsApproval(question) => return Ok(Answer::NeedsApproval(question)),
                Outcome::Done(root) => context
                    .engine
                    .playbook_of(root)
                    .suggest_config()
                    .map_err(Error::from)?,
            },
        };
        let suggestion = |suggestion: &Suggestion| {
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
    })
}
