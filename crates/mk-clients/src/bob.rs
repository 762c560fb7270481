//! IBM Bob.

use std::path::{Path, PathBuf};

use crate::client::{Client, ClientId};
use crate::install::{Change, Purpose, Scope, Setup};
use crate::settings::Edit;

pub(crate) const DIRECTORY: &str = ".bob";
pub(crate) const PROJECT_MODE_FILE: &str = ".bob/custom_modes.yaml";

pub(crate) const CLIENT: Client = Client {
    traces: &[".bob"],
    changes: Some(changes),
    ..Client::new(ClientId::Bob, "bob", "IBM Bob")
};

pub(crate) fn global_mode_file(home: &Path) -> PathBuf {
    home.join(".bob/settings/custom_modes.yaml")
}

fn changes(setup: &Setup) -> Vec<Change> {
    let file = match setup.scope {
        Scope::User => setup.home.join(".bob/settings/mcp_settings.json"),
        Scope::Project => setup.project.join(".bob/mcp.json"),
    };
    let entry = Edit::put(&["mcpServers", "modekeeper"], setup.mcp_entry());
    vec![Change::json(Purpose::Mcp, file, vec![entry])]
}
