//! Windsurf. It has no hooks that we know.

use crate::client::{Client, ClientId};
use crate::install::{Change, Purpose, Setup};
use crate::settings::Edit;

pub(crate) const CLIENT: Client = Client {
    programs: &["windsurf"],
    traces: &[".codeium/windsurf"],
    changes: Some(changes),
    ..Client::new(ClientId::Windsurf, "windsurf", "Windsurf")
};

/// It has no MCP servers of a project.
fn changes(setup: &Setup) -> Vec<Change> {
    let file = setup.home.join(".codeium/windsurf/mcp_config.json");
    let entry = Edit::put(&["mcpServers", "modekeeper"], setup.mcp_entry());
    vec![Change::json(Purpose::Mcp, file, vec![entry])]
}
