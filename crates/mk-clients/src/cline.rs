//! Cline. `cancel` would end the whole run without a word to the model, so a call is refused by another that does no
//! harm, fails, and says why.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use crate::client::{Client, ClientId};
use crate::hook::{
    EventFields, HookAnswer, HookContract, HookDecision, HookError, HookEvent, HookMoment,
    HookVerdict, ToolUse, json_answer,
};
use crate::install::{ChangePurpose, InstallScope, SettingsChange, Setup, quoted};
use crate::settings::SettingsEdit;
use crate::shell::Shell;
use crate::tool::{ClientToolGroup, McpNames, SearchRow, ToolRow};

/// Rules of a project in one file, or in a directory of that name.
pub(crate) const RULES_FILE: &str = ".clinerules";

pub(crate) const CLIENT: Client = Client {
    programs: &["cline"],
    tested: Some("3.0.65"),
    tools: TOOLS,
    mcp_names: Some(McpNames {
        prefix: "",
        separator: "__",
    }),
    shell: Shell::Rewrite,
    rewrites_lines: true,
    held: "hook",
    open: &["if the hook fails, the call runs"],
    project_open: &["our MCP tools are not there: it has MCP servers of the user only"],
    changes: Some(changes),
    hook_contract: Some(&HookContract {
        parse,
        answer,
        refuse_unread,
    }),
    ..Client::new(ClientId::Cline, "cline", "Cline")
};

const TOOLS: &[ToolRow] = &[
    ToolRow::read("read_files", &["files.path"]),
    // Searches the whole workspace.
    ToolRow::read("search_codebase", &[]).searching(SearchRow::WHOLE),
    ToolRow::edit("editor", &["path"]),
    ToolRow::patch("apply_patch", &["input", "patch"]),
    ToolRow::command("run_commands", &["commands"]),
    ToolRow::browser("fetch_web_content"),
    ToolRow::harmless("ask_question"),
    ToolRow::harmless("attempt_completion"),
    ToolRow::harmless("skills"),
    ToolRow::modes("spawn_agent"),
    ToolRow::modes("team_spawn_teammate"),
    ToolRow::modes("team_run_task"),
    ToolRow::harmless("team_shutdown_teammate"),
    ToolRow::harmless("team_status"),
    ToolRow::harmless("team_task"),
    ToolRow::harmless("team_cancel_run"),
    ToolRow::harmless("team_list_runs"),
    ToolRow::harmless("team_await_runs"),
    ToolRow::harmless("team_send_message"),
    ToolRow::harmless("team_broadcast"),
    ToolRow::harmless("team_read_mailbox"),
    ToolRow::harmless("team_mission_log"),
    ToolRow::harmless("team_cleanup"),
    ToolRow::harmless("team_create_outcome"),
    ToolRow::harmless("team_attach_outcome_fragment"),
    ToolRow::harmless("team_review_outcome_fragment"),
    ToolRow::harmless("team_finalize_outcome"),
    ToolRow::harmless("team_list_outcomes"),
];

/// One shape for every event: `hookName` says which, and the tool stands in an object of its own.
fn parse(fields: &EventFields) -> Result<HookEvent, HookError> {
    let name = fields.required("hookName")?;
    let moment = match name.as_str() {
        "tool_call" => HookMoment::BeforeTool(tool_use(fields, "tool_call")?),
        "tool_result" => HookMoment::AfterTool(tool_use(fields, "tool_result")?),
        "agent_start" | "agent_resume" => HookMoment::SessionStart {
            source: Some(name.clone()),
        },
        "prompt_submit" => HookMoment::Prompt {
            text: fields
                .value("userPromptSubmit")
                .and_then(|prompt| prompt.get("prompt")?.as_str())
                .unwrap_or_default()
                .to_owned(),
        },
        _ => HookMoment::Other,
    };
    let nested =
        |object: &str, key: &str| Some(fields.value(object)?.get(key)?.as_str()?.to_owned());
    let root = fields
        .value("workspaceRoots")
        .and_then(|roots| roots.get(0)?.as_str());
    let mut event = fields.event(name, moment);
    event.conversation =
        nested("sessionContext", "rootSessionId").or_else(|| fields.text(&["taskId"]));
    // The parent is the same conversation.
    event.agent = fields
        .text(&["parent_agent_id"])
        .and_then(|_| fields.text(&["agent_id"]));
    event.cwd = root.map(Into::into);
    Ok(event)
}

fn tool_use(fields: &EventFields, object: &'static str) -> Result<ToolUse, HookError> {
    let missing = HookError::Missing { field: object };
    let Some(call) = fields.value(object) else {
        return Err(missing);
    };
    let Some(name) = call.get("name").and_then(Value::as_str) else {
        return Err(missing);
    };
    let input = call.get("input").cloned().unwrap_or(Value::Null);
    let mut tool_use = ToolUse::new(fields.client, name, input);
    tool_use.id = call.get("id").and_then(Value::as_str).map(str::to_owned);
    Ok(tool_use)
}

fn answer(event: &HookEvent, verdict: &HookVerdict) -> HookAnswer {
    let mut output = Map::new();
    let mut context = verdict.context.clone();
    if let HookMoment::BeforeTool(tool) = &event.moment {
        match &verdict.decision {
            HookDecision::Pass => {}
            HookDecision::Deny { reason } => {
                output = denial(tool, reason);
                context = Some(match context {
                    Some(context) => format!("{reason}\n\n{context}"),
                    None => reason.clone(),
                });
            }
            HookDecision::Rewrite { input } => {
                output.insert("overrideInput".to_owned(), input.clone());
            }
        }
    }
    if let Some(context) = context {
        output.insert("contextModification".to_owned(), json!(context));
    }
    if output.is_empty() {
        return HookAnswer::silence();
    }
    json_answer(&output.into())
}

/// A call that fails with the reason where the tool has one; otherwise the end of the run, which lets nothing happen.
fn denial(tool: &ToolUse, reason: &str) -> Map<String, Value> {
    let harmless = match (tool.group(), tool.name.to_ascii_lowercase().as_str()) {
        (Some(ClientToolGroup::Command), _) => {
            Some(json!({ "commands": [failing_command(reason)] }))
        }
        (_, "editor") => replaced(&tool.input, "path", json!(nowhere(reason))),
        (_, "apply_patch") => Some(json!({ "input": reason })),
        (_, "read_files") => Some(json!({ "files": [{ "path": nowhere(reason) }] })),
        (_, "search_codebase") => Some(json!({ "queries": [matching_nothing(reason)] })),
        _ => None,
    };
    match harmless {
        Some(input) => Map::from_iter([("overrideInput".to_owned(), input)]),
        None => Map::from_iter([
            ("cancel".to_owned(), json!(true)),
            ("errorMessage".to_owned(), json!(reason)),
        ]),
    }
}

fn failing_command(reason: &str) -> String {
    let quoted = reason.replace('\'', r"'\''");
    format!("printf '%s\\n' '{quoted}' >&2; exit 1")
}

fn replaced(input: &Value, key: &str, value: Value) -> Option<Value> {
    let mut input = input.as_object()?.clone();
    input.insert(key.to_owned(), value);
    Some(Value::Object(input))
}

/// A pattern that no text matches. The client shows it to the model.
fn matching_nothing(reason: &str) -> String {
    let readable = |it: char| if it.is_alphanumeric() { it } else { ' ' };
    let reason: String = reason.chars().map(readable).take(180).collect();
    format!("(?!){reason}")
}

/// A path that cannot exist, because it leads through a device. The client shows it to the model.
fn nowhere(reason: &str) -> String {
    let readable = |it: char| {
        if it == '/' || it.is_control() {
            ' '
        } else {
            it
        }
    };
    let reason: String = reason.chars().map(readable).take(180).collect();
    format!("/dev/null/{reason}")
}

/// About a call that could not be read nothing harmless can be said: the run ends.
fn refuse_unread(reason: &str) -> HookAnswer {
    json_answer(&json!({ "cancel": true, "errorMessage": reason }))
}

fn changes(setup: &Setup) -> Vec<SettingsChange> {
    let directory: PathBuf = setup.home.join(".cline");
    let hooks = match setup.scope {
        InstallScope::User => directory.join("hooks"),
        InstallScope::Project => setup.project.join(".cline/hooks"),
    };
    let mut transport = setup.mcp_entry();
    transport["type"] = json!("stdio");
    let entry = json!({ "transport": transport });
    let script = format!(
        "#!/bin/sh\n# Written by Modekeeper.\nexec {} hook {}\n",
        quoted(&setup.program),
        CLIENT.slug
    );
    let hook = SettingsChange::script(ChangePurpose::Hook, hooks.join("PreToolUse"), script);
    if setup.scope == InstallScope::Project {
        return vec![hook];
    }
    let servers = SettingsChange::json(
        ChangePurpose::Mcp,
        directory.join("data/settings/cline_mcp_settings.json"),
        vec![SettingsEdit::put(&["mcpServers", "modekeeper"], entry)],
    );
    vec![servers, hook]
}
