//! Which revision of a file each task has last read or written, so that nothing unseen is overwritten.

use std::collections::HashMap;

use mk_types::{ProjectPath, SessionId, lock};

use crate::Engine;

/// More than a busy day's work; beyond it the oldest half is forgotten, which only means fewer warnings.
const MOST_REMEMBERED: usize = 20_000;

/// The revisions by task and file.
#[derive(Debug, Default)]
pub(crate) struct RememberedRevisions {
    revisions: HashMap<(SessionId, ProjectPath), (u64, String)>,
    counter: u64,
}

impl Engine {
    /// Notes what a session has seen of a file.
    pub(crate) fn saw(&self, session: Option<&SessionId>, path: &ProjectPath, revision: &str) {
        let Some(session) = session else { return };
        let mut seen = lock(&self.inner.remembered);
        seen.counter += 1;
        let entry = (seen.counter, revision.to_owned());
        seen.revisions
            .insert((session.clone(), path.clone()), entry);
        if seen.revisions.len() > MOST_REMEMBERED {
            let oldest = seen.counter.saturating_sub(MOST_REMEMBERED as u64 / 2);
            seen.revisions.retain(|_, (at, _)| *at > oldest);
        }
    }

    /// The revision that a session has last seen.
    pub(crate) fn seen(&self, session: Option<&SessionId>, path: &ProjectPath) -> Option<String> {
        let key = (session?.clone(), path.clone());
        let seen = lock(&self.inner.remembered);
        seen.revisions
            .get(&key)
            .map(|(_, revision)| revision.clone())
    }
}
