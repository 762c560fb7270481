//! Zoo Code: shares Roo's project files, has a storage of its own.

use crate::client::{Client, ClientId};
use crate::install::{ChangePurpose, InstallScope, SettingsChange, Setup};
use crate::settings::SettingsEdit;
use crate::vscode;

pub(crate) const EXTENSION: &str = "zoocodeorganization.zoo-code";

pub(crate) const CLIENT: Client = Client {
    changes: Some(changes),
    ..Client::new(ClientId::Zoo, "zoo", "Zoo Code")
};

fn changes(setup: &Setup) -> Vec<SettingsChange> {
    let file = match setup.scope {
        InstallScope::User => vscode::application_data(&setup.home)
            .join("Code/User/globalStorage")
            .join(EXTENSION)
            .join("settings/mcp_settings.json"),
        InstallScope::Project => setup.project.join(".roo/mcp.json"),
    };
    let entry = SettingsEdit::put(&["mcpServers", "modekeeper"], setup.mcp_entry());
    vec![SettingsChange::json(ChangePurpose::Mcp, file, vec![entry])]
}
