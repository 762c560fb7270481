//! Windsurf. It has no hooks that we know.

use crate::client::{Client, ClientId};
use crate::install::{ChangePurpose, SettingsChange, Setup};
use crate::settings::SettingsEdit;

pub(crate) const CLIENT: Client = Client {
    programs: &["windsurf"],
    traces: &[".codeium/windsurf"],
    changes: Some(changes),
    ..Client::new(ClientId::Windsurf, "windsurf", "Windsurf")
};

/// It has no MCP servers of a project.
fn changes(setup: &Setup) -> Vec<SettingsChange> {
    let file = setup.home.join(".codeium/windsurf/mcp_config.json");
    let entry = SettingsEdit::put(&["mcpServers", "modekeeper"], setup.mcp_entry());
    vec![SettingsChange::json(ChangePurpose::Mcp, file, vec![entry])]
}
