//! Codex CLI. An `allow` is reported as a failed hook and an `ask` lets the call go ahead: neither is ever written.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::client::{Client, ClientId};
use crate::hook::{HookContract, answer_claude_shape, parse_claude_shape, refuse_claude_shape};
use crate::install::{
    ChangePurpose, FloorEdits, HOOK_SECONDS, InstallScope, SettingsChange, Setup,
};
use crate::settings::{Format, JsonReading, SettingsEdit};
use crate::shell::Shell;
use crate::tool::{McpNames, ToolRow};

/// What it calls itself over MCP.
pub(crate) const MCP_NAME: &str = "codex-mcp-client";

pub(crate) const CLIENT: Client = Client {
    programs: &["codex"],
    tested: Some("0.166.0"),
    session_variables: &["CODEX_SESSION_ID", "CODEX_THREAD_ID"],
    tools: TOOLS,
    mcp_names: Some(McpNames {
        prefix: "mcp__",
        separator: "__",
    }),
    shell: Shell::BashEnvOfLines,
    unsandboxed: Some(unsandboxed),
    held: "hook, once it is trusted",
    open: &["web_search runs at the provider"],
    without_floor: Some(("if the hook fails, the call runs", "its sandbox")),
    json: JsonReading::Plain,
    changes: Some(changes),
    hook_contract: Some(&HookContract {
        parse: parse_claude_shape,
        answer: answer_claude_shape,
        // Its output takes no further field, and what it makes of exit code 2 was not run.
        refuse_unread: refuse_claude_shape,
    }),
    ..Client::new(ClientId::Codex, "codex", "Codex")
};

const TOOLS: &[ToolRow] = &[
    // The model says exec_command and `cmd`; the hook says this.
    ToolRow::command("Bash", &["command"]),
    ToolRow::command("exec_command", &["cmd", "command"]).in_directory("workdir"),
    ToolRow::command("shell", &["command"]),
    // Not hooked in the tested version; if a later one hooks it, it is a shell line.
    ToolRow::command("write_stdin", &["chars"]).typed(),
    // The hook has the patch under `command`.
    ToolRow::patch("apply_patch", &["command", "input", "patch"]),
    ToolRow::read("view_image", &["path"]),
    ToolRow::browser("web_search"),
    ToolRow::modes("spawn_agent"),
    ToolRow::modes("send_input"),
    ToolRow::modes("resume_agent"),
    ToolRow::modes("followup_task"),
    ToolRow::modes("send_message"),
    ToolRow::harmless("wait_agent"),
    ToolRow::harmless("close_agent"),
    ToolRow::harmless("interrupt_agent"),
    ToolRow::harmless("list_agents"),
    ToolRow::harmless("update_plan"),
    ToolRow::harmless("request_user_input"),
    ToolRow::harmless("request_user_input_async"),
    ToolRow::harmless("get_goal"),
    ToolRow::harmless("create_goal"),
    ToolRow::harmless("update_goal"),
    ToolRow::harmless("tool_search"),
    // JavaScript that calls tools; each nested call is hooked.
    ToolRow::harmless("exec"),
    ToolRow::harmless("wait"),
    ToolRow::harmless("sleep"),
    ToolRow::harmless("curr_time"),
    ToolRow::harmless("clock__curr_time"),
    ToolRow::harmless("list_mcp_resources"),
    ToolRow::harmless("list_mcp_resource_templates"),
    ToolRow::mcp("read_mcp_resource"),
];

/// What it sends with each call of an MCP tool: one server may serve several of its sessions.
pub(crate) const CALL_META: &str = "x-codex-turn-metadata";

pub(crate) const DIRECTORY_VARIABLE: &str = "CODEX_HOME";

fn changes(setup: &Setup) -> Vec<SettingsChange> {
    let directory = directory(setup);
    let config = directory.join("config.toml");
    let toml =
        |purpose, edits| SettingsChange::entries(purpose, config.clone(), Format::Toml, edits);
    let mut entry = setup.mcp_entry();
    entry["default_tools_approval_mode"] = json!("approve");
    let mut changes = vec![
        toml(
            ChangePurpose::Mcp,
            vec![SettingsEdit::put(&["mcp_servers", "modekeeper"], entry)],
        )
        .kept_by_client(),
        SettingsChange::json(
            ChangePurpose::Hook,
            directory.join("hooks.json"),
            vec![
                SettingsEdit::add(&["hooks", "PreToolUse"], hook(setup, Some(".*"))),
                SettingsEdit::add(&["hooks", "UserPromptSubmit"], hook(setup, None)),
                SettingsEdit::add(&["hooks", "SessionStart"], hook(setup, None)),
            ],
        ),
    ];
    // Its sandbox knows nothing between reading and writing the whole project.
    if is_read_only(setup) {
        let claims = vec![
            SettingsEdit::claim(&["sandbox_mode"], json!("read-only")),
            SettingsEdit::claim(&["approval_policy"], json!("never")),
        ];
        changes.push(toml(ChangePurpose::Policy, claims).kept_by_client());
    }
    // In its sandbox our commands could not reach their state.
    if let Some(shell) = setup.shell.as_ref().filter(|_| !is_read_only(setup)) {
        let script = json!(shell.bash_env.display().to_string());
        let claim = SettingsEdit::claim(&["shell_environment_policy", "set", "BASH_ENV"], script);
        changes.push(toml(ChangePurpose::Shell, vec![claim]).kept_by_client());
    }
    changes
}

/// In its sandbox, commands can neither write our state nor be watched by the clerk.
fn unsandboxed(setup: &Setup) -> SettingsChange {
    let config = directory(setup).join("config.toml");
    let off = SettingsEdit::claim(&["sandbox_mode"], json!("danger-full-access"));
    SettingsChange::entries(ChangePurpose::Shell, config, Format::Toml, vec![off])
}

/// Whether the floor is its read-only sandbox.
fn is_read_only(setup: &Setup) -> bool {
    let floor = setup.floor.as_ref();
    floor.is_some_and(|floor| floor.edits == FloorEdits::Nothing)
}

fn directory(setup: &Setup) -> PathBuf {
    match setup.scope {
        InstallScope::User => setup.directory(DIRECTORY_VARIABLE, ".codex"),
        InstallScope::Project => setup.project.join(".codex"),
    }
}

fn hook(setup: &Setup, matcher: Option<&str>) -> Value {
    // Its hook does not see what the lines get.
    let walled = if setup.shell.is_some() && !is_read_only(setup) {
        " --walled"
    } else {
        ""
    };
    let command = json!({
        "type": "command",
        "command": format!("{}{walled}", setup.hook_line(CLIENT.id)),
        "timeout": HOOK_SECONDS,
    });
    match matcher {
        Some(matcher) => json!({ "matcher": matcher, "hooks": [command] }),
        None => json!({ "hooks": [command] }),
    }
}
