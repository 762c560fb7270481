//! `get_skill`: how to do something, step by step.

use mk_engine::Error;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::tool::{Answer, Call, Definition, Effect, Spec, Tool, Toolset, not_found, rules_reply};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct GetSkillArgs {
    /// Name of the skill
    name: String,
}

pub(crate) static TOOL: Tool = Tool::of::<GetSkillArgs>();

impl Definition for GetSkillArgs {
    const SPEC: Spec = Spec {
        name: "get_skill",
        title: "Read a skill",
        description: "The instructions of a skill, as recommend_skills or list_skills name it",
        toolset: Toolset::Rules,
        group: None,
        effect: Effect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: None,
    };

    async fn run(self, call: Call<'_>) -> Result<Answer, Error> {
        let skill = call.project().playbook().skill(self.name.clone()).await?;
        let missing = || not_found("Skill", &self.name, "list_skills shows all of them");
        let skill = skill.ok_or_else(missing)?;
        Ok(rules_reply(&json!({
            "name": skill.name,
            "description": skill.description,
            "content": skill.text,
            "path": skill.path,
            "allowedTools": skill.allowed_tools,
        })))
    }
}
