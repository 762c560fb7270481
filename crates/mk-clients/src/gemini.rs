//! Gemini CLI. Its hooks do not fire under `--acp`; there its policy file is the only wall.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use crate::client::{Client, ClientId};
use crate::hook::{
    EventFields, HookAnswer, HookContract, HookError, HookEvent, HookMoment, HookVerdict,
    json_answer, parse_claude_shape,
};
use crate::install::{
    ChangePurpose, ClientFloor, FloorEdits, HOOK_SECONDS, InstallScope, SettingsChange, Setup,
};
use crate::settings::{Format, JsonReading, SettingsEdit};
use crate::shell::Shell;
use crate::tool::{McpNames, McpTool, SearchRow, ToolRow};
use crate::trust::{ProjectTrust, TrustPlace, TrustQuestion};

pub(crate) const CLIENT: Client = Client {
    aliases: &["gemini-cli"],
    programs: &["gemini"],
    tested: Some("0.61.0"),
    tools: TOOLS,
    mcp_names: Some(McpNames {
        prefix: "mcp_",
        separator: "_",
    }),
    shell: Shell::BashEnvByFile,
    held: "hook",
    open: &["if the hook fails or takes too long, the call runs"],
    without_floor: Some(("under `--acp` its hooks do not run", "a policy file")),
    json: JsonReading::Comments,
    project_open: &[
        "where you have not trusted the project's directory in Gemini, the hook does not run",
        "its shell, which a file in your home leads: lines that cannot be read are refused",
    ],
    project_trust: Some(&ProjectTrust {
        files: trust_files,
        is_trusted,
        advice: "start `gemini` here and trust the directory (`/permissions` changes it later)",
    }),
    changes: Some(changes),
    hook_contract: Some(&HookContract {
        parse,
        answer,
        refuse_unread,
    }),
    ..Client::new(ClientId::Gemini, "gemini", "Gemini CLI")
};

const TOOLS: &[ToolRow] = &[
    ToolRow::read("read_file", &["file_path"]),
    ToolRow::read("read_many_files", &["include"]).searching(SearchRow {
        globs: &["include"],
        ..SearchRow::WHOLE
    }),
    ToolRow::read("list_directory", &["dir_path"]),
    ToolRow::read("glob", &["dir_path"]),
    ToolRow::read("grep_search", &["dir_path"]).searching(SearchRow {
        unrestricted: Some("no_ignore"),
        ..SearchRow::ripgrep(&["include_pattern"])
    }),
    ToolRow::edit("write_file", &["file_path"]),
    ToolRow::edit("replace", &["file_path"]),
    ToolRow::command("run_shell_command", &["command"]).in_directory("dir_path"),
    ToolRow::harmless("read_background_output"),
    ToolRow::harmless("list_background_processes"),
    // Its addresses stand inside the text of the prompt.
    ToolRow::browser("web_fetch"),
    ToolRow::browser("google_web_search"),
    ToolRow::modes("invoke_agent"),
    ToolRow::harmless("enter_plan_mode"),
    ToolRow::harmless("exit_plan_mode"),
    ToolRow::harmless("update_topic"),
    ToolRow::harmless("write_todos"),
    ToolRow::harmless("activate_skill"),
    ToolRow::harmless("ask_user"),
];

fn parse(fields: &EventFields) -> Result<HookEvent, HookError> {
    let mut event = parse_claude_shape(fields)?;
    let text = |key: &str| fields.value("mcp_context")?.get(key)?.as_str();
    if let HookMoment::BeforeTool(tool) | HookMoment::AfterTool(tool) = &mut event.moment
        && let (Some(server), Some(name)) = (text("server_name"), text("tool_name"))
    {
        tool.mcp = Some(McpTool {
            server: server.to_owned(),
            tool: name.to_owned(),
        });
    }
    Ok(event)
}

fn answer(event: &HookEvent, verdict: &HookVerdict) -> HookAnswer {
    let mut output = verdict.refusal(event).map(denial).unwrap_or_default();
    // Before a tool a context does not reach the model.
    let hears = !matches!(event.moment, HookMoment::BeforeTool(_) | HookMoment::Other);
    if let Some(context) = verdict.context.as_ref().filter(|_| hears) {
        let specific = json!({ "hookEventName": event.name, "additionalContext": context });
        output.insert("hookSpecificOutput".to_owned(), specific);
    }
    if output.is_empty() {
        return HookAnswer::silence();
    }
    json_answer(&output.into())
}

fn denial(reason: &str) -> Map<String, Value> {
    Map::from_iter([
        ("decision".to_owned(), json!("deny")),
        ("reason".to_owned(), json!(reason)),
    ])
}

fn refuse_unread(reason: &str) -> HookAnswer {
    json_answer(&denial(reason).into()).and_blocked(reason)
}

fn changes(setup: &Setup) -> Vec<SettingsChange> {
    let directory = setup.home.join(".gemini");
    // Hooks of a project are skipped in directories that the user has not trusted, so there is only one place.
    let settings = match setup.scope {
        InstallScope::User => directory.join("settings.json"),
        InstallScope::Project => setup.project.join(".gemini/settings.json"),
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
            ["BeforeTool", "BeforeAgent", "SessionStart"]
                .map(|event| SettingsEdit::add(&["hooks", event], hook(setup)))
                .into(),
        ),
    ];
    if let Some(policy) = setup.floor.as_ref().and_then(policy) {
        let file = match setup.scope {
            InstallScope::User => directory.join("policies/modekeeper.toml"),
            InstallScope::Project => setup.project.join(".gemini/modekeeper.toml"),
        };
        // As `--admin-policy` does: no rule of the user's own can open what it refuses.
        let path = json!(file.display().to_string());
        changes.push(SettingsChange::whole(ChangePurpose::Policy, file, policy));
        changes.push(SettingsChange::json(
            ChangePurpose::Policy,
            settings,
            vec![SettingsEdit::add(&["adminPolicyPaths"], path)],
        ));
    }
    let shell = setup.shell.as_ref();
    if let Some(shell) = shell.filter(|_| setup.scope == InstallScope::User) {
        let script = json!(shell.bash_env.display().to_string());
        let change = SettingsChange::entries(
            ChangePurpose::Shell,
            directory.join(".env"),
            Format::EnvFile,
            vec![SettingsEdit::claim(&["BASH_ENV"], script)],
        );
        // It reads the first file of this name that it finds, and keys may stand in the other.
        changes.push(change.unless_it_hides(setup.home.join(".env")));
    }
    changes
}

pub(crate) const RESTRICTED_VARIABLE: &str = "GEMINI_RESTRICTED_MODE";
pub(crate) const TRUST_VARIABLE: &str = "GEMINI_CLI_TRUST_WORKSPACE";
pub(crate) const TRUST_FILE_VARIABLE: &str = "GEMINI_CLI_TRUSTED_FOLDERS_PATH";

/// Settings of the user, then of the machine, which go before them; then the rules.
fn trust_files(place: &TrustPlace<'_>) -> Vec<PathBuf> {
    let directory = place.setup.home.join(".gemini");
    let rules = place.variable(TRUST_FILE_VARIABLE).map(PathBuf::from);
    vec![
        directory.join("settings.json"),
        PathBuf::from(SYSTEM_SETTINGS),
        rules.unwrap_or_else(|| directory.join("trustedFolders.json")),
    ]
}

const SYSTEM_SETTINGS: &str = match cfg!(target_os = "macos") {
    true => "/Library/Application Support/GeminiCli/settings.json",
    false => "/etc/gemini-cli/settings.json",
};

/// As its `checkPathTrust` does. Settings of the project do not count, and `--skip-trust` comes too late for its hooks.
fn is_trusted(question: &TrustQuestion<'_>) -> bool {
    let variable = |name| question.place.variable(name);
    if variable(RESTRICTED_VARIABLE) == Some("true") {
        return false;
    }
    match variable(TRUST_VARIABLE) {
        Some("true") => return true,
        Some("false") => return false,
        _ => {}
    }
    question.is_switched_on(0..2) == Some(false) || question.longest_rule(2)
}

fn hook(setup: &Setup) -> Value {
    json!({ "hooks": [{
        "name": "modekeeper", "type": "command", "command": setup.hook_line(CLIENT.id),
        "timeout": HOOK_SECONDS * 1000,
    }]})
}

/// A rule that lets our own server decide about its tools. An entry that an editor gives cannot be trusted otherwise.
pub(crate) const OWN_TOOLS: &str = "\n[[rule]]\ntoolName = \"*\"\nmcpName = \"modekeeper\"\ndecision = \"allow\"\npriority = 900\n";

/// A policy file that refuses what the floor refuses. It cannot crash, and it holds under `--acp` too.
pub(crate) fn policy(floor: &ClientFloor) -> Option<String> {
    let mut rules = String::new();
    let mut rule = |tools: &str, pattern: Option<String>, what: &str| {
        let pattern = pattern.map_or(String::new(), |it| format!("argsPattern = '{it}'\n"));
        rules.push_str(&format!(
            "\n[[rule]]\ntoolName = {tools}\n{pattern}decision = \"deny\"\npriority = 900\n\
             denyMessage = \"{}\"\n",
            floor.refusal(what)
        ));
    };
    let edit_tools = r#"["write_file", "replace"]"#;
    match &floor.edits {
        FloorEdits::Nothing => rule(edit_tools, None, "editing files"),
        FloorEdits::Extensions(extensions) => {
            let any = extensions.join("|");
            let pattern = format!(r#""file_path":"(?![^"]*\.(?:{any})")"#);
            rule(edit_tools, Some(pattern), "editing this file");
        }
        FloorEdits::Anything => {}
    }
    if !floor.runs_commands {
        rule(r#""run_shell_command""#, None, "running commands");
    }
    (!rules.is_empty()).then(|| {
        format!("# Written by Modekeeper; `modekeeper uninstall gemini` removes it.\n{rules}")
    })
}
