//! What others change while a session runs: mode files, a mode set on the command line, approval requests of the hook.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mk_engine::EngineChange;
use mk_types::{ApprovalId, ConversationId};
use serde_json::json;
use tokio::sync::broadcast::{Receiver, error::TryRecvError};

use crate::proxy::Core;
use crate::shown::ShownModes;

/// How often the store is looked at: other processes write it, and nothing rings.
const LOOK: Duration = Duration::from_millis(200);
/// After so many looks, what the lines since then have needed is given back; and once more after as many again, because
/// the store writes for up to a second what the last line has brought.
const LOOKS_TO_REST: u64 = 4;

/// Whether mode files have changed since the last look. One who has missed something looks too.
fn has_news(changes: &mut Receiver<EngineChange>) -> bool {
    let mut found = false;
    loop {
        match changes.try_recv() {
            Ok(_) | Err(TryRecvError::Lagged(_)) => found = true,
            Err(TryRecvError::Empty | TryRecvError::Closed) => return found,
        }
    }
}

impl Core {
    pub(crate) async fn watch(self: Arc<Self>) {
        let mut ticks = tokio::time::interval(LOOK);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut files = self.engine.changes();
        let (mut rested_at, mut rests_again, mut seen) = (0, false, None);
        for look in 1_u64.. {
            ticks.tick().await;
            let passed = self.passed.load(Ordering::Relaxed);
            if look % LOOKS_TO_REST == 0 {
                let has_passed = passed != rested_at;
                if has_passed || rests_again {
                    (self.options.rest)();
                }
                (rested_at, rests_again) = (passed, has_passed);
            }
            let sessions: Vec<(String, ConversationId)> = {
                let state = self.lock();
                let known = state.sessions.iter();
                let mut found: Vec<_> = known
                    .filter(|(_, it)| it.shown.is_some())
                    .map(|(id, it)| (id.clone(), it.conversation.clone()))
                    .collect();
                found.sort();
                found
            };
            // A proxy at rest asks for one number: what else is looked at costs time and memory five times a second.
            let version = self.engine.version().ok();
            let now = version.map(|version| (version, sessions.clone()));
            let is_same = now.is_some() && now == seen;
            if !has_news(&mut files) && is_same {
                continue;
            }
            seen = now;
            for (session, conversation) in sessions {
                self.refresh(&session).await;
                self.show_requests(&session, &conversation);
            }
        }
    }

    /// Tells the editor what has changed about a session's modes, if anything has.
    pub(crate) async fn refresh(self: &Arc<Self>, session: &str) {
        let place = self.with_session(session, |it| {
            (
                it.conversation.clone(),
                it.seat.directory.clone(),
                it.mode.clone(),
            )
        });
        let Some((conversation, directory, before)) = place else {
            return;
        };
        let found = self.engine.conversations().mode_in_force(&conversation);
        let mode = match found {
            Ok(found) => found.unwrap_or_else(|| before.clone()),
            Err(error) => {
                tracing::warn!(%error, "the mode of the session cannot be read");
                return;
            }
        };
        let shown = ShownModes::of(&self.engine, &directory, &mode);
        let is_new = self.with_session(session, |it| {
            it.mode = mode.clone();
            let is_new = it.shown.as_ref() != Some(&shown);
            it.shown = Some(shown.clone());
            is_new
        });
        if is_new != Some(true) {
            return;
        }
        if mode != before {
            self.update(session, &shown.mode_update()).await;
        }
        let options = self.options_of(session);
        let update = json!({ "sessionUpdate": "config_option_update", "configOptions": options });
        self.update(session, &update).await;
    }

    /// Shows what the hook waits for.
    fn show_requests(self: &Arc<Self>, session: &str, conversation: &ConversationId) {
        let pending = match self.engine.approvals().pending_in(conversation) {
            Ok(pending) => pending,
            Err(error) => {
                tracing::warn!(%error, "approval requests cannot be read");
                return;
            }
        };
        for request in pending {
            if self.begin_asking(session, &request.id) {
                let (core, session) = (Arc::clone(self), session.to_owned());
                tokio::spawn(async move {
                    core.ask_person(&session, &request, None).await;
                });
            }
        }
    }

    /// Whether nobody is asking this yet.
    pub(crate) fn begin_asking(&self, session: &str, id: &ApprovalId) -> bool {
        let began = self.with_session(session, |it| {
            let is_new = !it.asking.contains(id);
            if is_new {
                it.asking.push(id.clone());
            }
            is_new
        });
        began.unwrap_or_default()
    }
}
