//! Kilo Code: modes up to version 5, agents in newer ones, whose settings are OpenCode's.

use serde_json::json;

use crate::client::{Client, ClientId};
use crate::install::{Change, Purpose, Scope, Setup};
use crate::settings::Edit;

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

fn changes(setup: &Setup) -> Vec<Change> {
    let directory = match setup.scope {
        Scope::User => setup.config_home.join("kilo"),
        Scope::Project => setup.project.clone(),
    };
    let entry = json!({
        "type": "local", "command": [setup.program_text(), "mcp"], "enabled": true,
    });
    let entry = Edit::put(&["mcp", "modekeeper"], entry);
    let file = Change::json(Purpose::Mcp, directory.join("kilo.jsonc"), vec![entry]);
    vec![
        file.or(directory.join("kilo.jsonc"))
            .or(directory.join("kilo.json")),
    ]
}
