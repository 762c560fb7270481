//! `get_onboarding`: what to learn about a project that nothing is known about yet.

use std::fmt::Write as _;

use mk_engine::Error;
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, code_answer,
};

const STEPS: &str = include_str!("../../../../content/onboarding.md");

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct GetOnboardingArgs {
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<GetOnboardingArgs>();

impl ToolDefinition for GetOnboardingArgs {
    const SPEC: Spec = Spec {
        name: "get_onboarding",
        title: "Onboarding",
        description: "What to learn about a new project and which memories to write",
        toolset: Toolset::Project,
        group: Some(Group::Read),
        effect: ToolEffect::ReadOnly,
        calls_per_minute: Some(10),
        paths: &[],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let names = call.project().memory_names(call.request).await?;
        let mut text = STEPS.to_owned();
        if !names.is_empty() {
            let _ = write!(
                text,
                "\nAlready written: {}. Read them first; write only what is missing or wrong.\n",
                names.join(", ")
            );
        }
        Ok(code_answer(text, json!({ "memories": names })))
    }
}
