//! IBM Bob.

use std::path::{Path, PathBuf};

use crate::client::{Client, ClientId};

pub(crate) const PROJECT_MODE_FILE: &str = ".bob/custom_modes.yaml";

pub(crate) const CLIENT: Client = Client::new(ClientId::Bob, "bob", "IBM Bob");

pub(crate) fn global_mode_file(home: &Path) -> PathBuf {
    home.join(".bob/settings/custom_modes.yaml")
}
