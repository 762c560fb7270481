//! Zed. Its agents speak ACP; it has no hooks.

use serde_json::json;

use crate::client::{Client, ClientId};
use crate::install::{Change, Purpose, Scope, Setup};
use crate::settings::Edit;

pub(crate) const CLIENT: Client = Client {
    traces: &[".config/zed"],
    changes: Some(changes),
    programs: &["zed", "zeditor"],
    ..Client::new(ClientId::Zed, "zed", "Zed")
};

fn changes(setup: &Setup) -> Vec<Change> {
    let file = match setup.scope {
        Scope::User => setup.config_home.join("zed/settings.json"),
        Scope::Project => setup.project.join(".zed/settings.json"),
    };
    let mut entry = setup.mcp_entry();
    entry["source"] = json!("custom");
    let entry = Edit::put(&["context_servers", "modekeeper"], entry);
    let mut changes = vec![Change::json(Purpose::Mcp, file.clone(), vec![entry])];
    // It takes agents from the user's own settings only.
    if setup.scope == Scope::User && !setup.agents.is_empty() {
        let entries = setup.agent_entries(&json!({ "type": "custom" }));
        changes.push(Change::json(Purpose::Agents, file, entries));
    }
    changes
}
