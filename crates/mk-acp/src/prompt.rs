//! Prompts: what the model has not heard yet follows the person's words, because agents make titles and commands of the
//! first of them.

use std::sync::Arc;
use std::time::Duration;

use mk_clients::{ClientId, HookEvent, HookMoment};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use crate::error::RequestRefusal;
use crate::message::{self, Id, RawObject, session_of};
use crate::proxy::{AwaitedAnswer, Core, ProxySide};

/// How long a prompt waits for the agent's own selector to be pinned: two setters, each with its own limit.
const PINNING: Duration = Duration::from_secs(30);

impl Core {
    pub(crate) async fn prompt(self: &Arc<Self>, id: Id, params: Option<&RawValue>, line: Vec<u8>) {
        let session = session_of(params).unwrap_or_default();
        if let Some(Some(mut pinned)) = self.with_session(&session, |it| it.pinned.clone()) {
            // A pinning that was given up is over, too.
            drop(tokio::time::timeout(PINNING, pinned.wait_for(|done| *done)).await);
        }
        if let Err(error) = self.start_again_if_stale(&session).await {
            let text = format!("{error}. The agent's rules are those of another mode");
            let refusal = RequestRefusal::Internal;
            return self.refuse(ProxySide::Editor, &id, refusal, &text).await;
        }
        let news = self.news(&session).await;
        let line = match RawObject::read(params).filter(|_| !news.is_empty()) {
            Some(params) => Self::with_news(&line, params, &news).unwrap_or(line),
            None => line,
        };
        self.with_session(&session, |it| {
            it.turns += 1;
            it.past += 1;
        });
        self.lock()
            .awaited
            .insert(id, AwaitedAnswer::Prompt { session });
        self.to_agent(line).await;
    }

    /// The mode's instructions, if the model does not know them, and refusals it was not told the reason of.
    async fn news(&self, session: &str) -> Vec<String> {
        let place = self.with_session(session, |it| {
            (it.seat.clone(), std::mem::take(&mut it.unheard))
        });
        let Some((seat, unheard)) = place else {
            return Vec::new();
        };
        let event = HookEvent {
            client: self.event_client(),
            name: "prompt".to_owned(),
            conversation: Some(session.to_owned()),
            agent: None,
            parent: None,
            cwd: None,
            moment: HookMoment::Prompt {
                text: String::new(),
            },
        };
        let hooks = self.engine.hooks();
        let context = match hooks.answer(&event, &seat, &self.options.settings).await {
            Ok(hooked) => hooked.verdict().context,
            Err(error) => {
                tracing::warn!(%error, "the mode's instructions cannot be told");
                None
            }
        };
        let mode = self.with_session(session, |it| it.mode.clone());
        let way_out = mode.and_then(|mode| self.way_out(&seat.directory, &mode));
        let context = context.map(|text| match way_out {
            Some(way_out) => format!("{text}\n\n{way_out}"),
            None => text,
        });
        let refusals = (!unheard.is_empty()).then(|| {
            format!(
                "Modekeeper refused these calls of the last turn:\n- {}",
                unheard.join("\n- ")
            )
        });
        context.into_iter().chain(refusals).collect()
    }

    fn with_news(line: &[u8], mut params: RawObject, news: &[String]) -> Option<Vec<u8>> {
        let before: Vec<Box<RawValue>> = serde_json::from_str(params.get("prompt")?.get()).ok()?;
        // A plain text, because some agents do not give resources to their model.
        let block = |text: &String| to_raw_value(&json!({ "type": "text", "text": text })).ok();
        let blocks = news.iter().filter_map(block);
        let prompt: Vec<Box<RawValue>> = before.into_iter().chain(blocks).collect();
        params.set("prompt", &prompt);
        message::with(line, "params", &params)
    }

    /// The product in the words of hooks; an editor stands for one that is not known.
    pub(crate) fn event_client(&self) -> ClientId {
        self.lock().client.unwrap_or(ClientId::Zed)
    }
}
