//! `list_skills`: the skills there are.

use std::sync::Arc;

use mk_engine::{Error, Skill};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Answer, Call, Definition, Effect, Spec, Tool, Toolset, rules_reply, source_of};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ListSkillsArgs {
    /// Lowest priority number to list
    #[serde(rename = "minPriority")]
    min_priority: Option<f64>,
    /// Highest priority number to list
    #[serde(rename = "maxPriority")]
    max_priority: Option<f64>,
}

pub(crate) static TOOL: Tool = Tool::of::<ListSkillsArgs>();

impl Definition for ListSkillsArgs {
    const SPEC: Spec = Spec {
        name: "list_skills",
        title: "List the skills",
        description: "All skills, most important first; lower numbers are more important",
        toolset: Toolset::Rules,
        group: None,
        effect: Effect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: None,
    };

    async fn run(self, call: Call<'_>) -> Result<Answer, Error> {
        let Self {
            min_priority,
            max_priority,
        } = self;
        let skills = call.project().playbook().skills().await?;
        let fits = |skill: &&Arc<Skill>| {
            let priority = f64::from(skill.priority);
            min_priority.is_none_or(|least| priority >= least)
                && max_priority.is_none_or(|most| priority <= most)
        };
        let skill = |skill: &Arc<Skill>| {
            json!({
                "name": skill.name,
                "priority": skill.priority,
                "description": skill.description,
                "concepts": concepts(skill),
                "source": source_of(skill.layer),
            })
        };
        let skills: Vec<Value> = skills.iter().filter(fits).map(skill).collect();
        Ok(rules_reply(
            &json!({ "skills": skills, "total": skills.len() }),
        ))
    }
}

/// What a skill is about, as its author put it.
fn concepts(skill: &Skill) -> Vec<&str> {
    let given = skill.metadata.iter().find(|(key, _)| key == "concepts");
    let given = given.map_or("", |(_, concepts)| concepts);
    given
        .split(',')
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .collect()
}
