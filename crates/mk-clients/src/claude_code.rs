//! Claude Code. Run at the version below; facts that were only read say so.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Client, ClientId};
use crate::hook::{
    EventFields, HookAnswer, HookContract, HookError, HookEvent, HookMoment, answer_claude_shape,
    parse_claude_shape, refuse_claude_shape,
};
use crate::install::{
    ChangePurpose, ClientFloor, FloorEdits, HOOK_SECONDS, InstallScope, SettingsChange, Setup,
};
use crate::settings::{JsonReading, SettingsEdit};
use crate::shell::Shell;
use crate::tool::{McpNames, McpTool, SearchRow, ToolRow};

/// What it calls itself over MCP.
pub(crate) const MCP_NAME: &str = "claude-code";

pub(crate) const CLIENT: Client = Client {
    aliases: &["claude"],
    programs: &["claude"],
    tested: Some("2.1.325"),
    session_variables: &["CLAUDE_CODE_SESSION_ID"],
    tools: TOOLS,
    mcp_names: Some(McpNames {
        prefix: "mcp__",
        separator: "__",
    }),
    shell: Shell::Prefix(PREFIX_VARIABLE),
    held: "hook, blocking when it fails",
    open: &["files named with @ in a prompt: its own Read(...) rules hold those"],
    json: JsonReading::Plain,
    changes: Some(changes),
    hook_contract: Some(&HookContract {
        parse,
        answer: answer_claude_shape,
        refuse_unread,
    }),
    ..Client::new(ClientId::ClaudeCode, "claude-code", "Claude Code")
};

const TOOLS: &[ToolRow] = &[
    ToolRow::read("Read", &["file_path"]),
    // Glob and Grep are offered when Bash is denied by a rule. Without `path` they search the working directory.
    ToolRow::read("Glob", &["path"]),
    ToolRow::read("LS", &["path"]),
    ToolRow::read("NotebookRead", &["notebook_path"]),
    ToolRow::read("Grep", &["path"]).searching(SearchRow {
        splits_globs: true,
        file_type: Some("type"),
        ..SearchRow::ripgrep(&["glob"])
    }),
    ToolRow::edit("Edit", &["file_path"]),
    ToolRow::edit("MultiEdit", &["file_path"]),
    ToolRow::edit("Write", &["file_path"]),
    ToolRow::edit("NotebookEdit", &["notebook_path"]),
    ToolRow::command("Bash", &["command"]),
    // A background shell.
    ToolRow::command("Monitor", &["command"]),
    // Make or enter a git worktree, leave or delete it.
    ToolRow::command("EnterWorktree", &[]).with_paths(&["path"]),
    ToolRow::command("ExitWorktree", &[]),
    ToolRow::browser("WebFetch"),
    ToolRow::browser("WebSearch"),
    ToolRow::modes("Agent"),
    ToolRow::modes("Task"),
    ToolRow::modes("Workflow"),
    ToolRow::modes("SendMessage"),
    ToolRow::harmless("TaskStop"),
    // What other versions call the tools that look at a background shell and end it.
    ToolRow::harmless("BashOutput"),
    ToolRow::harmless("KillShell"),
    ToolRow::harmless("KillBash"),
    ToolRow::harmless("TaskOutput"),
    ToolRow::harmless("ListAgents"),
    ToolRow::harmless("ReportFindings"),
    ToolRow::harmless("Skill"),
    ToolRow::harmless("TodoWrite"),
    ToolRow::harmless("TaskCreate"),
    ToolRow::harmless("TaskGet"),
    ToolRow::harmless("TaskList"),
    ToolRow::harmless("TaskUpdate"),
    ToolRow::harmless("AskUserQuestion"),
    ToolRow::harmless("EnterPlanMode"),
    ToolRow::harmless("ExitPlanMode"),
    ToolRow::harmless("ListMcpResources"),
    ToolRow::harmless("ListMcpResourcesTool"),
    ToolRow::mcp("ReadMcpResource"),
    ToolRow::mcp("ReadMcpResourceTool"),
    ToolRow::harmless("ToolSearch"),
    ToolRow::harmless("DeferredToolPlaceholder"),
    ToolRow::harmless("ScheduleWakeup"),
    // A later prompt.
    ToolRow::harmless("CronCreate"),
    ToolRow::harmless("CronDelete"),
    ToolRow::harmless("CronList"),
];

fn parse(fields: &EventFields) -> Result<HookEvent, HookError> {
    let mut event = parse_claude_shape(fields)?;
    // The event names the server apart from the name, which may split in several ways.
    let server = fields
        .value("mcp_server")
        .and_then(|server| server.get("name")?.as_str());
    if let (HookMoment::BeforeTool(tool) | HookMoment::AfterTool(tool), Some(server)) =
        (&mut event.moment, server)
    {
        let name = tool
            .name
            .strip_prefix("mcp__")
            .and_then(|rest| rest.strip_prefix(server))
            .and_then(|rest| rest.strip_prefix("__"));
        if let Some(name) = name {
            tool.mcp = Some(McpTool {
                server: server.to_owned(),
                tool: name.to_owned(),
            });
        }
    }
    Ok(event)
}

/// Exit code 2 blocks even where the answer is not read.
fn refuse_unread(reason: &str) -> HookAnswer {
    refuse_claude_shape(reason).and_blocked(reason)
}

pub(crate) const PREFIX_VARIABLE: &str = "CLAUDE_CODE_SHELL_PREFIX";
pub(crate) const DIRECTORY_VARIABLE: &str = "CLAUDE_CONFIG_DIR";

fn changes(setup: &Setup) -> Vec<SettingsChange> {
    let moved = setup.directory(DIRECTORY_VARIABLE, ".claude");
    let settings = match setup.scope {
        InstallScope::User => moved.join("settings.json"),
        // Not the shared file: the path of the binary is this machine's.
        InstallScope::Project => setup.project.join(".claude/settings.local.json"),
    };
    let mut changes = vec![
        server_change(setup, &moved),
        SettingsChange::json(
            ChangePurpose::Mcp,
            settings.clone(),
            vec![SettingsEdit::add(
                &["permissions", "allow"],
                json!("mcp__modekeeper"),
            )],
        ),
        SettingsChange::json(
            ChangePurpose::Hook,
            settings.clone(),
            vec![
                SettingsEdit::add(&["hooks", "PreToolUse"], hook(setup, Some("block"))),
                SettingsEdit::add(&["hooks", "UserPromptSubmit"], hook(setup, None)),
                SettingsEdit::add(&["hooks", "SessionStart"], hook(setup, None)),
            ],
        ),
    ];
    let denied = setup.floor.as_ref().map(denied_tools).unwrap_or_default();
    if !denied.is_empty() {
        let edits = denied
            .into_iter()
            .map(|tool| SettingsEdit::add(&["permissions", "deny"], json!(tool)));
        changes.push(SettingsChange::json(
            ChangePurpose::Policy,
            settings.clone(),
            edits.collect(),
        ));
    }
    if let Some(shell) = &setup.shell {
        let prefix = json!(shell.prefix.display().to_string());
        changes.push(SettingsChange::json(
            ChangePurpose::Shell,
            settings,
            vec![SettingsEdit::claim(&["env", PREFIX_VARIABLE], prefix)],
        ));
    }
    changes
}

fn server_change(setup: &Setup, moved: &Path) -> SettingsChange {
    let mut entry = setup.mcp_entry();
    entry["type"] = json!("stdio");
    let change = |file| {
        let edit = SettingsEdit::put(&["mcpServers", "modekeeper"], entry);
        SettingsChange::json(ChangePurpose::Mcp, file, vec![edit])
    };
    match setup.scope {
        InstallScope::Project => change(setup.project.join(".mcp.json")),
        // It keeps much else in there, and writes it often.
        InstallScope::User if moved == setup.home.join(".claude") => {
            change(setup.home.join(".claude.json")).kept_by_client()
        }
        InstallScope::User => change(moved.join(".claude.json")).kept_by_client(),
    }
}

/// Its rules cannot say «all but files of this kind»: what is denied, no other rule allows.
fn denied_tools(floor: &ClientFloor) -> Vec<&'static str> {
    let mut denied = Vec::new();
    if floor.edits == FloorEdits::Nothing {
        denied.extend(["Edit", "Write", "NotebookEdit"]);
    }
    if !floor.runs_commands {
        denied.extend(["Bash", "Monitor"]);
    }
    denied
}

/// In exec form: no shell, no quoting, and not led through the shell's prefix.
fn hook(setup: &Setup, on_failure: Option<&str>) -> Value {
    let mut hook = json!({
        "type": "command",
        "command": setup.program_text(),
        "args": ["hook", CLIENT.slug],
        "timeout": HOOK_SECONDS,
    });
    if let Some(on_failure) = on_failure {
        hook["onFailure"] = json!(on_failure);
    }
    match on_failure {
        Some(_) => json!({ "matcher": "*", "hooks": [hook] }),
        None => json!({ "hooks": [hook] }),
    }
}
