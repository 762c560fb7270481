//! Cursor. Its hooks were read in documentation, not run; an answer is always an object, because `failClosed` takes an
//! unreadable one for a failure.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::client::{Client, ClientId};
use crate::hook::{
    EventFields, HookAnswer, HookContract, HookError, HookEvent, HookMoment, HookVerdict, ToolUse,
    json_answer,
};
use crate::install::{ChangePurpose, InstallScope, SettingsChange, Setup};
use crate::settings::SettingsEdit;
use crate::tool::{McpTool, SERVER, SearchRow, ToolRow};

pub(crate) const CLIENT: Client = Client {
    programs: &["cursor", "cursor-agent"],
    tools: TOOLS,
    held: "hook (not tested)",
    open: &["its hooks were read in documentation, not run"],
    traces: &[".cursor"],
    changes: Some(changes),
    hook_contract: Some(&HookContract {
        parse,
        answer,
        refuse_unread,
    }),
    ..Client::new(ClientId::Cursor, "cursor", "Cursor")
};

const TOOLS: &[ToolRow] = &[
    ToolRow::read("Read", &["file_path", "path", "target_file"]),
    ToolRow::read("read_file", &["file_path", "path", "target_file"]),
    ToolRow::read("Glob", &["target_directory", "path"]),
    ToolRow::read("Grep", &["path"]).searching(SearchRow {
        globs: &["glob"],
        ..SearchRow::WHOLE
    }),
    ToolRow::read("LS", &["target_directory", "path"]),
    ToolRow::read("list_dir", &["path", "relative_workspace_path"]),
    ToolRow::read("ReadLints", &["paths"]),
    ToolRow::read("SemanticSearch", &["target_directories"]).searching(SearchRow::WHOLE),
    ToolRow::read("codebase_search", &["target_directories"]).searching(SearchRow::WHOLE),
    ToolRow::edit("Write", EDITED),
    ToolRow::edit("Edit", EDITED),
    ToolRow::edit("StrReplace", EDITED),
    ToolRow::edit("edit_file", EDITED),
    ToolRow::edit("search_replace", EDITED),
    ToolRow::edit("EditNotebook", &["target_notebook", "path"]),
    ToolRow::edit("Delete", EDITED),
    ToolRow::edit("delete_file", EDITED),
    ToolRow::patch("ApplyPatch", &["input", "patch"]),
    ToolRow::command("run_terminal_cmd", &["command"]),
    ToolRow::command("Shell", &["command"]).in_directory("working_directory"),
    ToolRow::browser("WebFetch"),
    ToolRow::browser("WebSearch"),
    ToolRow::browser("web_search"),
    ToolRow::mcp("FetchMcpResource"),
    ToolRow::modes("Task"),
    // Looks at a background shell.
    ToolRow::harmless("Await"),
    ToolRow::harmless("AskQuestion"),
    ToolRow::harmless("ListMcpResources"),
    ToolRow::harmless("todo_write"),
    ToolRow::harmless("TodoWrite"),
];

const EDITED: &[&str] = &["file_path", "path", "target_file"];

/// How it names the tools of MCP servers before their own event, which alone says how the server is started.
const MCP_PREFIX: &str = "MCP:";

fn parse(fields: &EventFields) -> Result<HookEvent, HookError> {
    let name = fields.required("hook_event_name")?;
    // Where it runs hooks of another's settings, it may write the names of events as they are written there.
    let moment = match name.to_ascii_lowercase().as_str() {
        "pretooluse" => before_tool(fields)?,
        "posttooluse" => HookMoment::AfterTool(tool_use(fields)?),
        "beforeshellexecution" => HookMoment::BeforeTool(one_argument(fields, "Shell", "command")?),
        "beforereadfile" => HookMoment::BeforeTool(one_argument(fields, "Read", "file_path")?),
        "beforemcpexecution" => HookMoment::BeforeTool(mcp_call(fields)?),
        "beforesubmitprompt" => HookMoment::Prompt {
            text: fields.text(&["prompt"]).unwrap_or_default(),
        },
        "sessionstart" => HookMoment::SessionStart {
            source: fields.text(&["source"]),
        },
        // What has happened cannot be refused.
        past if past.starts_with("after") || past.starts_with("post") => HookMoment::Other,
        _ if fields.has("tool_name") => before_tool(fields)?,
        _ => HookMoment::Other,
    };
    let root = fields
        .value("workspace_roots")
        .and_then(|roots| roots.get(0)?.as_str())
        .map(str::to_owned);
    let mut event = fields.event(name, moment);
    event.conversation = fields.text(&["conversation_id", "session_id"]);
    event.parent = fields.text(&["parent_conversation_id"]);
    event.cwd = event.cwd.or_else(|| root.map(PathBuf::from));
    Ok(event)
}

/// A call before it is made. Of a tool of an MCP server, Cursor's own hook hears again, by an event that says more; a hook
/// from another product's settings does not.
fn before_tool(fields: &EventFields) -> Result<HookMoment, HookError> {
    let mut tool = tool_use(fields)?;
    if let Some(name) = tool.name.strip_prefix(MCP_PREFIX) {
        if fields.hook_of == CLIENT.id {
            return Ok(HookMoment::Other);
        }
        tool.row = None;
        tool.mcp = Some(McpTool {
            server: String::new(),
            tool: name.to_owned(),
        });
    }
    Ok(HookMoment::BeforeTool(tool))
}

fn tool_use(fields: &EventFields) -> Result<ToolUse, HookError> {
    let ids = ["tool_use_id", "generation_id"];
    fields.tool_use("tool_name", "tool_input", &ids)
}

fn one_argument(
    fields: &EventFields,
    tool: &str,
    field: &'static str,
) -> Result<ToolUse, HookError> {
    let value = fields.required(field)?;
    let mut tool_use = ToolUse::new(fields.client, tool, json!({ field: value }));
    tool_use.id = fields.text(&["generation_id"]);
    Ok(tool_use)
}

/// The event names the tool; which server it belongs to is only told by how the server is started.
fn mcp_call(fields: &EventFields) -> Result<ToolUse, HookError> {
    let mut tool_use = fields.tool_use("tool_name", "tool_input", &["generation_id"])?;
    let server = fields.text(&["server", "server_name"]);
    let server = server.or_else(|| own_server(&fields.text(&["command"])?));
    tool_use.row = None;
    tool_use.mcp = Some(McpTool {
        server: server.unwrap_or_default(),
        tool: tool_use.name.clone(),
    });
    Ok(tool_use)
}

/// Our own server, if this line starts it as our entry does.
fn own_server(line: &str) -> Option<String> {
    let program = line.strip_suffix(" mcp")?.trim_end();
    let name = Path::new(program.trim_matches(['"', '\''])).file_name()?;
    (name == SERVER).then(|| SERVER.to_owned())
}

fn answer(event: &HookEvent, verdict: &HookVerdict) -> HookAnswer {
    let mut output = verdict.refusal(event).map(denial).unwrap_or_default();
    if let Some(context) = &verdict.context {
        output.insert("additional_context".to_owned(), json!(context));
    }
    json_answer(&output.into())
}

fn denial(reason: &str) -> Map<String, Value> {
    Map::from_iter([
        ("permission".to_owned(), json!("deny")),
        ("user_message".to_owned(), json!(reason)),
        ("agent_message".to_owned(), json!(reason)),
    ])
}

fn refuse_unread(reason: &str) -> HookAnswer {
    json_answer(&denial(reason).into())
}

fn changes(setup: &Setup) -> Vec<SettingsChange> {
    let directory = match setup.scope {
        InstallScope::User => setup.home.join(".cursor"),
        InstallScope::Project => setup.project.join(".cursor"),
    };
    let command = json!({ "command": setup.hook_line(CLIENT.id), "failClosed": true });
    // At these nothing is decided: the model is told which mode it is in.
    let news = json!({ "command": setup.hook_line(CLIENT.id) });
    let mut hooks = vec![SettingsEdit::claim(&["version"], json!(1))];
    let events = [
        "preToolUse",
        "beforeShellExecution",
        "beforeMCPExecution",
        "beforeReadFile",
    ];
    hooks.extend(events.map(|event| SettingsEdit::add(&["hooks", event], command.clone())));
    let events = ["sessionStart", "postToolUse"];
    hooks.extend(events.map(|event| SettingsEdit::add(&["hooks", event], news.clone())));
    vec![
        SettingsChange::json(
            ChangePurpose::Mcp,
            directory.join("mcp.json"),
            vec![SettingsEdit::put(
                &["mcpServers", "modekeeper"],
                setup.mcp_entry(),
            )],
        ),
        SettingsChange::json(ChangePurpose::Hook, directory.join("hooks.json"), hooks),
    ]
}
