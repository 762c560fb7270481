//! The agent's conversation that a call belongs to: the hook of a client, its MCP server and its shell are one.
//!
//! The hook opens conversations. Here they are only found: by the session that the client names, else by its process.

use mk_policy::{Mode, widens};
use mk_store::{AgentSession, Conversation, ProcessIdentity};
use mk_types::{ConversationId, ModeSlug};
use serde_json::Value;

use crate::conversation::HeldConversation;
use crate::error::Error;
use crate::{Caller, Engine};

/// How a process of ours is tied to the agent that started it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct AgentLink {
    /// Sessions as clients name them to what they start, the surest first.
    sessions: Vec<AgentSession>,
    /// The processes above ours, the nearest first.
    processes: Vec<ProcessIdentity>,
    /// Sessions in the environment of a process that any program may have changed: they count where no process does.
    traces: Vec<AgentSession>,
}

impl AgentLink {
    pub fn new(processes: Vec<ProcessIdentity>) -> Self {
        Self {
            sessions: Vec::new(),
            processes,
            traces: Vec::new(),
        }
    }

    /// Whether nothing is known that could lead to an agent.
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty() && self.processes.is_empty() && self.traces.is_empty()
    }

    /// Adds a session that a client has named.
    #[must_use]
    pub fn with_session(mut self, client: &str, session: &str) -> Self {
        self.sessions.push(AgentSession {
            name: client.to_owned(),
            session: session.to_owned(),
        });
        self
    }

    /// Adds a session that is only a trace of a client.
    #[must_use]
    pub fn with_trace(mut self, client: &str, session: &str) -> Self {
        let found = Self::default().with_session(client, session);
        self.traces.extend(found.sessions);
        self
    }

    /// Adds what the client says about one call, which is surer than what it said at the start.
    #[must_use]
    pub fn with_call<'a>(mut self, meta: impl Fn(&str) -> Option<&'a Value>) -> Self {
        if let Some((client, session)) = mk_clients::session_of_call(meta) {
            let named = Self::default().with_session(client.slug(), session);
            self.sessions.splice(0..0, named.sessions);
        }
        self
    }
}

impl Engine {
    /// What holds the agent's conversation that a caller is part of; `None` where there is none, or nothing holds it.
    pub(crate) fn held_caller(&self, caller: &Caller) -> Result<Option<HeldConversation>, Error> {
        match self.agent_conversation(caller)? {
            Some(found) => self.conversations().held(&found, None),
            None => Ok(None),
        }
    }

    /// The agent's conversation that a caller is part of.
    ///
    /// 1. The conversation of the first session that its hook or its proxy has told of.
    /// 2. That of the nearest process above; of several in one process, the narrowest.
    /// 3. That of the first session of which the process has only a trace: an agent has left it behind.
    fn agent_conversation(&self, caller: &Caller) -> Result<Option<Conversation>, Error> {
        let Some(link) = &caller.agent else {
            return Ok(None);
        };
        let store = &self.inner.store;
        for session in &link.sessions {
            if let Some(found) = store.conversation_of_client(session)? {
                return Ok(Some(found));
            }
        }
        if let Some(found) = self.conversations().of_nearest(&link.processes)? {
            return Ok(Some(found));
        }
        for session in &link.traces {
            if let Some(found) = store.conversation_of_client(session)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The conversation in which a person speaks with the caller: the agent's own, or the one that started its
    /// subagent; without an agent, the connection's.
    pub(crate) fn spoken_in(&self, caller: &Caller) -> Result<Option<ConversationId>, Error> {
        let Some(mut found) = self.agent_conversation(caller)? else {
            return Ok(caller.conversation.id.clone());
        };
        while let Some(parent) = found.parent.clone() {
            match self.inner.store.conversation(&parent)? {
                Some(parent) if parent.client.name == found.client.name => found = parent,
                _ => break,
            }
        }
        Ok(Some(found.id))
    }

    /// Takes the agent's conversation along when a task has ended and another mode is in force again. A person who has
    /// narrowed it since keeps it narrow.
    pub(crate) async fn return_to(&self, caller: &Caller, ended: &ModeSlug) -> Result<(), Error> {
        let Some(held) = self.held_caller(caller)? else {
            return Ok(());
        };
        let governing = self.governing(caller)?;
        let (slug, _) = self.mode_without_session(caller, &governing, Some(&held))?;
        let catalogue = self.modes().catalogue_at(&held.conversation.root.path);
        let narrower = |mode: &Mode| !widens(&held.mode, mode);
        let is_back =
            held.mode.slug == *ended || catalogue.get(slug.as_str()).is_some_and(|it| narrower(it));
        if is_back && held.mode.slug != slug {
            let (conversation, store) = (held.conversation, &self.inner.store);
            let followed =
                store.follow_conversation(&conversation.id, conversation.mode, slug.clone());
            // Where it did not, a person has changed it since.
            let _followed: bool = followed.await?;
        }
        Ok(())
    }
}
