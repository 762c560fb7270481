//! What the editor says, and what of it is ours to answer.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::error::{RequestRefusal, refusal};
use crate::message::{self, Id, Line, RawObject, session_of};
use crate::proxy::{AwaitedAnswer, Core, ProxySide};
use crate::shown::{self, OPTION};

/// The protocol that we speak. A newer one is offered to the agent as this one, which is how versions are negotiated.
const VERSION: u64 = 1;

impl Core {
    pub(crate) async fn hear_editor(self: &Arc<Self>, line: Vec<u8>) {
        match Line::read(&line) {
            Line::Request { id, method, params } => {
                let params = params.map(ToOwned::to_owned);
                let method = method.into_owned();
                self.editor_asks(id, &method, params.as_deref(), line).await;
            }
            Line::Response { id, outcome } => {
                if self.answered(ProxySide::Editor, &id, &outcome) {
                    return;
                }
                let passed_on = self.lock().passed_on.remove(&id);
                match passed_on {
                    Some(passed_on) => {
                        let result = outcome.ok().flatten().map(ToOwned::to_owned);
                        self.person_chose(&id, passed_on, result.as_deref()).await;
                    }
                    None => self.to_agent(line).await,
                }
            }
            // What is not a message is the agent's to refuse.
            Line::Notification { .. } | Line::Other => self.to_agent(line).await,
        }
    }

    async fn editor_asks(
        self: &Arc<Self>,
        id: Id,
        method: &str,
        params: Option<&RawValue>,
        line: Vec<u8>,
    ) {
        match method {
            "initialize" => self.initialize(id, params, line).await,
            "session/new" | "session/load" | "session/resume" | "session/fork" => {
                self.open(id, method, line, params).await;
            }
            "session/set_mode" => {
                let params = RawObject::read(params).unwrap_or_default();
                let mode = params.text("modeId").unwrap_or_default();
                let session = params.text("sessionId").unwrap_or_default();
                match self.switch(&session, &mode).await {
                    Ok(()) => {
                        self.end_planning(&session);
                        self.to_editor(message::response(&id, &json!({}))).await;
                    }
                    Err((refusal, text)) => {
                        self.refuse(ProxySide::Editor, &id, refusal, &text).await;
                    }
                }
            }
            "session/set_config_option" => self.set_option(id, params, line).await,
            "session/prompt" => self.prompt(id, params, line).await,
            "session/close" | "session/delete" => {
                let session = session_of(params).unwrap_or_default();
                self.lock()
                    .awaited
                    .insert(id, AwaitedAnswer::Close { session });
                self.to_agent(line).await;
            }
            _ => {
                let awaited = match method {
                    "session/list" => AwaitedAnswer::List,
                    _ => AwaitedAnswer::Plain,
                };
                self.lock().awaited.insert(id, awaited);
                self.to_agent(line).await;
            }
        }
    }

    async fn initialize(&self, id: Id, params: Option<&RawValue>, line: Vec<u8>) {
        let mut line = line;
        if let Some(mut object) = RawObject::read(params) {
            let version = object.value("protocolVersion").and_then(|it| it.as_u64());
            if version.is_some_and(|version| version > VERSION) {
                object.set("protocolVersion", &VERSION);
                line = message::with(&line, "params", &object).unwrap_or(line);
            }
            let mut state = self.lock();
            state.initialize = serde_json::value::to_raw_value(&object).ok();
        }
        self.lock().awaited.insert(id, AwaitedAnswer::Initialize);
        self.to_agent(line).await;
    }

    /// Another mode, chosen by the person at the editor. It holds from the very next call.
    pub(crate) async fn switch(
        self: &Arc<Self>,
        session: &str,
        mode: &str,
    ) -> Result<(), (RequestRefusal, String)> {
        let place = self.with_session(session, |it| {
            (it.seat.directory.clone(), it.conversation.clone())
        });
        let (directory, conversation) = place.ok_or_else(|| unknown_session(session))?;
        let catalogue = self.engine.modes().catalogue_at(&directory);
        let slug = shown::choose(&catalogue, mode)
            .map_err(|text| (RequestRefusal::InvalidParams, text))?;
        let set = self
            .engine
            .conversations()
            .set_mode(&conversation, &slug)
            .await;
        set.map_err(|error| refusal(&error))?;
        self.with_session(session, |it| it.granted.clear());
        self.refresh(session).await;
        Ok(())
    }

    async fn set_option(self: &Arc<Self>, id: Id, params: Option<&RawValue>, line: Vec<u8>) {
        let object = RawObject::read(params).unwrap_or_default();
        let session = object.text("sessionId").unwrap_or_default();
        let option = object.text("configId").unwrap_or_default();
        let Some(inner) = self.with_session(&session, |it| it.inner.clone()) else {
            let (refusal, text) = unknown_session(&session);
            return self.refuse(ProxySide::Editor, &id, refusal, &text).await;
        };
        if option == OPTION {
            let mode = object.text("value").unwrap_or_default();
            return match self.switch(&session, &mode).await {
                Ok(()) => {
                    self.end_planning(&session);
                    let options = self.options_of(&session);
                    let result = json!({ "configOptions": options });
                    self.to_editor(message::response(&id, &result)).await;
                }
                Err((refusal, text)) => self.refuse(ProxySide::Editor, &id, refusal, &text).await,
            };
        }
        let hidden = self.habits().hidden;
        let is_hidden = inner.option.as_deref() == Some(option.as_str())
            || hidden.iter().any(|(name, _)| *name == option);
        if is_hidden {
            let text = format!("Option not found: {option}");
            return self
                .refuse(ProxySide::Editor, &id, RequestRefusal::InvalidParams, &text)
                .await;
        }
        self.lock()
            .awaited
            .insert(id, AwaitedAnswer::Option { session });
        self.to_agent(line).await;
    }

    /// The whole list of a session's options, ours among them.
    pub(crate) fn options_of(&self, session: &str) -> Vec<Box<RawValue>> {
        let options = self.with_session(session, |it| {
            let shown = it.shown.as_ref()?;
            Some(shown.options(&it.options))
        });
        options.flatten().unwrap_or_default()
    }
}

pub(crate) fn unknown_session(session: &str) -> (RequestRefusal, String) {
    (
        RequestRefusal::InvalidParams,
        format!("Session not found: {session}"),
    )
}

/// Whether a value says something.
pub(crate) fn is_there(value: Option<&Value>) -> bool {
    value.is_some_and(|value| !value.is_null() && *value != json!(false))
}
