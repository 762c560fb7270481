//! JetBrains editors. Their agents speak ACP; they have no hooks.

use serde_json::json;

use crate::client::{Client, ClientId};
use crate::install::{ChangePurpose, InstallScope, SettingsChange, Setup};

pub(crate) const CLIENT: Client = Client {
    open: &[
        "its MCP servers are set in the editor: Settings, Tools, AI Assistant, Model Context Protocol",
    ],
    traces: &[".jetbrains"],
    changes: Some(changes),
    programs: &[
        "idea",
        "pycharm",
        "webstorm",
        "goland",
        "rustrover",
        "clion",
    ],
    ..Client::new(ClientId::JetBrains, "jetbrains", "JetBrains")
};

fn changes(setup: &Setup) -> Vec<SettingsChange> {
    // There is one file for all editors and projects.
    if setup.scope == InstallScope::Project || setup.agents.is_empty() {
        return Vec::new();
    }
    let file = setup.home.join(".jetbrains/acp.json");
    let entries = setup.agent_entries(&json!({}));
    vec![SettingsChange::json(ChangePurpose::Agents, file, entries)]
}
