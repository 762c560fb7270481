//! Zoo Code: shares Roo's project files, has a storage of its own.

use crate::client::{Client, ClientId};
use crate::install::{SettingsChange, Setup};
use crate::roo;

pub(crate) const EXTENSION: &str = "zoocodeorganization.zoo-code";

pub(crate) const CLIENT: Client = Client {
    changes: Some(changes),
    ..Client::new(ClientId::Zoo, "zoo", "Zoo Code")
};

fn changes(setup: &Setup) -> Vec<SettingsChange> {
    roo::changes_for(EXTENSION, setup)
}
