//! Which rules a request follows: those of connections, or those of single requests.

use rmcp::RoleServer;
use rmcp::model::{CacheScope, ProtocolVersion};
use rmcp::service::RequestContext;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// Up to 2025-11-25.
    Connected,
    /// From 2026-07-28.
    Stateless,
}

impl Era {
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        match context.protocol_version() {
            // Versions are dates: they compare as text.
            Some(version) if version.as_str() >= ProtocolVersion::V_2026_07_28.as_str() => {
                Self::Stateless
            }
            _ => Self::Connected,
        }
    }

    /// How long a list may be kept, and by whom: files change at any time, and modes are the user's own.
    pub(crate) fn cache_hints(self) -> (Option<u64>, Option<CacheScope>) {
        match self {
            Self::Connected => (None, None),
            Self::Stateless => (Some(0), Some(CacheScope::Private)),
        }
    }
}

/// What the client calls itself: at the handshake, or with each request where there is none.
pub(crate) fn client_name(context: &RequestContext<RoleServer>) -> Option<String> {
    match Era::of(context) {
        Era::Connected => Some(context.peer.peer_info()?.client_info.name.clone()),
        Era::Stateless => {
            let client = context.meta.get("io.modelcontextprotocol/clientInfo")?;
            Some(client.get("name")?.as_str()?.to_owned())
        }
    }
}
