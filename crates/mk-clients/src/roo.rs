//! Roo Code, whose mode format the others carry on.

use crate::client::{Client, ClientId};
use crate::install::{Change, Purpose, Scope, Setup};
use crate::settings::Edit;
use crate::vscode;

pub(crate) const PROJECT_MODE_FILE: &str = ".roomodes";
pub(crate) const IGNORE_FILE: &str = ".rooignore";
pub(crate) const DIRECTORY: &str = ".roo";
/// Rules of a project in one file; those of a mode have its slug behind a dash.
pub(crate) const RULES_FILE: &str = ".roorules";
pub(crate) const EXTENSION: &str = "rooveterinaryinc.roo-cline";

pub(crate) const CLIENT: Client = Client {
    changes: Some(changes),
    ..Client::new(ClientId::Roo, "roo", "Roo Code")
};

fn changes(setup: &Setup) -> Vec<Change> {
    let file = match setup.scope {
        Scope::User => vscode::application_data(&setup.home)
            .join("Code/User/globalStorage")
            .join(EXTENSION)
            .join("settings/mcp_settings.json"),
        Scope::Project => setup.project.join(".roo/mcp.json"),
    };
    let entry = Edit::put(&["mcpServers", "modekeeper"], setup.mcp_entry());
    vec![Change::json(Purpose::Mcp, file, vec![entry])]
}
