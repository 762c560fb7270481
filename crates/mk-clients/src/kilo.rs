//! Kilo Code: modes up to version 5, agents in newer ones, whose settings are OpenCode's.

use serde_json::json;

use crate::client::{Client, ClientId};
use crate::install::{ChangePurpose, InstallScope, SettingsChange, Setup};
use crate::settings::SettingsEdit;

pub(crate) const PROJECT_MODE_FILE: &str = ".kilocodemodes";
pub(crate) const DIRECTORY: &str = ".kilocode";
pub(crate) const EXTENSION: &str = "kilocode.kilo-code";

pub(crate) const CLIENT: Client = Client {
    traces: &[".config/kilo"],
    changes: Some(changes),
    aliases: &["kilocode"],
    programs: &["kilo"],
    ..Client::new(ClientId::Kilo, "kilo", "Kilo Code")
};

fn changes(setup: &Setup) -> Vec<SettingsChange> {
    let directory = match setup.scope {
        InstallScope::User => setup.config_home.join("kilo"),
        InstallScope::Project => setup.project.clone(),
    };
    let entry = json!({
        "type": "local", "command": [setup.program_text(), "mcp"], "enabled": true,
    });
    let entry = SettingsEdit::put(&["mcp", "modekeeper"], entry);
    let file = SettingsChange::json(
        ChangePurpose::Mcp,
        directory.join("kilo.jsonc"),
        vec![entry],
    );
    vec![
        file.or(directory.join("kilo.jsonc"))
            .or(directory.join("kilo.json")),
    ]
}
