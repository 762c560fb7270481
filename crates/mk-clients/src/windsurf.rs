//! Windsurf. It has no hooks that we know.

use crate::client::{Client, ClientId};
use crate::install::{ChangePurpose, InstallScope, SettingsChange, Setup};
use crate::settings::SettingsEdit;

pub(crate) const CLIENT: Client = Client {
    programs: &["windsurf"],
    traces: &[".codeium/windsurf"],
    project_open: &["our MCP tools are not there: it has MCP servers of the user only"],
    changes: Some(changes),
    ..Client::new(ClientId::Windsurf, "windsurf", "Windsurf")
};

/// It has no MCP servers of a project.
fn changes(setup: &Setup) -> Vec<SettingsChange> {
    if setup.scope == InstallScope::Project {
        return Vec::new();
    }
    let file = setup.home.join(".codeium/windsurf/mcp_config.json");
    let entry = SettingsEdit::put(&["mcpServers", "modekeeper"], setup.mcp_entry());
    vec![SettingsChange::json(ChangePurpose::Mcp, file, vec![entry])]
}
