//! Zoo Code: shares Roo's project files, has a storage of its own.

use crate::client::{Client, ClientId};

pub(crate) const EXTENSION: &str = "zoocodeorganization.zoo-code";

pub(crate) const CLIENT: Client = Client::new(ClientId::Zoo, "zoo", "Zoo Code");
