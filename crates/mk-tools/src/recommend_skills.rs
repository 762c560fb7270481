//! `recommend_skills`: which instructions fit what a person asked for.

use mk_playbook::{Needs, Recommendation};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{
    Context, Family, Hints, Run, Running, Schema, Tool, missing, parse, rules_reply,
};

pub(crate) static TOOL: Tool = Tool {
    name: "recommend_skills",
    title: "Recommend skills",
    description: "Skills that fit a prompt in any of nine languages, best first; none if none fits. Read one with get_skill",
    group: None,
    family: Family::Rules,
    hints: Hints::ReadOnly,
    paths: &[],
    input: Schema::of::<RecommendSkillsArgs>(),
    output: None,
    run: Run::Free(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct RecommendSkillsArgs {
    /// User prompt to analyze for skill recommendations
    prompt: String,
}

fn run<'a>(context: &'a Context<'a>, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let RecommendSkillsArgs { prompt } = parse(arguments)?;
        if prompt.trim().is_empty() {
            return Err(missing("prompt"));
        }
        let asked = prompt.clone();
        let recommended = context
            .engine
            .with_playbook(context.caller, Needs::Recommender, move |playbook| {
                Ok(playbook.recommend(&asked))
            })
            .await?;
        let shown = |it: &Recommendation| {
            json!({
                "skillName": it.skill,
                "confidence": it.confidence.as_str(),
                "matchedPatterns": it.matched,
                "description": it.description,
            })
        };
        Ok(rules_reply(&json!({
            "recommendations": recommended.iter().map(shown).collect::<Vec<_>>(),
            "originalPrompt": prompt,
        })))
    })
}
