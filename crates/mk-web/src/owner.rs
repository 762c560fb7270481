//! Which agent a request of this machine comes from: whatever it starts may ask this server, and is held by the mode of
//! its conversation here too.
//!
//! Looked up where agents are known, once for each connection: it takes a look at every process of the machine.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use mk_engine::{Engine, Error, ProcessIdentity};
use mk_types::lock;

use crate::peer::{Peer, PeerUser};

/// More connections than are open at a time; then all are looked up again.
const MOST_KNOWN: usize = 4096;

/// The processes that have a socket of this number, each followed by those above it.
type FindProcesses = dyn Fn(u64) -> Vec<ProcessIdentity> + Send + Sync;

/// Knows whose sockets are at the other end.
#[derive(Clone)]
pub struct SocketOwners {
    find: Arc<FindProcesses>,
    /// The kernel does not use a socket's number again before it has used all others.
    known: Arc<Mutex<HashMap<u64, Vec<ProcessIdentity>>>>,
}

impl fmt::Debug for SocketOwners {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SocketOwners").finish_non_exhaustive()
    }
}

impl SocketOwners {
    pub fn new(find: impl Fn(u64) -> Vec<ProcessIdentity> + Send + Sync + 'static) -> Self {
        Self {
            find: Arc::new(find),
            known: Arc::default(),
        }
    }

    /// The processes that a request comes from; none where no agent is known or it comes from elsewhere. A process that
    /// has gone, so that nobody can tell what it was below, is refused.
    pub(crate) async fn of(
        &self,
        engine: &Engine,
        peer: Option<Peer>,
    ) -> Result<Vec<ProcessIdentity>, Error> {
        let local = peer.filter(|peer| peer.user == PeerUser::Same);
        let Some(socket) = local.and_then(|peer| peer.socket) else {
            return Ok(Vec::new());
        };
        if let Some(known) = self.lock().get(&socket) {
            return Ok(known.clone());
        }
        // While the store cannot be read, calls are decided by what is known, and only reading is allowed.
        let is_any_running = engine.conversations().is_any_agent_running();
        if !is_any_running.unwrap_or_default() {
            return Ok(Vec::new());
        }
        let find = Arc::clone(&self.find);
        let found = tokio::task::spawn_blocking(move || find(socket)).await;
        let found = found.unwrap_or_default();
        if found.is_empty() {
            return Err(Error::Denied {
                rule: None,
                message: "cannot tell which process this request comes from".to_owned(),
                hint: Some(
                    "keep the connection open until the answer is there, or use a token".into(),
                ),
            });
        }
        let mut known = self.lock();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(socket, found.clone());
        Ok(found)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Vec<ProcessIdentity>>> {
        lock(&self.known)
    }
}
