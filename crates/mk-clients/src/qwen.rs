//! Qwen Code: Claude's shape. `updatedInput` is ignored although it is documented, so a call is never rewritten.
//!
//! Under ACP it asks its user before it calls the hook, and a refusal of the user ends the turn; a refusal by
//! `PermissionRequest` does not, and the model hears its reason.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::client::{Client, ClientId};
use crate::hook::{
    EventFields, HookAnswer, HookContract, HookDecision, HookError, HookEvent, HookMoment,
    HookVerdict, answer_claude_shape, json_answer, parse_claude_shape, refuse_claude_shape,
    tool_use,
};
use crate::install::{
    ChangePurpose, FloorEdits, HOOK_SECONDS, InstallScope, SettingsChange, Setup,
};
use crate::settings::{JsonReading, SettingsEdit};
use crate::shell::Shell;
use crate::tool::{McpNames, SearchRow, ToolRow};
use crate::trust::{ProjectTrust, TrustPlace, TrustQuestion};

pub(crate) const CLIENT: Client = Client {
    aliases: &["qwen-code"],
    programs: &["qwen"],
    tested: Some("0.24.4"),
    session_variables: &["QWEN_CODE_SESSION_ID"],
    tools: TOOLS,
    mcp_names: Some(McpNames {
        prefix: "mcp__",
        separator: "__",
    }),
    shell: Shell::BashEnvByStart,
    held: "hook",
    open: &[],
    without_floor: Some((
        "if the hook fails or is not found, the call runs",
        "its own rules",
    )),
    json: JsonReading::Comments,
    project_open: &[
        "where you have asked Qwen Code to trust directories (`security.folderTrust`) and not this one, the hook does not run",
    ],
    project_trust: Some(&ProjectTrust {
        files: trust_files,
        is_trusted,
        advice: "start `qwen` here and trust the directory",
    }),
    changes: Some(changes),
    hook_contract: Some(&HookContract {
        parse,
        answer,
        refuse_unread,
    }),
    ..Client::new(ClientId::Qwen, "qwen", "Qwen Code")
};

const TOOLS: &[ToolRow] = &[
    ToolRow::read("read_file", &["file_path"]),
    ToolRow::read("read_many_files", &["paths"]).searching(SearchRow {
        globs: &["paths"],
        ..SearchRow::WHOLE
    }),
    ToolRow::read("list_directory", &["path"]),
    ToolRow::read("glob", &["path"]),
    ToolRow::read("grep_search", &["path"]).searching(SearchRow::ripgrep(&["glob"])),
    ToolRow::read("zoom_image", &["file_path"]),
    ToolRow::mcp("read_mcp_resource"),
    ToolRow::edit("edit", &["file_path"]),
    ToolRow::edit("write_file", &["file_path"]),
    ToolRow::edit("notebook_edit", &["notebook_path"]),
    ToolRow::command("run_shell_command", &["command"]).in_directory("directory"),
    ToolRow::command("monitor", &["command"]).in_directory("directory"),
    ToolRow::command("enter_worktree", &[]),
    ToolRow::command("exit_worktree", &[]),
    ToolRow::browser("web_fetch"),
    ToolRow::browser("web_search"),
    ToolRow::modes("agent"),
    ToolRow::modes("send_message"),
    // The hook sees the inner tool.
    ToolRow::harmless("tool_call"),
    // Registers a file that is there.
    ToolRow::harmless("record_artifact").with_paths(&["workspacePath"]),
    ToolRow::harmless("skill"),
    ToolRow::harmless("todo_write"),
    ToolRow::harmless("tool_search"),
    ToolRow::harmless("get_goal"),
    ToolRow::harmless("update_goal"),
    ToolRow::harmless("list_agents"),
    ToolRow::harmless("cron_create"),
    ToolRow::harmless("cron_delete"),
    ToolRow::harmless("cron_list"),
    ToolRow::harmless("loop_wakeup"),
    ToolRow::harmless("report_findings"),
    ToolRow::harmless("task_stop"),
    ToolRow::harmless("exit_plan_mode"),
];

const PERMISSION: &str = "PermissionRequest";

fn parse(fields: &EventFields) -> Result<HookEvent, HookError> {
    let mut event = parse_claude_shape(fields)?;
    if event.name == PERMISSION {
        event.moment = HookMoment::Permission(tool_use(fields)?);
    }
    Ok(event)
}

fn answer(event: &HookEvent, verdict: &HookVerdict) -> HookAnswer {
    match (&event.moment, &verdict.decision) {
        (HookMoment::Permission(_), HookDecision::Deny { reason }) => {
            let decision = json!({ "behavior": "deny", "message": reason });
            json_answer(&json!({
                "hookSpecificOutput": { "hookEventName": PERMISSION, "decision": decision },
            }))
        }
        (HookMoment::Permission(_), _) => HookAnswer::silence(),
        _ => answer_claude_shape(event, verdict),
    }
}

fn refuse_unread(reason: &str) -> HookAnswer {
    refuse_claude_shape(reason).and_blocked(reason)
}

pub(crate) const TRUST_FILE_VARIABLE: &str = "QWEN_CODE_TRUSTED_FOLDERS_PATH";

/// As Gemini's, out of which it has grown.
fn trust_files(place: &TrustPlace<'_>) -> Vec<PathBuf> {
    let directory = place.setup.home.join(".qwen");
    let rules = place.variable(TRUST_FILE_VARIABLE).map(PathBuf::from);
    vec![
        directory.join("settings.json"),
        PathBuf::from(SYSTEM_SETTINGS),
        rules.unwrap_or_else(|| directory.join("trustedFolders.json")),
    ]
}

const SYSTEM_SETTINGS: &str = match cfg!(target_os = "macos") {
    true => "/Library/Application Support/QwenCode/settings.json",
    false => "/etc/qwen-code/settings.json",
};

/// Unlike Gemini it trusts everything until it is told to ask.
fn is_trusted(question: &TrustQuestion<'_>) -> bool {
    question.is_switched_on(0..2) != Some(true) || question.longest_rule(2)
}

fn changes(setup: &Setup) -> Vec<SettingsChange> {
    let settings = match setup.scope {
        InstallScope::User => setup.home.join(".qwen/settings.json"),
        InstallScope::Project => setup.project.join(".qwen/settings.json"),
    };
    let mut entry = setup.mcp_entry();
    entry["trust"] = json!(true);
    let mut changes = vec![
        SettingsChange::json(
            ChangePurpose::Mcp,
            settings.clone(),
            vec![SettingsEdit::put(&["mcpServers", "modekeeper"], entry)],
        ),
        SettingsChange::json(
            ChangePurpose::Hook,
            settings.clone(),
            ["PreToolUse", PERMISSION, "UserPromptSubmit", "SessionStart"]
                .map(|event| SettingsEdit::add(&["hooks", event], hook(setup)))
                .into(),
        ),
    ];
    if let Some(floor) = &setup.floor {
        let mut denied = Vec::new();
        if floor.edits == FloorEdits::Nothing {
            denied.extend(["Edit", "WriteFile", "NotebookEdit"]);
        }
        if !floor.runs_commands {
            denied.push("Bash");
        }
        let edits: Vec<_> = denied
            .into_iter()
            .map(|tool| SettingsEdit::add(&["permissions", "deny"], json!(tool)))
            .collect();
        if !edits.is_empty() {
            let purpose = ChangePurpose::Policy;
            changes.push(SettingsChange::json(purpose, settings, edits));
        }
    }
    changes
}

fn hook(setup: &Setup) -> Value {
    // From 1000 on it takes the number for milliseconds.
    json!({ "hooks": [{
        "type": "command", "command": setup.hook_line(CLIENT.id), "timeout": HOOK_SECONDS,
    }]})
}
