//! Roo Code, whose mode format the others carry on.

use crate::client::{Client, ClientId};

pub(crate) const PROJECT_MODE_FILE: &str = ".roomodes";
pub(crate) const EXTENSION: &str = "rooveterinaryinc.roo-cline";

pub(crate) const CLIENT: Client = Client::new(ClientId::Roo, "roo", "Roo Code");
