//! Continue. It has no hooks that we know.

use serde_json::json;

use crate::client::{Client, ClientId};
use crate::install::{ChangePurpose, InstallScope, SettingsChange, Setup};

pub(crate) const CLIENT: Client = Client {
    programs: &["cn"],
    traces: &[".continue"],
    changes: Some(changes),
    ..Client::new(ClientId::Continue, "continue", "Continue")
};

fn changes(setup: &Setup) -> Vec<SettingsChange> {
    let directory = match setup.scope {
        InstallScope::User => setup.home.join(".continue"),
        InstallScope::Project => setup.project.join(".continue"),
    };
    // JSON is YAML too.
    let program = json!(setup.program_text());
    let text = format!(
        "name: Modekeeper\nversion: 0.0.1\nschema: v1\nmcpServers:\n  - name: modekeeper\n    command: {program}\n    args: [\"mcp\"]\n"
    );
    let file = directory.join("mcpServers/modekeeper.yaml");
    vec![SettingsChange::whole(ChangePurpose::Mcp, file, text)]
}
