//! Codex CLI. An `allow` is reported as a failed hook and an `ask` lets the call go ahead: neither is ever written.

use crate::client::{Client, ClientId, Shell};
use crate::hook::{HookContract, answer_claude_shape, parse_claude_shape, refuse_claude_shape};
use crate::tool::{McpNames, ToolRow};

pub(crate) const CLIENT: Client = Client {
    programs: &["codex"],
    tested: Some("0.166.0"),
    session_variables: &["CODEX_SESSION_ID", "CODEX_THREAD_ID"],
    tools: TOOLS,
    mcp_names: Some(McpNames {
        prefix: "mcp__",
        separator: "__",
    }),
    shell: Shell::BashEnvByFile,
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
    ToolRow::command("write_stdin", &["chars"]),
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
