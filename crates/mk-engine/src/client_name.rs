//! What clients of MCP call themselves, for people to read: nothing is decided by it.

use std::collections::HashMap;

use mk_store::DecisionFilter;
use mk_types::{ConversationId, lock};

use crate::conversation::Conversations;
use crate::error::Error;

/// Names that are remembered at most; more are strangers' doing, and the record of decisions has them too.
const MOST_NAMES: usize = 10_000;
/// Characters of a name that are kept.
const LONGEST_NAME: usize = 64;

pub(crate) type ClientNames = HashMap<ConversationId, String>;

/// A name as it is shown and recorded: on one line, and not for ever.
pub(crate) fn shown_name(name: &str) -> String {
    let name = name.chars().take(LONGEST_NAME);
    name.map(|it| if it.is_control() { '\u{fffd}' } else { it })
        .collect()
}

impl Conversations<'_> {
    /// Remembers what the client of a conversation calls itself, for as long as this process runs.
    pub fn introduce(&self, id: &ConversationId, name: &str) {
        let names = &self.engine.inner.client_names;
        let mut names = lock(names);
        if names.len() >= MOST_NAMES {
            names.clear();
        }
        if !names.contains_key(id) {
            names.insert(id.clone(), shown_name(name));
        }
    }

    /// What the client of a conversation is called; `None` where it has not said so and nothing was decided for it.
    pub fn client_of(&self, id: &ConversationId) -> Result<Option<String>, Error> {
        if let Some(found) = self.get(id)? {
            return Ok(Some(found.client.name));
        }
        let names = &self.engine.inner.client_names;
        let names = lock(names);
        if let Some(name) = names.get(id) {
            return Ok(Some(name.clone()));
        }
        drop(names);
        let filter = DecisionFilter {
            conversation: Some(id.clone()),
            limit: Some(1),
            ..DecisionFilter::default()
        };
        let last = self.engine.inner.store.decisions(&filter)?.pop();
        Ok(last.map(|decision| decision.client))
    }
}
