//! What the proxy remembers of one of the agent's sessions. The mode itself is in the store, where the hook and the
//! command line see it too.

use std::collections::HashMap;

use mk_clients::AcpCall;
use mk_engine::{AgentSession, Seat};
use mk_types::{AbsPath, ApprovalId, ConversationId, ModeSlug};
use serde_json::value::RawValue;
use tokio::sync::watch;

use crate::grant::WriteGrant;
use crate::shown::ShownModes;

/// Calls whose end has not been told. More than this is an agent that never ends one.
const MOST_CALLS: usize = 512;

#[derive(Debug)]
pub(crate) struct AcpSession {
    pub(crate) seat: Seat,
    pub(crate) conversation: ConversationId,
    /// The mode that the editor shows.
    pub(crate) mode: ModeSlug,
    /// The agent's own options besides its mode, as it wrote them.
    pub(crate) options: Vec<Box<RawValue>>,
    pub(crate) inner: AgentSelector,
    pub(crate) calls: Calls,
    /// Files that a person has just agreed to: the write that follows is part of that.
    pub(crate) granted: Vec<WriteGrant>,
    /// Refusals that the model has not heard of.
    pub(crate) unheard: Vec<String>,
    /// Approval requests that are shown in the editor now.
    pub(crate) asking: Vec<ApprovalId>,
    /// Turns that it has had here; one for all those before it was loaded.
    pub(crate) past: usize,
    /// Turns under way.
    pub(crate) turns: usize,
    /// Its past is being told again: nothing in it happens now.
    pub(crate) loading: bool,
    /// What the agent says is not for the editor: it tells a past that the editor knows.
    pub(crate) quiet: bool,
    /// What the editor was shown last.
    pub(crate) shown: Option<ShownModes>,
    /// Becomes true when the agent's own selector has been pinned.
    pub(crate) pinned: Option<watch::Receiver<bool>>,
    /// What `session/load` needs, for agents that are started again.
    pub(crate) opened_with: Option<Box<RawValue>>,
}

/// The agent's own mode selector.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AgentSelector {
    pub(crate) current: Option<String>,
    pub(crate) available: Vec<String>,
    /// The id of the option, where it is offered as one.
    pub(crate) option: Option<String>,
    /// Whether it is offered as `modes`.
    pub(crate) has_modes: bool,
    /// Options that would let calls pass unasked, with their values now.
    pub(crate) loose: Vec<(String, String)>,
}

/// Calls under way, by id.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    known: HashMap<String, AcpCall>,
    order: Vec<String>,
    /// Those that were asked about.
    asked: Vec<String>,
}

impl Calls {
    /// Joins what a message says of a call, and gives all that is known of it.
    pub(crate) fn join(&mut self, id: &str, message: &serde_json::Value) -> AcpCall {
        if !self.known.contains_key(id) {
            if self.order.len() >= MOST_CALLS {
                let oldest = self.order.remove(0);
                self.known.remove(&oldest);
            }
            self.order.push(id.to_owned());
        }
        let call = self.known.entry(id.to_owned()).or_default();
        id.clone_into(&mut call.id);
        call.join(message);
        call.clone()
    }

    pub(crate) fn end(&mut self, id: &str) {
        self.known.remove(id);
        self.order.retain(|it| it != id);
        self.asked.retain(|it| it != id);
    }

    pub(crate) fn ask(&mut self, id: &str) {
        if self.asked.len() >= MOST_CALLS {
            self.asked.remove(0);
        }
        self.asked.push(id.to_owned());
    }

    pub(crate) fn is_asked(&self, id: &str) -> bool {
        self.asked.iter().any(|it| it == id)
    }
}

/// Who speaks in a session.
pub(crate) fn seat(client: &str, session: &str, directory: AbsPath) -> Seat {
    Seat {
        client: AgentSession {
            name: client.to_owned(),
            session: session.to_owned(),
        },
        parent: None,
        directory,
        process: None,
        above: Vec::new(),
    }
}

impl AcpSession {
    pub(crate) fn new(seat: Seat, conversation: ConversationId, mode: ModeSlug) -> Self {
        Self {
            seat,
            conversation,
            mode,
            options: Vec::new(),
            inner: AgentSelector::default(),
            calls: Calls::default(),
            granted: Vec::new(),
            unheard: Vec::new(),
            asking: Vec::new(),
            past: 0,
            turns: 0,
            loading: false,
            quiet: false,
            shown: None,
            pinned: None,
            opened_with: None,
        }
    }
}
