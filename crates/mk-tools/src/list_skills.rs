//! `list_skills`: the skills there are.

use std::sync::Arc;

use mk_playbook::{Needs, Skill};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{
    Context, Family, Hints, Run, Running, Schema, Tool, parse, rules_reply, source_of,
};

pub(crate) static TOOL: Tool = Tool {
    name: "list_skills",
    title: "List the skills",
    description: "All skills, most important first; lower numbers are more important",
    group: None,
    family: Family::Rules,
    hints: Hints::ReadOnly,
    paths: &[],
    input: Schema::of::<ListSkillsArgs>(),
    output: None,
    run: Run::Free(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ListSkillsArgs {
    /// Lowest priority number to list
    #[serde(rename = "minPriority")]
    min_priority: Option<f64>,
    /// Highest priority number to list
    #[serde(rename = "maxPriority")]
    max_priority: Option<f64>,
}

fn run<'a>(context: &'a Context<'a>, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let ListSkillsArgs {
            min_priority,
            max_priority,
        } = parse(arguments)?;
        let skills = context
            .engine
            .with_playbook(context.caller, Needs::Files, |playbook| {
                Ok(playbook.skills())
            })
            .await?;
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
    })
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
