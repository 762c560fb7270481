//! OpenCode. It has no hook that runs a program, so a plugin file of ours asks the binary; the shapes between the two
//! are our own, and anything that is not a JSON object with exit code 0 makes the plugin refuse.

use std::path::PathBuf;

use serde_json::{Map, json};

use crate::client::{Client, ClientId};
use crate::hook::{
    EventFields, HookAnswer, HookContract, HookError, HookEvent, HookMoment, HookVerdict,
    json_answer,
};
use crate::install::{ChangePurpose, HOOK_SECONDS, InstallScope, SettingsChange, Setup};
use crate::settings::SettingsEdit;
use crate::shell::Shell;
use crate::tool::{McpNames, SearchRow, ToolRow};

pub(crate) const CLIENT: Client = Client {
    programs: &["opencode"],
    tested: Some("1.18.33"),
    tools: TOOLS,
    mcp_names: Some(McpNames {
        prefix: "",
        separator: "_",
    }),
    shell: Shell::Program("shell"),
    held: "plugin over denying permissions",
    open: &["if the program named as its shell is gone, it takes the default shell"],
    changes: Some(changes),
    hook_contract: Some(&HookContract {
        parse,
        answer,
        refuse_unread,
    }),
    ..Client::new(ClientId::OpenCode, "opencode", "OpenCode")
};

const TOOLS: &[ToolRow] = &[
    ToolRow::read("read", &["filePath"]),
    ToolRow::read("list", &["path"]),
    ToolRow::read("glob", &["path"]),
    ToolRow::read("grep", &["path"]).searching(SearchRow::ripgrep(&["include"])),
    ToolRow::read("lsp", &["filePath"]),
    ToolRow::edit("edit", &["filePath"]),
    ToolRow::edit("write", &["filePath"]),
    ToolRow::edit("multiedit", &["filePath", "edits.filePath"]),
    ToolRow::patch("patch", &["patchText"]),
    ToolRow::patch("apply_patch", &["patchText"]),
    ToolRow::command("bash", &["command"]).in_directory("workdir"),
    ToolRow::browser("webfetch"),
    ToolRow::browser("websearch"),
    ToolRow::modes("task"),
    ToolRow::harmless("skill"),
    ToolRow::harmless("todowrite"),
    ToolRow::harmless("todoread"),
    ToolRow::harmless("question"),
    ToolRow::harmless("invalid"),
];

/// `{event, sessionID, parentID?, callID?, tool?, args?, cwd?}`, written by our plugin.
fn parse(fields: &EventFields) -> Result<HookEvent, HookError> {
    let name = fields.required("event")?;
    let moment = match name.as_str() {
        "tool.execute.before" => {
            HookMoment::BeforeTool(fields.tool_use("tool", "args", &["callID"])?)
        }
        // Asked before each request to the model.
        "system" => HookMoment::SessionStart { source: None },
        _ => HookMoment::Other,
    };
    Ok(HookEvent {
        client: fields.client,
        name,
        conversation: fields.text(&["sessionID"]),
        agent: None,
        parent: fields.text(&["parentID"]),
        cwd: fields.text(&["cwd"]).map(PathBuf::from),
        moment,
    })
}

/// `{}` or `{"deny": reason}`, each with `context` where there is one.
fn answer(event: &HookEvent, verdict: &HookVerdict) -> HookAnswer {
    let mut output = Map::new();
    if let Some(reason) = verdict.refusal(event) {
        output.insert("deny".to_owned(), json!(reason));
    }
    if let Some(context) = &verdict.context {
        output.insert("context".to_owned(), json!(context));
    }
    json_answer(&output.into())
}

fn refuse_unread(reason: &str) -> HookAnswer {
    json_answer(&json!({ "deny": reason }))
}

const PLUGIN: &str = include_str!("opencode/plugin.js");
/// Matches everything, as `*` does, and is a key that nobody else writes: the plugin can take it out alone.
const FLOOR: &str = "**";

fn changes(setup: &Setup) -> Vec<SettingsChange> {
    let (settings, plugins) = match setup.scope {
        InstallScope::User => {
            let directory = setup.config_home.join("opencode");
            (directory.clone(), directory.join("plugin"))
        }
        InstallScope::Project => (
            setup.project.clone(),
            setup.project.join(".opencode/plugin"),
        ),
    };
    let file = |purpose, edits| {
        SettingsChange::json(purpose, settings.join("opencode.json"), edits)
            .or(settings.join("opencode.jsonc"))
            .or(settings.join("opencode.json"))
    };
    let mut entry = json!({
        "type": "local", "command": [setup.program_text(), "mcp"], "enabled": true,
    });
    setup.add_variables(&mut entry, "environment");
    let mut changes = vec![
        file(
            ChangePurpose::Mcp,
            vec![SettingsEdit::put(&["mcp", "modekeeper"], entry)],
        ),
        // First the plugin, then what it opens.
        SettingsChange::whole(
            ChangePurpose::Hook,
            plugins.join("modekeeper.js"),
            plugin(setup),
        ),
        file(
            ChangePurpose::Policy,
            vec![
                SettingsEdit::claim(&["permission", "edit", FLOOR], json!("deny")),
                SettingsEdit::claim(&["permission", "bash", FLOOR], json!("deny")),
            ],
        ),
    ];
    if let Some(shell) = &setup.shell {
        let program = json!(shell.program.display().to_string());
        changes.push(file(
            ChangePurpose::Shell,
            vec![SettingsEdit::claim(&["shell"], program)],
        ));
    }
    changes
}

fn plugin(setup: &Setup) -> String {
    let program = json!(setup.program_text()).to_string();
    let shell = setup.shell.as_ref();
    let shell = json!(shell.map(|it| it.program.display().to_string())).to_string();
    PLUGIN
        .replace("\"@PROGRAM@\"", &program)
        .replace("\"@SHELL@\"", &shell)
        .replace("@SECONDS@", &HOOK_SECONDS.to_string())
        .replace("@FLOOR@", FLOOR)
}
