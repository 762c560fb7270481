//! `list_skills`: the skills there are.

use std::sync::Arc;

use mk_engine::{Error, Skill};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, rules_reply, source_of,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ListSkillsArgs {
    /// Lowest priority number to list
    #[serde(rename = "minPriority")]
    min_priority: Option<f64>,
    /// Highest priority number to list
    #[serde(rename = "maxPriority")]
    max_priority: Option<f64>,
    /// From nextOffset
    offset: Option<usize>,
}

/// Skills of one answer.
const PAGE: usize = 50;
/// Characters of a description; get_skill has all of it.
const BRIEF: usize = 160;

pub(crate) static TOOL: Tool = Tool::of::<ListSkillsArgs>();

impl ToolDefinition for ListSkillsArgs {
    const SPEC: Spec = Spec {
        name: "list_skills",
        title: "List the skills",
        description: "Skills, lowest (most important) number first, 50 a page",
        toolset: Toolset::Rules,
        group: None,
        effect: ToolEffect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: None,
    };

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let Self {
            min_priority,
            max_priority,
            offset,
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
                "description": brief(&skill.description),
                "concepts": concepts(skill),
                "source": source_of(skill.layer),
            })
        };
        let fitting: Vec<&Arc<Skill>> = skills.iter().filter(fits).collect();
        let offset = offset.unwrap_or(0);
        let page = fitting.iter().skip(offset).take(PAGE);
        let page: Vec<Value> = page.map(|it| skill(it)).collect();
        let reached = offset + page.len();
        let mut answer = json!({ "skills": page, "total": fitting.len() });
        if reached < fitting.len() {
            answer["nextOffset"] = json!(reached);
            answer["hint"] = json!("recommend_skills finds the one for a task");
        }
        Ok(rules_reply(&answer))
    }
}

/// What a skill does, without when to use it.
fn brief(description: &str) -> String {
    let first = description
        .split_once(". ")
        .map_or(description, |(first, _)| first);
    if first.chars().count() <= BRIEF {
        return first.to_owned();
    }
    let cut: String = first.chars().take(BRIEF).collect();
    let whole = cut
        .rsplit_once(' ')
        .map_or(cut.as_str(), |(whole, _)| whole);
    format!("{whole}…")
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
