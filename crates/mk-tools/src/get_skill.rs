//! `get_skill`: how to do something, step by step.

use mk_playbook::Needs;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{
    Context, Family, Hints, Run, Running, Schema, Tool, not_found, parse, rules_reply,
};

pub(crate) static TOOL: Tool = Tool {
    name: "get_skill",
    title: "Read a skill",
    description: "The instructions of a skill, as recommend_skills or list_skills name it",
    group: None,
    family: Family::Rules,
    hints: Hints::ReadOnly,
    paths: &[],
    input: Schema::of::<GetSkillArgs>(),
    output: None,
    run: Run::Free(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct GetSkillArgs {
    /// Name of the skill
    name: String,
}

fn run<'a>(context: &'a Context<'a>, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let GetSkillArgs { name } = parse(arguments)?;
        let skill = context
            .engine
            .with_playbook(context.caller, Needs::Files, move |playbook| {
                playbook
                    .skill(&name)
                    .ok_or_else(|| not_found("Skill", &name, "list_skills shows all of them"))
            })
            .await?;
        Ok(rules_reply(&json!({
            "name": skill.name,
            "description": skill.description,
            "content": skill.text,
            "path": skill.path,
            "allowedTools": skill.allowed_tools,
        })))
    })
}
