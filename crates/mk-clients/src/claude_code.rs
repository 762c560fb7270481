//! Claude Code. Run at the version below; facts that were only read say so.

use crate::client::{Client, ClientId, Shell};
use crate::hook::{
    Fields, HookAnswer, HookContract, HookError, HookEvent, HookMoment, answer_claude_shape,
    parse_claude_shape, refuse_claude_shape,
};
use crate::tool::{McpNames, McpTool, ToolRow};

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
    shell: Shell::Prefix("CLAUDE_CODE_SHELL_PREFIX"),
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
    ToolRow::read("Grep", &["path"]),
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

fn parse(fields: &Fields) -> Result<HookEvent, HookError> {
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
