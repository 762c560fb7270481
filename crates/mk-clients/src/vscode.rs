//! VS Code and the editors built on it. Its agent hooks are in preview; what stands here about them was read, not run.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::client::{Client, ClientId};
use crate::hook::{
    HookAnswer, HookContract, answer_claude_shape, parse_claude_shape, refuse_claude_shape,
};
use crate::install::{ChangePurpose, HOOK_SECONDS, InstallScope, SettingsChange, Setup};
use crate::settings::SettingsEdit;
use crate::tool::{McpNames, SearchRow, ToolRow};

pub(crate) const CLIENT: Client = Client {
    aliases: &["code"],
    programs: &["code"],
    tools: TOOLS,
    mcp_names: Some(McpNames {
        prefix: "mcp_",
        separator: "_",
    }),
    held: "hook in projects (preview, not tested)",
    open: &[
        "it reads hooks of a project (`--scope project`), and those of Claude Code where that is set up",
        "an organisation's policy can turn hooks off",
    ],
    changes: Some(changes),
    hook_contract: Some(&HookContract {
        parse: parse_claude_shape,
        answer: answer_claude_shape,
        refuse_unread,
    }),
    ..Client::new(ClientId::VsCode, "vscode", "VS Code")
};

/// What the editor's settings leave out is not known here.
const TEXT_SEARCH: SearchRow = SearchRow {
    globs: &["includePattern"],
    ..SearchRow::WHOLE
};

/// The names of its two tool sets: those of the documentation, and those that the extension itself uses.
const TOOLS: &[ToolRow] = &[
    ToolRow::read("readFile", &["filePath", "path", "files.path"]),
    ToolRow::read("read_file", &["filePath", "path"]),
    ToolRow::read("view_image", &["filePath", "path"]),
    ToolRow::read("listDirectory", &["path"]),
    ToolRow::read("list_dir", &["path"]),
    ToolRow::read("fileSearch", &[]),
    ToolRow::read("file_search", &[]),
    ToolRow::read("test_search", &["filePaths"]),
    ToolRow::read("read_project_structure", &[]),
    ToolRow::read("textSearch", &[]).searching(TEXT_SEARCH),
    ToolRow::read("grep_search", &[]).searching(TEXT_SEARCH),
    ToolRow::read("codebase", &[]).searching(SearchRow::WHOLE),
    ToolRow::read("semantic_search", &[]).searching(SearchRow::WHOLE),
    // Shows what has changed, whichever files that are.
    ToolRow::read("get_changed_files", &["repositoryPath"]).searching(SearchRow::WHOLE),
    ToolRow::read("search_workspace_symbols", &[]),
    ToolRow::read("list_code_usages", &["filePaths"]),
    ToolRow::read("problems", &["filePaths"]),
    ToolRow::read("get_errors", &["filePaths"]),
    ToolRow::read("copilot_getNotebookSummary", &["filePath"]),
    ToolRow::read("read_notebook_cell_output", &["filePath"]),
    ToolRow::edit("editFiles", EDITED),
    ToolRow::edit("createFile", EDITED),
    ToolRow::edit("create_file", EDITED),
    ToolRow::edit("createDirectory", &["dirPath", "path"]),
    ToolRow::edit("create_directory", &["dirPath", "path"]),
    ToolRow::edit("insertEdit", EDITED),
    ToolRow::edit("insert_edit_into_file", EDITED),
    ToolRow::edit("replaceString", EDITED),
    ToolRow::edit("replace_string_in_file", EDITED),
    ToolRow::edit("multi_replace_string_in_file", &["replacements.filePath"]),
    ToolRow::edit("edit_notebook_file", EDITED),
    ToolRow::patch("applyPatch", &["input", "patch"]),
    ToolRow::patch("apply_patch", &["input", "patch"]),
    ToolRow::command("runInTerminal", &["command"]),
    ToolRow::command("runTerminalCommand", &["command"]),
    ToolRow::command("run_in_terminal", &["command"]),
    ToolRow::command("send_to_terminal", &["command"]).typed(),
    ToolRow::harmless("getTerminalOutput"),
    ToolRow::harmless("get_terminal_output"),
    ToolRow::harmless("kill_terminal"),
    ToolRow::harmless("terminal_selection"),
    ToolRow::harmless("terminal_last_command"),
    ToolRow::harmless("get_task_output"),
    ToolRow::browser("fetch"),
    ToolRow::browser("fetch_webpage"),
    ToolRow::browser("github_repo"),
    ToolRow::browser("open_simple_browser"),
    ToolRow::modes("runSubagent"),
    ToolRow::harmless("todos"),
    ToolRow::harmless("manage_todo_list"),
    // Its own notes, outside the project.
    ToolRow::harmless("memory"),
    ToolRow::harmless("get_vscode_api"),
    ToolRow::harmless("vscode_get_confirmation"),
    ToolRow::harmless("vscode_askQuestions"),
];

const EDITED: &[&str] = &["filePath", "path", "files.path"];

fn refuse_unread(reason: &str) -> HookAnswer {
    refuse_claude_shape(reason).and_blocked(reason)
}

const EDITORS: [&str; 5] = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];

/// The directories in which an extension may keep its files, one per editor and the one of remote sessions.
pub(crate) fn extension_storage(home: &Path, extension: &str) -> impl Iterator<Item = PathBuf> {
    let base = application_data(home);
    let editors = EDITORS.map(|editor| base.join(editor).join("User"));
    let remote = home.join(".vscode-server/data/User");
    let extension = extension.to_owned();
    editors
        .into_iter()
        .chain([remote])
        .map(move |user| user.join("globalStorage").join(&extension))
}

/// Where desktop programs keep their settings.
pub(crate) fn application_data(home: &Path) -> PathBuf {
    if cfg!(target_os = "macos") {
        home.join("Library/Application Support")
    } else if cfg!(windows) {
        home.join("AppData/Roaming")
    } else {
        home.join(".config")
    }
}

fn changes(setup: &Setup) -> Vec<SettingsChange> {
    let servers = match setup.scope {
        InstallScope::User => application_data(&setup.home).join("Code/User/mcp.json"),
        InstallScope::Project => setup.project.join(".vscode/mcp.json"),
    };
    let mut entry = setup.mcp_entry();
    entry["type"] = json!("stdio");
    let mut changes = vec![SettingsChange::json(
        ChangePurpose::Mcp,
        servers,
        vec![SettingsEdit::put(&["servers", "modekeeper"], entry)],
    )];
    if setup.scope == InstallScope::Project {
        let command = json!({ "type": "command", "command": setup.hook_line(CLIENT.id), "timeout": HOOK_SECONDS });
        let events = ["PreToolUse", "UserPromptSubmit", "SessionStart"];
        let hooks: serde_json::Map<_, _> = events
            .map(|event| (event.to_owned(), json!([command])))
            .into_iter()
            .collect();
        let file = setup.project.join(".github/hooks/modekeeper-vscode.json");
        let text = format!("{:#}\n", json!({ "hooks": hooks }));
        changes.push(SettingsChange::whole(ChangePurpose::Hook, file, text));
    }
    changes
}
