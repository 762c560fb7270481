//! Sessions that begin or come back: `session/new`, `load`, `resume` and `fork`, with our modes in their results.

use std::path::Path;
use std::sync::Arc;

use mk_types::{AbsPath, ConversationId, ModeSlug};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::error::{RequestRefusal, refusal};
use crate::message::{self, Id, RawObject};
use crate::proxy::{AwaitedAnswer, Core, ProxySide};
use crate::session::{AcpSession, AgentSelector, seat};
use crate::shown::{self, ShownModes};

/// A session that the editor has asked for.
#[derive(Debug)]
pub(crate) struct SessionOpening {
    /// Known before the agent answers, except for a new one.
    pub(crate) session: Option<String>,
    pub(crate) directory: AbsPath,
    /// The mode of the session that it is a copy of.
    pub(crate) inherited: Option<ModeSlug>,
    /// The mode whose instructions the system prompt has.
    pub(crate) told: Option<ModeSlug>,
    /// What the agent was sent.
    pub(crate) params: Box<RawValue>,
    /// The name of our MCP server in it.
    pub(crate) server: Option<String>,
}

impl Core {
    /// Passes a request for a session on, with what makes the agent call our hook and what the model is told.
    pub(crate) async fn open(
        self: &Arc<Self>,
        id: Id,
        method: &str,
        line: Vec<u8>,
        raw: Option<&RawValue>,
    ) {
        let Some(mut params) = RawObject::read(raw) else {
            // Without parameters the agent refuses it in its own words.
            self.lock().awaited.insert(id, AwaitedAnswer::Plain);
            return self.to_agent(line).await;
        };
        let directory = params
            .text("cwd")
            .and_then(|cwd| AbsPath::new(Path::new(&cwd)));
        let named = params.text("sessionId");
        let before = named.as_deref().and_then(|session| {
            self.with_session(session, |it| (it.seat.directory.clone(), it.mode.clone()))
        });
        let directory =
            directory.or_else(|| before.as_ref().map(|(directory, _)| directory.clone()));
        let directory = directory.unwrap_or_else(|| self.options.directory.clone());
        let is_copy = method == "session/fork";
        let mut opening = SessionOpening {
            session: named.filter(|_| method == "session/load" || method == "session/resume"),
            inherited: before.map(|(_, mode)| mode).filter(|_| is_copy),
            directory,
            told: None,
            params: Box::default(),
            server: None,
        };
        if let Some(session) = &opening.session {
            // Its past is told before the answer comes.
            if let Err((refusal, text)) = self.sit(session, &opening).await {
                return self.refuse(ProxySide::Editor, &id, refusal, &text).await;
            }
            self.with_session(session, |it| {
                it.loading = true;
                it.past += 1;
            });
            self.name_for_load(session);
        }
        if let Some(meta) = &self.options.meta {
            let mut joined = params.value("_meta").unwrap_or_else(|| json!({}));
            merge(&mut joined, meta);
            params.set("_meta", &joined);
        }
        opening.server = self.offer_server(&mut params);
        if let Ok(sent) = serde_json::value::to_raw_value(&params) {
            opening.params = sent;
        }
        self.instruct(&mut params, &mut opening);
        let line = message::with(&line, "params", &params).unwrap_or(line);
        self.lock().awaited.insert(id, AwaitedAnswer::Open(opening));
        self.to_agent(line).await;
    }

    /// Puts the mode's instructions into the system prompt, where the agent takes some.
    fn instruct(&self, params: &mut RawObject, opening: &mut SessionOpening) {
        let takes = self.lock().abilities.system_prompt && params.get("systemPrompt").is_none();
        if !takes {
            return;
        }
        let conversations = self.engine.conversations();
        let known = opening
            .session
            .as_deref()
            .and_then(|session| self.with_session(session, |it| it.mode.clone()));
        let mode = known.or_else(|| opening.inherited.clone()).map_or_else(
            || conversations.mode_at(&opening.directory, &self.options.settings),
            Ok,
        );
        let text = mode.and_then(|mode| {
            let mut text = conversations.instructions(&opening.directory, &mode)?;
            if let Some(way_out) = self.way_out(&opening.directory, &mode) {
                text = format!("{text}\n\n{way_out}");
            }
            Ok((mode, text))
        });
        match text {
            Ok((mode, text)) => {
                let content = json!([{ "type": "text", "text": text }]);
                params.set(
                    "systemPrompt",
                    &json!({ "mode": "append", "content": content }),
                );
                opening.told = Some(mode);
            }
            // The first prompt tells it.
            Err(error) => tracing::debug!(%error, "the system prompt stays as it is"),
        }
    }

    /// Opens the conversation of a session and remembers it.
    async fn sit(
        &self,
        session: &str,
        opening: &SessionOpening,
    ) -> Result<(), (RequestRefusal, String)> {
        let seat = seat(self.client_name(), session, opening.directory.clone());
        let conversations = self.engine.conversations();
        let inherited = opening.inherited.as_ref();
        let sat = conversations
            .sit(&seat, &self.options.settings, inherited)
            .await;
        let (conversation, mode) = sat.map_err(|error| refusal(&error))?;
        let mode = self.begin_in(session, opening, &conversation, mode).await;
        let mode = mode.map_err(|error| refusal(&error))?;
        if let Some(server) = &opening.server {
            let seated = self.seat_server(&seat, server).await;
            seated.map_err(|error| refusal(&error))?;
        }
        if let Some(told) = opening.told.as_ref().filter(|told| **told == mode) {
            let told = conversations.tell(&conversation, told).await;
            told.map_err(|error| refusal(&error))?;
        }
        let attendance = (self.options.attend)(&conversation);
        let mut state = self.lock();
        state.attending.extend(attendance);
        if !state.sessions.contains_key(session) {
            let session_state = AcpSession::new(seat, conversation, mode);
            state.sessions.insert(session.to_owned(), session_state);
        }
        Ok(())
    }

    /// The mode of a session that has just been opened. A new one begins where new ones do, even if its agent calls it as
    /// it has called another one before.
    async fn begin_in(
        &self,
        session: &str,
        opening: &SessionOpening,
        conversation: &ConversationId,
        stored: ModeSlug,
    ) -> Result<ModeSlug, mk_engine::Error> {
        let is_known = self.lock().sessions.contains_key(session);
        if is_known || opening.session.is_some() {
            return Ok(stored);
        }
        let conversations = self.engine.conversations();
        let start = match &opening.inherited {
            Some(mode) => mode.clone(),
            None => conversations.mode_at(&opening.directory, &self.options.settings)?,
        };
        conversations.follow(conversation, stored, start).await
    }

    /// The agent has answered: the editor gets the session with our modes, and the agent's own selector is pinned.
    pub(crate) async fn opened(
        self: &Arc<Self>,
        id: &Id,
        line: Vec<u8>,
        opening: SessionOpening,
        outcome: Result<Option<Box<RawValue>>, ()>,
    ) {
        let Ok(result) = outcome else {
            if let Some(session) = &opening.session {
                self.with_session(session, |it| it.loading = false);
            }
            return self.to_editor(line).await;
        };
        let mut result = RawObject::read(result.as_deref()).unwrap_or_default();
        let Some(session) = result.text("sessionId").or_else(|| opening.session.clone()) else {
            return self.to_editor(line).await;
        };
        if let Err((refusal, text)) = self.sit(&session, &opening).await {
            return self.refuse(ProxySide::Editor, id, refusal, &text).await;
        }
        let mut inner = AgentSelector::default();
        shown::read_modes(result.value("modes"), &mut inner);
        let others = match result.get("configOptions") {
            Some(options) => shown::read_options(options, self.habits().hidden, &mut inner),
            None => Vec::new(),
        };
        let is_back = opening.session.is_some();
        if is_back && self.habits().restarts {
            // Such an agent tells the past after its answer; what it is asked next, it answers when that is done.
            inner.current = None;
        }
        let place = self.with_session(&session, |it| {
            it.loading = is_back;
            it.inner = inner;
            it.options.clone_from(&others);
            it.opened_with = Some(opening.params);
            (it.seat.directory.clone(), it.mode.clone())
        });
        let Some((directory, mode)) = place else {
            return;
        };
        let shown = ShownModes::of(&self.engine, &directory, &mode);
        shown::put(&mut result, &shown, &others);
        self.with_session(&session, |it| it.shown = Some(shown));
        let line = message::with(&line, "result", &result).unwrap_or(line);
        self.start_pinning(&session);
        self.to_editor(line).await;
    }

    /// Pins the agent's own selector in the background; prompts wait for it.
    pub(crate) fn start_pinning(self: &Arc<Self>, session: &str) {
        let (sender, receiver) = tokio::sync::watch::channel(false);
        self.with_session(session, |it| it.pinned = Some(receiver));
        let (core, session) = (Arc::clone(self), session.to_owned());
        tokio::spawn(async move {
            core.pin(&session).await;
            core.with_session(&session, |it| it.loading = false);
            // Nobody waits if the session is gone.
            let _gone = sender.send(true);
        });
    }
}

/// Joins objects key by key and lists one after the other; for anything else ours counts.
fn merge(target: &mut Value, ours: &Value) {
    match (target, ours) {
        (Value::Object(target), Value::Object(ours)) => {
            for (key, value) in ours {
                match target.get_mut(key) {
                    Some(before) => merge(before, value),
                    None => {
                        target.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        (Value::Array(target), Value::Array(ours)) => target.extend(ours.iter().cloned()),
        (target, ours) => *target = ours.clone(),
    }
}
