//! Junie. It has no hooks that we know.

use crate::client::{Client, ClientId};
use crate::install::{ChangePurpose, InstallScope, SettingsChange, Setup};
use crate::settings::SettingsEdit;

pub(crate) const CLIENT: Client = Client {
    traces: &[".junie"],
    changes: Some(changes),
    ..Client::new(ClientId::Junie, "junie", "Junie")
};

fn changes(setup: &Setup) -> Vec<SettingsChange> {
    let file = match setup.scope {
        InstallScope::User => setup.home.join(".junie/mcp/mcp.json"),
        InstallScope::Project => setup.project.join(".junie/mcp/mcp.json"),
    };
    let entry = SettingsEdit::put(&["mcpServers", "modekeeper"], setup.mcp_entry());
    vec![SettingsChange::json(ChangePurpose::Mcp, file, vec![entry])]
}
