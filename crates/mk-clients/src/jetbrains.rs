//! JetBrains editors. Their agents speak ACP; they have no hooks.

use crate::client::{Client, ClientId};

pub(crate) const CLIENT: Client = Client {
    open: &[
        "its MCP servers are set in the editor: Settings, Tools, AI Assistant, Model Context Protocol",
    ],
    traces: &[".jetbrains"],
    programs: &[
        "idea",
        "pycharm",
        "webstorm",
        "goland",
        "rustrover",
        "clion",
    ],
    ..Client::new(ClientId::JetBrains, "jetbrains", "JetBrains")
};
