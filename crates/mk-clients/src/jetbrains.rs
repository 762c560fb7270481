//! JetBrains editors. Their agents speak ACP; they have no hooks.

use crate::client::{Client, ClientId};

pub(crate) const CLIENT: Client = Client {
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
