//! Zed. Its agents speak ACP; it has no hooks.

use crate::client::{Client, ClientId};

pub(crate) const CLIENT: Client = Client {
    programs: &["zed", "zeditor"],
    ..Client::new(ClientId::Zed, "zed", "Zed")
};
