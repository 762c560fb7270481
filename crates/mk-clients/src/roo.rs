//! Roo Code, whose mode format the others carry on.

use crate::client::{Client, ClientId};
use crate::install::{ChangePurpose, InstallScope, SettingsChange, Setup};
use crate::settings::SettingsEdit;
use crate::vscode;

pub(crate) const PROJECT_MODE_FILE: &str = ".roomodes";
pub(crate) const IGNORE_FILE: &str = ".rooignore";
pub(crate) const DIRECTORY: &str = ".roo";
/// Configuration of the family, below a home directory.
pub(crate) const HOME_DIRECTORY: &str = ".roo-code";
/// Rules of a project in one file; those of a mode have its slug behind a dash.
pub(crate) const RULES_FILE: &str = ".roorules";
pub(crate) const EXTENSION: &str = "rooveterinaryinc.roo-cline";

pub(crate) const CLIENT: Client = Client {
    changes: Some(changes),
    ..Client::new(ClientId::Roo, "roo", "Roo Code")
};

fn changes(setup: &Setup) -> Vec<SettingsChange> {
    changes_for(EXTENSION, setup)
}

/// What Roo or an extension that carries on its files is told.
pub(crate) fn changes_for(extension: &str, setup: &Setup) -> Vec<SettingsChange> {
    let file = match setup.scope {
        InstallScope::User => vscode::application_data(&setup.home)
            .join("Code/User/globalStorage")
            .join(extension)
            .join("settings/mcp_settings.json"),
        InstallScope::Project => setup.project.join(".roo/mcp.json"),
    };
    let entry = SettingsEdit::put(&["mcpServers", "modekeeper"], setup.mcp_entry());
    vec![SettingsChange::json(ChangePurpose::Mcp, file, vec![entry])]
}
