//! One prompt a mode, named like it: what a person picks to put the agent into that mode.

use mk_types::ModeSlug;
use rmcp::ErrorData;
use rmcp::model::{
    GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role,
};

use crate::connection::Connection;
use crate::era::Era;
use crate::error;

pub(super) fn list(connection: &Connection, era: Era) -> Vec<Prompt> {
    let catalogue = connection
        .engine()
        .modes()
        .catalogue(&connection.caller(era));
    let task = PromptArgument::new("task")
        .with_description("What to do in this mode")
        .with_required(false);
    let prompt = |mode: &std::sync::Arc<mk_policy::Mode>| {
        let description = mode
            .description
            .clone()
            .or_else(|| mode.when_to_use.clone());
        let description = description.unwrap_or_else(|| format!("Work in {} mode", mode.slug));
        Prompt::new(
            mode.slug.as_str(),
            Some(description),
            Some(vec![task.clone()]),
        )
        .with_title(mode.name.clone())
    };
    catalogue.visible().map(prompt).collect()
}

pub(super) fn get(
    connection: &Connection,
    params: &GetPromptRequestParams,
    era: Era,
) -> Result<GetPromptResult, ErrorData> {
    let unknown = || error::unknown_prompt(&params.name, era);
    let caller = connection.caller(era);
    let slug = ModeSlug::parse(&params.name).map_err(|_| unknown())?;
    let mode = connection
        .engine()
        .modes()
        .get(&caller, "name", slug.as_str())
        .map_err(|_| unknown())?;
    let system = connection
        .engine()
        .modes()
        .system_prompt(&caller, &slug)
        .map_err(|_| unknown())?;
    let task = params
        .arguments
        .as_ref()
        .and_then(|arguments| arguments.get("task"));
    let task = task
        .and_then(serde_json::Value::as_str)
        .map(str::trim)
        .filter(|task| !task.is_empty());
    let mut text = format!(
        "Work in {name} mode from now on. Call `create_task` with mode_slug `{slug}` first \
         (or `switch_mode` if this task has a session), and pass its session_id to later calls.\n\n{system}",
        name = mode.name,
    );
    if let Some(task) = task {
        text.push_str("\n# Task\n\n");
        text.push_str(task);
        text.push('\n');
    }
    let mut result = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]);
    result.description = mode.description.clone();
    Ok(result)
}
