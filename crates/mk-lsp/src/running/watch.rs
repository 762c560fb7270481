//! Diagnostics of a server that is not asked for them but publishes them, in its own time.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{DIAGNOSTIC, RunningServer, SETTLED, SILENCE, identifier};
use crate::ask::PendingQuestion;
use crate::message::request;
use crate::options::Limits;
use crate::published::PublishedProblems;
use crate::uri;

/// Nothing wrong is often only the first part, said before the server has looked closely.
const SETTLED_EMPTY: Duration = Duration::from_secs(1);

/// A question about diagnostics that the server does not answer: it publishes them.
#[derive(Debug)]
pub(super) struct DiagnosticsWatch {
    pub(super) ask: PendingQuestion,
    since: Instant,
    /// A request about the same document; when it is answered, the server has read the document.
    read: i64,
}

impl RunningServer {
    /// What it has published about a document as it is.
    pub(super) fn current(&self, path: &Path) -> Option<&PublishedProblems> {
        let version = self.documents.version(path)?;
        let shown = self.documents.shown_at(path)?;
        let said = self.published.of(&uri::of_path(path))?;
        let current = self.published.is_current(said, version, shown);
        current.then_some(said)
    }

    /// Waits for what the server publishes about a document.
    pub(super) fn watch(&mut self, ask: PendingQuestion, now: Instant) {
        let Some(shown) = &ask.document else {
            return self.reply(ask, Box::default());
        };
        // It has published what it knew before other files changed, and may not look again unless it must.
        if self.documents.shown_at(&shown.path) < self.changed {
            let mut notices = self.documents.close(&shown.path);
            notices.extend(self.documents.show(shown));
            self.notify(notices);
        }
        let read = self.pending.push(None, now);
        let params = json!({"textDocument": identifier(shown)});
        self.send(request(read, "textDocument/documentSymbol", &params));
        self.watches.push(DiagnosticsWatch {
            ask,
            since: now,
            read,
        });
    }

    /// Answers questions about diagnostics as soon as the server has said what it has to say.
    pub(super) fn settle(&mut self, now: Instant, limits: &Limits) {
        for watch in std::mem::take(&mut self.watches) {
            let path = watch.ask.document.as_ref().map(|shown| &*shown.path);
            let current = path.and_then(|path| self.current(path));
            let settled = current.is_some_and(|said| {
                let empty = said.diagnostics.get().trim() == "[]";
                let settled = if empty { SETTLED_EMPTY } else { SETTLED };
                now >= said.at + settled && now >= watch.since + SETTLED
            });
            let silent =
                !self.pending.contains(watch.read) && now >= self.heard.max(watch.since) + SILENCE;
            if settled {
                let result = current.map(|said| said.diagnostics.clone());
                self.reply(watch.ask, result.unwrap_or_default());
            } else if now >= watch.since + limits.request {
                let error = self.too_slow(DIAGNOSTIC, limits);
                watch.ask.finish(Err(error));
            } else if silent {
                self.reply(watch.ask, Box::default());
            } else {
                self.watches.push(watch);
            }
        }
    }
}
