//! Qwen Code: Claude's shape. `updatedInput` is ignored although it is documented, so a call is never rewritten.

use serde_json::{Value, json};

use crate::client::{Client, ClientId, Shell};
use crate::hook::{
    HookAnswer, HookContract, answer_claude_shape, parse_claude_shape, refuse_claude_shape,
};
use crate::install::{Change, FloorEdits, HOOK_SECONDS, Purpose, Scope, Setup};
use crate::settings::Edit;
use crate::tool::{McpNames, ToolRow};

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
    open: &[
        "if the hook fails or is not found, the call runs: set a floor (`--floor`) to have its own rules underneath",
    ],
    changes: Some(changes),
    hook_contract: Some(&HookContract {
        parse: parse_claude_shape,
        answer: answer_claude_shape,
        refuse_unread,
    }),
    ..Client::new(ClientId::Qwen, "qwen", "Qwen Code")
};

const TOOLS: &[ToolRow] = &[
    ToolRow::read("read_file", &["file_path"]),
    ToolRow::read("read_many_files", &["paths"]),
    ToolRow::read("list_directory", &["path"]),
    ToolRow::read("glob", &["path"]),
    ToolRow::read("grep_search", &["path"]),
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

fn refuse_unread(reason: &str) -> HookAnswer {
    refuse_claude_shape(reason).and_blocked(reason)
}

fn changes(setup: &Setup) -> Vec<Change> {
    let settings = match setup.scope {
        Scope::User => setup.home.join(".qwen/settings.json"),
        Scope::Project => setup.project.join(".qwen/settings.json"),
    };
    let mut entry = setup.mcp_entry();
    entry["trust"] = json!(true);
    let mut changes = vec![
        Change::json(
            Purpose::Mcp,
            settings.clone(),
            vec![Edit::put(&["mcpServers", "modekeeper"], entry)],
        ),
        Change::json(
            Purpose::Hook,
            settings.clone(),
            ["PreToolUse", "UserPromptSubmit", "SessionStart"]
                .map(|event| Edit::add(&["hooks", event], hook(setup)))
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
        let edits = denied
            .into_iter()
            .map(|tool| Edit::add(&["permissions", "deny"], json!(tool)));
        changes.push(Change::json(Purpose::Policy, settings, edits.collect()));
    }
    changes
}

fn hook(setup: &Setup) -> Value {
    // From 1000 on it takes the number for milliseconds.
    json!({ "hooks": [{
        "type": "command", "command": setup.hook_line(CLIENT.id), "timeout": HOOK_SECONDS,
    }]})
}
