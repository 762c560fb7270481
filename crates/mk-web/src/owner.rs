//! Which agent a request of this machine comes from: whatever it starts may ask this server, and is held by the mode of
//! its conversation here too.
//!
//! Looked up where agents are known, once for each connection: it takes a look at every process of the machine.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use mk_engine::{AgentLink, Engine, Error};
use mk_types::lock;

use crate::peer::{Peer, PeerUser};

/// More connections than are open at a time; then all are looked up again.
const MOST_KNOWN: usize = 4096;

/// What leads from the processes that have a socket of this number to an agent.
type FindAgent = dyn Fn(u64) -> AgentLink + Send + Sync;

/// Knows whose sockets are at the other end.
#[derive(Clone)]
pub struct SocketOwners {
    find: Arc<FindAgent>,
    /// The kernel does not use a socket's number again before it has used all others.
    known: Arc<Mutex<HashMap<u64, AgentLink>>>,
}

impl fmt::Debug for SocketOwners {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SocketOwners").finish_non_exhaustive()
    }
}

impl SocketOwners {
    pub fn new(find: impl Fn(u64) -> AgentLink + Send + Sync + 'static) -> Self {
        Self {
            find: Arc::new(find),
            known: Arc::default(),
        }
    }

    /// The agent that a request may come from; none where no agent is known or it comes from elsewhere. A process that
    /// has gone, so that what it was below is unknown, is refused.
    pub(crate) async fn of(
        &self,
        engine: &Engine,
        peer: Option<Peer>,
    ) -> Result<Option<AgentLink>, Error> {
        let local = peer.filter(|peer| peer.user == PeerUser::Same);
        let Some(socket) = local.and_then(|peer| peer.socket) else {
            return Ok(None);
        };
        if let Some(known) = self.lock().get(&socket) {
            return Ok(Some(known.clone()));
        }
        // While the store cannot be read, calls are decided by what is known, and only reading is allowed.
        let is_any_running = engine.conversations().is_any_agent_running();
        if !is_any_running.unwrap_or_default() {
            return Ok(None);
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
        Ok(Some(found))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, AgentLink>> {
        lock(&self.known)
    }
}
