//! Zed. Its agents speak ACP; it has no hooks.

use serde_json::json;

use crate::client::{Client, ClientId};
use crate::install::{ChangePurpose, InstallScope, SettingsChange, Setup};
use crate::settings::SettingsEdit;

pub(crate) const CLIENT: Client = Client {
    traces: &[".config/zed"],
    changes: Some(changes),
    programs: &["zed", "zeditor"],
    ..Client::new(ClientId::Zed, "zed", "Zed")
};

fn changes(setup: &Setup) -> Vec<SettingsChange> {
    let file = match setup.scope {
        InstallScope::User => setup.config_home.join("zed/settings.json"),
        InstallScope::Project => setup.project.join(".zed/settings.json"),
    };
    let mut entry = setup.mcp_entry();
    entry["source"] = json!("custom");
    let entry = SettingsEdit::put(&["context_servers", "modekeeper"], entry);
    let mut changes = vec![SettingsChange::json(
        ChangePurpose::Mcp,
        file.clone(),
        vec![entry],
    )];
    // It takes agents from the user's own settings only.
    if setup.scope == InstallScope::User && !setup.agents.is_empty() {
        let entries = setup.agent_entries(&json!({ "type": "custom" }));
        changes.push(SettingsChange::json(ChangePurpose::Agents, file, entries));
    }
    changes
}
