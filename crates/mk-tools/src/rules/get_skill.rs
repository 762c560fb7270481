//! `get_skill`: how to do something, step by step.

use mk_engine::{BundledFile, Error, Skill, SkillFiles};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, not_found, rules_reply,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct GetSkillArgs {
    /// Name of the skill
    name: String,
}

pub(crate) static TOOL: Tool = Tool::of::<GetSkillArgs>();

impl ToolDefinition for GetSkillArgs {
    const SPEC: Spec = Spec {
        name: "get_skill",
        title: "Read a skill",
        description: "A skill's instructions and files",
        toolset: Toolset::Rules,
        group: None,
        effect: ToolEffect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: None,
    };

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let found = call.project().playbook().skill(self.name.clone()).await?;
        let missing = || not_found("Skill", &self.name, "list_skills shows all of them");
        let (skill, files) = found.ok_or_else(missing)?;
        Ok(rules_reply(&shown(&skill, &files)))
    }
}

fn shown(skill: &Skill, files: &SkillFiles) -> Value {
    let path = match &files.path {
        Some(path) => path.display().to_string(),
        None => skill.path.clone(),
    };
    let mut answer = json!({
        "name": skill.name,
        "description": skill.description,
        "content": skill.text,
        "path": path,
        "uri": files.uri,
        "allowedTools": skill.allowed_tools,
    });
    if !files.files.is_empty() {
        let file = |file: &BundledFile| json!({ "path": file.path, "uri": format!("{}/{}", files.folder_uri, file.path), "bytes": file.bytes });
        answer["files"] = files.files.iter().map(file).collect();
    }
    answer
}
