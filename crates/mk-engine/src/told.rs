//! What a conversation has been told already, so that an answer need not repeat it.
//!
//! Only fingerprints are kept, and only in memory: who was not told lately is told again.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use mk_types::lock;

use crate::{Caller, Engine};

/// Beyond these the half that has been silent longest is forgotten, which only means longer answers.
const MOST_CONVERSATIONS: usize = 2_000;

/// Fingerprints by conversation and part.
#[derive(Debug, Default)]
pub(crate) struct ToldParts {
    conversations: HashMap<String, (u64, HashMap<String, u64>)>,
    counter: u64,
}

impl Engine {
    /// Which of the parts the caller's conversation has been told in these words. A caller without a conversation knows
    /// nothing.
    pub fn is_known_to(&self, caller: &Caller, parts: &[(String, String)]) -> Vec<bool> {
        let told = lock(&self.inner.told);
        let known = conversation(caller).and_then(|key| told.conversations.get(&key));
        parts
            .iter()
            .map(|(part, text)| {
                known.is_some_and(|(_, known)| known.get(part) == Some(&fingerprint(text)))
            })
            .collect()
    }

    /// Notes what the caller's conversation has been told.
    pub fn note_told(&self, caller: &Caller, parts: &[(String, String)]) {
        let Some(key) = conversation(caller) else {
            return;
        };
        let mut told = lock(&self.inner.told);
        told.counter += 1;
        let now = told.counter;
        if told.conversations.len() > MOST_CONVERSATIONS {
            let oldest = now.saturating_sub(MOST_CONVERSATIONS as u64 / 2);
            told.conversations.retain(|_, (at, _)| *at > oldest);
        }
        let (at, known) = told.conversations.entry(key).or_default();
        *at = now;
        for (part, text) in parts {
            known.insert(part.clone(), fingerprint(text));
        }
    }
}

fn conversation(caller: &Caller) -> Option<String> {
    caller.conversation.id.as_ref().map(ToString::to_string)
}

fn fingerprint(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
