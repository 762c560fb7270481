//! A hash of the modes that decided, so that a record says under which policy it stood.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

use mk_policy::Mode;
use mk_types::lock;

use crate::conversation::HeldConversation;
use crate::trust::hash;

/// A mode, and the hash of its rights.
type KnownMode = (Weak<Mode>, Arc<str>);

/// Hashes of modes that are in use, because most calls come under the same few; by address.
#[derive(Debug, Default)]
pub(crate) struct Fingerprints(Mutex<HashMap<usize, KnownMode>>);

impl Fingerprints {
    /// Of what holds a conversation.
    pub(crate) fn of_held(&self, held: &HeldConversation) -> String {
        self.of([&held.mode].into_iter().chain(&held.ceilings))
    }

    /// Over the rights of every mode that counts, the own one first; names and instructions decide nothing.
    pub(crate) fn of<'a>(&self, modes: impl Iterator<Item = &'a Arc<Mode>>) -> String {
        let mut known = lock(&self.0);
        let mut text = String::with_capacity(16);
        for mode in modes {
            if !text.is_empty() {
                text.push('+');
            }
            let key = Arc::as_ptr(mode).addr();
            // A mode that is gone may have left its address to another one.
            let found = known.get(&key);
            let found = found.filter(|(known, _)| known.strong_count() > 0);
            let hash = match found {
                Some((_, hash)) => Arc::clone(hash),
                None => {
                    known.retain(|_, (mode, _)| mode.strong_count() > 0);
                    let rights = format!("{} {}", mode.slug, mode.rights());
                    let hash: Arc<str> = hash(&rights).into();
                    known.insert(key, (Arc::downgrade(mode), Arc::clone(&hash)));
                    hash
                }
            };
            text.push_str(&hash);
        }
        text
    }
}
