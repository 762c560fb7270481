//! Windsurf. It has no hooks that we know.

use crate::client::{Client, ClientId};

pub(crate) const CLIENT: Client = Client::new(ClientId::Windsurf, "windsurf", "Windsurf");
