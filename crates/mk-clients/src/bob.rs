//! IBM Bob.

use std::path::{Path, PathBuf};

use crate::client::{Client, ClientId};
use crate::install::{ChangePurpose, InstallScope, SettingsChange, Setup};
use crate::settings::SettingsEdit;

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

fn changes(setup: &Setup) -> Vec<SettingsChange> {
    let file = match setup.scope {
        InstallScope::User => setup.home.join(".bob/settings/mcp_settings.json"),
        InstallScope::Project => setup.project.join(".bob/mcp.json"),
    };
    let entry = SettingsEdit::put(&["mcpServers", "modekeeper"], setup.mcp_entry());
    vec![SettingsChange::json(ChangePurpose::Mcp, file, vec![entry])]
}
