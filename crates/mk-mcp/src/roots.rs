//! The folders that a client says it works in, up to 2025-11-25.
//!
//! Asked when a request first needs to know, so that most connections never ask; later revisions have no roots.

#![expect(
    deprecated,
    reason = "roots are deprecated from 2026-07-28 on; older clients have them"
)]

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mk_types::{AbsPath, lock};
use percent_encoding::percent_decode_str;
use rmcp::RoleServer;
use rmcp::service::Peer;
use tokio::sync::OnceCell;

/// A client that does not answer within this time works without roots.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is known of a connection's roots.
#[derive(Debug, Default)]
pub(crate) struct Roots {
    /// Empty until somebody has asked; requests that come together ask once.
    cell: Mutex<Arc<OnceCell<Vec<AbsPath>>>>,
}

impl Roots {
    pub(crate) fn known(&self) -> Vec<AbsPath> {
        self.cell().get().cloned().unwrap_or_default()
    }

    /// Asks the client unless it has been asked.
    pub(crate) async fn learn(&self, peer: &Peer<RoleServer>) {
        if has_roots(peer) {
            self.cell().get_or_init(|| ask(peer)).await;
        }
    }

    /// The client has other roots now. They are asked for at once if anybody has needed them before.
    pub(crate) async fn renew(&self, peer: &Peer<RoleServer>) {
        if self.cell().initialized() {
            let renewed = Arc::new(OnceCell::new_with(Some(ask(peer).await)));
            *lock(&self.cell) = renewed;
        }
    }

    fn cell(&self) -> Arc<OnceCell<Vec<AbsPath>>> {
        Arc::clone(&lock(&self.cell))
    }
}

async fn ask(peer: &Peer<RoleServer>) -> Vec<AbsPath> {
    match tokio::time::timeout(PATIENCE, peer.list_roots()).await {
        Ok(Ok(answer)) => {
            let uris = answer.roots.iter().map(|root| root.uri.as_str());
            uris.filter_map(folder).collect()
        }
        Ok(Err(error)) => {
            tracing::warn!(%error, "the client did not list its roots");
            Vec::new()
        }
        Err(_) => {
            tracing::warn!("the client timed out while listing its roots");
            Vec::new()
        }
    }
}

fn has_roots(peer: &Peer<RoleServer>) -> bool {
    peer.peer_info()
        .is_some_and(|client| client.capabilities.roots.is_some())
}

/// The existing folder that a `file://` address names.
fn folder(uri: &str) -> Option<AbsPath> {
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let path = percent_decode_str(path).decode_utf8().ok()?;
    AbsPath::new(Path::new(&*path)).filter(|folder| folder.as_path().is_dir())
}
