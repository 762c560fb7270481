//! Copilot CLI. A plain `allow` beats even the user's `--deny-tool`, so letting pass is `{}`.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::client::{Client, ClientId};
use crate::hook::{
    EventFields, HookAnswer, HookContract, HookDecision, HookError, HookEvent, HookMoment,
    HookVerdict, answer_claude_shape, json_answer, parse_claude_shape,
};
use crate::install::{ChangePurpose, HOOK_SECONDS, InstallScope, SettingsChange, Setup};
use crate::settings::SettingsEdit;
use crate::shell::Shell;
use crate::tool::{McpNames, SearchRow, ToolRow};
use crate::trust::{ProjectTrust, TrustPlace, TrustQuestion};

pub(crate) const CLIENT: Client = Client {
    aliases: &["copilot-cli"],
    programs: &["copilot"],
    tested: Some("1.0.102"),
    session_variables: &["COPILOT_AGENT_SESSION_ID"],
    tools: TOOLS,
    mcp_names: Some(McpNames {
        prefix: "",
        separator: "-",
    }),
    shell: Shell::BashEnvByStart,
    rewrites_lines: true,
    held: "hook",
    open: &["if the hook takes too long or prints no JSON, the call runs"],
    project_open: &[
        "where you have not trusted the project's directory in Copilot, the hook does not run",
        "our MCP tools are not there: it has MCP servers of the user only",
    ],
    project_trust: Some(&ProjectTrust {
        files: trust_files,
        is_trusted,
        advice: "start `copilot` here and trust the directory for future sessions",
    }),
    changes: Some(changes),
    hook_contract: Some(&HookContract {
        parse,
        answer,
        refuse_unread,
    }),
    ..Client::new(ClientId::Copilot, "copilot", "Copilot CLI")
};

const RIPGREP: SearchRow = SearchRow {
    file_type: Some("type"),
    ..SearchRow::ripgrep(&["glob"])
};

const TOOLS: &[ToolRow] = &[
    ToolRow::read("view", &["path"]),
    ToolRow::read("glob", &["paths", "path"]),
    ToolRow::read("grep", &["paths", "path"]).searching(RIPGREP),
    ToolRow::read("rg", &["paths", "path"]).searching(RIPGREP),
    ToolRow::read("semantic_code_search", &[]),
    ToolRow::edit("create", &["path"]),
    ToolRow::edit("edit", &["path"]),
    // Its arguments are a plain text.
    ToolRow::patch("apply_patch", &["input", "patch"]),
    ToolRow::command("bash", &["command"]),
    ToolRow::command("write_bash", &["input"]).typed(),
    ToolRow::harmless("read_bash"),
    ToolRow::harmless("list_bash"),
    ToolRow::harmless("stop_bash"),
    ToolRow::browser("web_fetch"),
    ToolRow::browser("web_search"),
    ToolRow::modes("task"),
    ToolRow::modes("write_agent"),
    // The client's own database.
    ToolRow::harmless("sql"),
    ToolRow::harmless("session_store_sql"),
    ToolRow::harmless("fetch_copilot_cli_documentation"),
    ToolRow::harmless("skill"),
    ToolRow::harmless("read_agent"),
    ToolRow::harmless("list_agents"),
    ToolRow::harmless("report_intent"),
    ToolRow::harmless("update_todo"),
    ToolRow::harmless("ask_user"),
    ToolRow::harmless("exit_plan_mode"),
    // The names that it gives its tools when it runs the hooks of a project's Claude settings, with its own arguments.
    ToolRow::read("Read", &["path", "file_path"]),
    ToolRow::edit("Write", &["path", "file_path"]),
    ToolRow::browser("WebFetch"),
    ToolRow::browser("WebSearch"),
    ToolRow::harmless("TodoWrite"),
];

/// Its own shape names no event: what is in it tells.
fn parse(fields: &EventFields) -> Result<HookEvent, HookError> {
    if fields.event_name().is_some() {
        return parse_claude_shape(fields);
    }
    let (name, moment) = if fields.has("toolResult") {
        ("postToolUse", HookMoment::AfterTool(tool_use(fields)?))
    } else if fields.has("toolName") {
        ("preToolUse", HookMoment::BeforeTool(tool_use(fields)?))
    } else if fields.has("prompt") {
        let text = fields.text(&["prompt"]).unwrap_or_default();
        ("userPromptSubmitted", HookMoment::Prompt { text })
    } else if fields.has("source") || fields.has("initialPrompt") {
        let source = fields.text(&["source"]);
        ("sessionStart", HookMoment::SessionStart { source })
    } else {
        ("", HookMoment::Other)
    };
    let mut event = fields.event(name.to_owned(), moment);
    event.agent = fields.text(&["agentId"]);
    event.parent = fields.text(&["parentAgentId"]);
    Ok(event)
}

fn tool_use(fields: &EventFields) -> Result<crate::ToolUse, HookError> {
    fields.tool_use("toolName", "toolArgs", &["toolCallId", "toolUseId"])
}

fn answer(event: &HookEvent, verdict: &HookVerdict) -> HookAnswer {
    // The hooks of a project's Claude settings are answered in Claude's shape.
    if event.name.starts_with(char::is_uppercase) {
        let answer = answer_claude_shape(event, verdict);
        return if answer.stdout.is_empty() {
            json_answer(&json!({}))
        } else {
            answer
        };
    }
    let mut output = Map::new();
    if matches!(event.moment, HookMoment::BeforeTool(_)) {
        match &verdict.decision {
            HookDecision::Pass => {}
            HookDecision::Deny { reason } => {
                output.insert("permissionDecision".to_owned(), json!("deny"));
                output.insert("permissionDecisionReason".to_owned(), json!(reason));
            }
            // Without a decision, so that the client still asks.
            HookDecision::Rewrite { input } => {
                output.insert("modifiedArgs".to_owned(), input.clone());
            }
        }
    }
    if let Some(context) = &verdict.context {
        output.insert("additionalContext".to_owned(), json!(context));
    }
    json_answer(&output.into())
}

fn refuse_unread(reason: &str) -> HookAnswer {
    json_answer(&json!({ "permissionDecision": "deny", "permissionDecisionReason": reason }))
}

pub(crate) const DIRECTORY_VARIABLE: &str = "COPILOT_HOME";

/// Our MCP server as it takes it.
pub(crate) fn server(setup: &Setup) -> Value {
    let mut entry = setup.mcp_entry();
    entry["type"] = json!("local");
    entry["tools"] = json!(["*"]);
    entry
}

/// It keeps the list in the first, and its help names it among the keys of the second.
fn trust_files(place: &TrustPlace<'_>) -> Vec<PathBuf> {
    let directory = place.setup.directory(DIRECTORY_VARIABLE, ".copilot");
    ["config.json", "settings.json"]
        .map(|name| directory.join(name))
        .into()
}

fn is_trusted(question: &TrustQuestion<'_>) -> bool {
    let lists = (0..2).filter_map(|it| question.json(it));
    let mut lists =
        lists.flat_map(|file| ["trustedFolders", "trusted_folders"].map(|key| file[key].clone()));
    lists.any(|list| {
        let mut trusted = list
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        trusted.any(|path| question.is_in(Path::new(path)))
    })
}

fn changes(setup: &Setup) -> Vec<SettingsChange> {
    let directory = setup.directory(DIRECTORY_VARIABLE, ".copilot");
    let hooks = match setup.scope {
        InstallScope::User => directory.join("hooks/modekeeper.json"),
        // Read only in a directory that the user has trusted.
        InstallScope::Project => setup.project.join(".github/hooks/modekeeper.json"),
    };
    let entry = server(setup);
    let command = json!({ "type": "command", "bash": setup.hook_line(CLIENT.id), "timeoutSec": HOOK_SECONDS });
    let file = json!({ "version": 1, "hooks": {
        "preToolUse": [command], "userPromptSubmitted": [command], "sessionStart": [command],
    }});
    let hook = SettingsChange::whole(ChangePurpose::Hook, hooks, format!("{file:#}\n"));
    if setup.scope == InstallScope::Project {
        return vec![hook];
    }
    let mut changes = vec![
        SettingsChange::json(
            ChangePurpose::Mcp,
            directory.join("mcp-config.json"),
            vec![SettingsEdit::put(&["mcpServers", "modekeeper"], entry)],
        ),
        hook,
    ];
    if setup.shell.is_some() {
        changes.push(
            SettingsChange::json(
                ChangePurpose::Shell,
                directory.join("settings.json"),
                vec![SettingsEdit::claim(&["bashEnv"], json!(true))],
            )
            .kept_by_client(),
        );
    }
    changes
}
