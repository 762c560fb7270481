//! Continue. It has no hooks that we know.

use crate::client::{Client, ClientId};

pub(crate) const CLIENT: Client = Client::new(ClientId::Continue, "continue", "Continue");
