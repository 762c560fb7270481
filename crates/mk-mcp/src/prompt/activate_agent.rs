//! `activate_agent`: become one of the team's agents, with what is known of the project.

use std::fmt::Write as _;

use mk_engine::{AgentDefinition, AgentIntroduction, PlaybookConfig};
use rmcp::ErrorData;
use rmcp::model::{
    GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role,
};
use serde_json::Value;

use crate::connection::Connection;
use crate::era::Era;
use crate::error;

pub(super) const NAME: &str = "activate_agent";
/// Enough of the core rules to know them by; the rest is a resource away.
const CORE_EXCERPT: usize = 1000;

pub(super) fn describe() -> Prompt {
    let role = PromptArgument::new("role")
        .with_description("Role name, such as frontend-developer or code-reviewer")
        .with_required(true);
    let description = "Activate a specific specialist agent with project context";
    Prompt::new(NAME, Some(description), Some(vec![role])).with_title("Activate an agent")
}

pub(super) async fn get(
    connection: &Connection,
    params: &GetPromptRequestParams,
    era: Era,
) -> Result<GetPromptResult, ErrorData> {
    let role = params
        .arguments
        .as_ref()
        .and_then(|arguments| arguments.get("role"))
        .and_then(Value::as_str)
        .map(str::trim)
        .filter(|role| !role.is_empty());
    let Some(role) = role.map(str::to_owned) else {
        return Err(error::invalid_params("Missing required parameter: role"));
    };
    let caller = connection.caller(era);
    let playbook = connection.engine().project(&caller).playbook();
    let introduced = playbook.introduce(role).await;
    let introduced = introduced.map_err(|refusal| error::unknown_role(&refusal))?;
    let text = activate(&introduced);
    let mut result = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]);
    result.description = Some(introduced.agent.description.clone());
    Ok(result)
}

fn activate(introduced: &AgentIntroduction) -> String {
    let mut text = introduction(&introduced.agent);
    let context = project_context(&introduced.config);
    if !context.is_empty() {
        let _ = write!(text, "\n\nProject Context:{context}");
    }
    if let Some(core) = &introduced.core {
        let excerpt: String = core.text.chars().take(CORE_EXCERPT).collect();
        let _ = write!(text, "\n\nCore Rules Context:\n{}", excerpt.trim_end());
        if excerpt.len() < core.text.len() {
            let _ = write!(text, "\n… the rest is at rules://{}", core.path);
        }
    }
    text
}

fn introduction(agent: &AgentDefinition) -> String {
    let mut text = format!(
        "Activate Agent: {}\n\nDescription: {}\n\nRole: {}",
        agent.name, agent.description, agent.title
    );
    if !agent.expertise.is_empty() {
        let _ = write!(text, "\nExpertise: {}", agent.expertise.join(", "));
    }
    if !agent.responsibilities.is_empty() {
        let _ = write!(
            text,
            "\n\nGoals:\n- {}",
            agent.responsibilities.join("\n- ")
        );
    }
    if let Some(instructions) = &agent.instructions {
        let _ = write!(text, "\n\n{instructions}");
    }
    text
}

/// One line for each thing that the configuration says.
fn project_context(config: &PlaybookConfig) -> String {
    let mut lines = String::new();
    let mut line = |title: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            let _ = write!(lines, "\n- {title}: {value}");
        }
    };
    let text = |path: &[&str]| config.text(path).map(str::to_owned);
    line("Project", text(&["projectName"]));
    line("Description", text(&["description"]));
    line("Response Language", text(&["language"]));
    let stack = [
        ("Frontend", "frontend"),
        ("Backend", "backend"),
        ("Languages", "languages"),
        ("Database", "database"),
    ];
    let stack: Vec<String> = stack
        .iter()
        .map(|(title, key)| (title, config.texts(&["techStack", key])))
        .filter(|(_, names)| !names.is_empty())
        .map(|(title, names)| format!("{title}: {}", names.join(", ")))
        .collect();
    line("Tech Stack", Some(stack.join("; ")));
    line("Architecture", text(&["architecture", "pattern"]));
    line("Test Strategy", text(&["testStrategy", "approach"]));
    line("Code Style", text(&["conventions", "style"]));
    lines
}
