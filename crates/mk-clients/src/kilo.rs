//! Kilo Code: modes up to version 5, agents in newer ones, whose settings are OpenCode's.

use crate::client::{Client, ClientId};

pub(crate) const PROJECT_MODE_FILE: &str = ".kilocodemodes";
pub(crate) const EXTENSION: &str = "kilocode.kilo-code";

pub(crate) const CLIENT: Client = Client {
    aliases: &["kilocode"],
    programs: &["kilo"],
    ..Client::new(ClientId::Kilo, "kilo", "Kilo Code")
};
