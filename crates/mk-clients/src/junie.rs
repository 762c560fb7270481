//! Junie. It has no hooks that we know.

use crate::client::{Client, ClientId};
use crate::install::{Change, Purpose, Scope, Setup};
use crate::settings::Edit;

pub(crate) const CLIENT: Client = Client {
    traces: &[".junie"],
    changes: Some(changes),
    ..Client::new(ClientId::Junie, "junie", "Junie")
};

fn changes(setup: &Setup) -> Vec<Change> {
    let file = match setup.scope {
        Scope::User => setup.home.join(".junie/mcp/mcp.json"),
        Scope::Project => setup.project.join(".junie/mcp/mcp.json"),
    };
    let entry = Edit::put(&["mcpServers", "modekeeper"], setup.mcp_entry());
    vec![Change::json(Purpose::Mcp, file, vec![entry])]
}
