//! Requests that a server has not answered yet, whether somebody still waits for them or not.
//!
//! One that nobody waits for is kept all the same: it is work that the server has, and silence about it tells that
//! the server hangs.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::ask::PendingQuestion;

/// All of them, by the number they were sent with.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    by_id: BTreeMap<i64, SentQuestion>,
    last_id: i64,
}

#[derive(Debug)]
struct SentQuestion {
    ask: Option<PendingQuestion>,
    at: Instant,
}

impl Pending {
    /// Notes a request, and gives it a number that no other has.
    pub(crate) fn push(&mut self, ask: Option<PendingQuestion>, now: Instant) -> i64 {
        self.last_id += 1;
        self.by_id
            .insert(self.last_id, SentQuestion { ask, at: now });
        self.last_id
    }

    pub(crate) fn len(&self) -> usize {
        self.by_id.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    pub(crate) fn contains(&self, id: i64) -> bool {
        self.by_id.contains_key(&id)
    }

    /// It was answered; the question if somebody waits for it.
    pub(crate) fn take(&mut self, id: i64) -> Option<PendingQuestion> {
        self.by_id.remove(&id)?.ask
    }

    /// Nobody waits for this question any more; the number under which the server knows it, and when it was sent.
    pub(crate) fn forget(&mut self, ticket: u64) -> Option<(i64, Instant)> {
        let asked = |sent: &SentQuestion| sent.ask.as_ref().is_some_and(|ask| ask.ticket == ticket);
        let (id, sent) = self.by_id.iter_mut().find(|(_, sent)| asked(sent))?;
        sent.ask = None;
        Some((*id, sent.at))
    }

    /// Takes out what was sent longer ago than `limit`.
    pub(crate) fn take_late(
        &mut self,
        now: Instant,
        limit: Duration,
    ) -> Vec<(i64, Option<PendingQuestion>)> {
        let late = self.by_id.extract_if(.., |_, sent| now >= sent.at + limit);
        late.map(|(id, sent)| (id, sent.ask)).collect()
    }

    /// Takes out everything that somebody waits for.
    pub(crate) fn abandon(&mut self) -> Vec<PendingQuestion> {
        let all = std::mem::take(&mut self.by_id).into_values();
        all.filter_map(|sent| sent.ask).collect()
    }
}
