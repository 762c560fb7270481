//! The atlas of agent products: where each keeps its files, what its tools are called, how its hooks speak.
//!
//! Every directory and file name of a product stands here and only here, in one module a product. Nothing here reads
//! or writes a file, and nothing here knows modes.

mod acp;
mod client;
mod hook;
mod install;
mod instructions;
mod process;
pub mod settings;
mod shell;
mod tool;
mod trust;

mod bob;
mod claude_code;
mod cline;
mod codex;
mod codingbuddy;
mod continue_dev;
mod copilot;
mod cursor;
mod gemini;
mod jetbrains;
mod junie;
mod kilo;
mod opencode;
mod qwen;
mod roo;
mod serena;
mod vscode;
mod windsurf;
mod zed;
mod zoo;

use std::path::{Path, PathBuf};

pub use acp::{
    ACP_TOOLS, ACP_VARIABLES, AcpCall, AcpHabits, AcpRun, EditorAgent, Injection, acp_client,
    acp_client_named, acp_habits, acp_load_name, acp_takes_servers, acp_tool_use, editor_agents,
    injection, shell_line,
};
pub use client::{Client, ClientId};
pub use hook::{
    HookAnswer, HookDecision, HookError, HookEvent, HookMoment, HookVerdict, ToolUse,
    TouchedTargets, answer, canary, canary_in, is_canary, is_denial, parse_event, refuse_event,
    refuse_unread,
};
pub use install::{
    ChangePurpose, ClientFloor, FileContent, FloorEdits, InstallScope, SettingsChange, Setup,
    quoted,
};
pub use instructions::{
    InstructionFile, InstructionKind, RuleActivation, WRITTEN, WrittenBase, WrittenShape,
    is_rules_file, project_skills,
};
pub use process::agent_process;
pub use shell::{
    SHELL_VARIABLES, Shell, ShellScripts, ShellStart, inside_line, shell_scripts, walled_line,
};
pub use tool::{ClientToolGroup, McpNames, McpTool, SERVER, SearchEngine, SearchRow, ToolRow};
pub use trust::{ProjectTrust, TrustPlace, TrustQuestion};

/// Clients of MCP, by the names they give themselves, whose model gets the structured content of a result in place of its
/// text.
pub const STRUCTURED_READERS: [&str; 2] = [claude_code::MCP_NAME, codex::MCP_NAME];

/// Mode files of a project, strongest first, relative to its root.
pub const PROJECT_MODE_FILES: [&str; 3] = [
    roo::PROJECT_MODE_FILE,
    kilo::PROJECT_MODE_FILE,
    bob::PROJECT_MODE_FILE,
];

/// The file that hides a project's files from every tool, relative to its root.
pub const IGNORE_FILE: &str = roo::IGNORE_FILE;

/// Directories of a project that hold `rules/` and `rules-{slug}/`.
pub const RULES_DIRECTORIES: [&str; 3] = [roo::DIRECTORY, kilo::DIRECTORY, bob::DIRECTORY];

/// The directory in a person's home that holds rules for all projects.
pub const HOME_RULES_DIRECTORY: &str = roo::DIRECTORY;

/// Rules in one file (or a directory of that name), where there is no rules directory: the first that is there counts.
pub const RULES_FILES: [&str; 2] = [roo::RULES_FILE, cline::RULES_FILE];

/// Instructions for every agent, in a project's root: the first that is there counts.
pub const AGENTS_FILES: [&str; 2] = ["AGENTS.md", "AGENT.md"];

/// Instructions of one person for every agent, besides those of the project.
pub const LOCAL_AGENTS_FILE: &str = "AGENTS.local.md";

/// Where a project keeps its playbook.
pub const PLAYBOOK_DIRECTORY: &str = codingbuddy::DIRECTORY;

/// The configuration of a project's playbook: the first that is there counts.
pub const PLAYBOOK_CONFIG_FILES: [&str; 3] = codingbuddy::CONFIG_FILES;

/// The configuration that a program can write.
pub const PLAYBOOK_CONFIG_JSON: &str = codingbuddy::CONFIG_JSON;

/// The Roo family's configuration, below a home.
pub const ROO_HOME_DIRECTORY: &str = roo::HOME_DIRECTORY;

/// The mode file of a project that new modes are written to.
pub const OWN_MODE_FILE: &str = roo::PROJECT_MODE_FILE;

/// Serena's directory in a project, and its memories.
pub const SERENA_DIRECTORY: &str = serena::DIRECTORY;
pub const SERENA_MEMORIES: &str = serena::MEMORIES;

/// Mode files that installed editor extensions keep for all projects, strongest first; most do not exist.
pub fn global_mode_files(home: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for extension in [roo::EXTENSION, zoo::EXTENSION, kilo::EXTENSION] {
        files.extend(
            vscode::extension_storage(home, extension)
                .map(|directory| directory.join("settings/custom_modes.yaml")),
        );
    }
    files.push(bob::global_mode_file(home));
    files
}

/// The environment variable that says where programs keep their data.
pub const DATA_HOME_VARIABLE: &str = "XDG_DATA_HOME";

/// Environment variables that move a directory; [`Setup::moved`] carries them.
pub const DIRECTORY_VARIABLES: [&str; 4] = [
    DATA_HOME_VARIABLE,
    claude_code::DIRECTORY_VARIABLE,
    codex::DIRECTORY_VARIABLE,
    copilot::DIRECTORY_VARIABLE,
];

/// Environment variables by which products decide whether they read a project's files; [`TrustPlace::variables`] carries
/// them.
pub const TRUST_VARIABLES: [&str; 4] = [
    gemini::RESTRICTED_VARIABLE,
    gemini::TRUST_VARIABLE,
    gemini::TRUST_FILE_VARIABLE,
    qwen::TRUST_FILE_VARIABLE,
];

/// The session that a client names in the `_meta` of one call of an MCP tool.
pub fn session_of_call<'a>(
    meta: impl Fn(&str) -> Option<&'a serde_json::Value>,
) -> Option<(ClientId, &'a str)> {
    let session = meta(codex::CALL_META)?.get("session_id")?.as_str()?;
    Some((ClientId::Codex, session))
}

/// The tools of every product. A name that two products share has two rows: each has its own way to name targets.
pub fn all_tools() -> impl Iterator<Item = (&'static Client, &'static ToolRow)> {
    ClientId::ALL
        .into_iter()
        .map(ClientId::atlas)
        .flat_map(|client| client.tools.iter().map(move |row| (client, row)))
}

#[cfg(test)]
mod tests;
