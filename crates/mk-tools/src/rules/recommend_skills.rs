//! `recommend_skills`: which instructions fit what a person asked for.

use mk_engine::{Error, SkillRecommendation};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, missing, rules_reply,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct RecommendSkillsArgs {
    /// User prompt to analyze for skill recommendations
    prompt: String,
}

pub(crate) static TOOL: Tool = Tool::of::<RecommendSkillsArgs>();

impl ToolDefinition for RecommendSkillsArgs {
    const SPEC: Spec = Spec {
        name: "recommend_skills",
        title: "Recommend skills",
        description: "Skills that fit a prompt in nine languages, best first, if any. Read one with get_skill",
        toolset: Toolset::Rules,
        group: None,
        effect: ToolEffect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: None,
    };

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let Self { prompt } = self;
        if prompt.trim().is_empty() {
            return Err(missing("prompt"));
        }
        let playbook = call.project().playbook();
        let recommended = playbook.recommend_skills(prompt.clone()).await?;
        let shown = |it: &SkillRecommendation| {
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
    }
}
