//! What a server says: answers, questions of its own, and news.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{INITIALIZE, RunningServer, SETTLED};
use crate::ask::PendingQuestion;
use crate::capability::Capabilities;
use crate::error::ServerError;
use crate::inquiry;
use crate::message::{
    CONTENT_MODIFIED, INTERNAL_ERROR, Incoming, METHOD_NOT_FOUND, REQUEST_CANCELLED, ResponseError,
    SERVER_CANCELLED, notification, response,
};
use crate::progress::ServerProgress;

/// Of what a server says about a project that it cannot read.
const LONGEST_COMPLAINT: usize = 300;

impl RunningServer {
    /// Takes in one message; a question that has to be put again comes back.
    pub(crate) fn hear(&mut self, now: Instant) -> Option<PendingQuestion> {
        let message = self.incoming.try_recv().ok()?;
        self.heard = now;
        match message {
            Incoming::Response { id, result } => return self.hear_response(id, result, now),
            Incoming::Request { id, method, params } => {
                let result = self.inquiry(&method, &params);
                self.send(response(&id, &result));
            }
            Incoming::Notification { method, params } => self.hear_notice(&method, &params, now),
        }
        None
    }

    fn hear_response(
        &mut self,
        id: i64,
        result: Result<Box<RawValue>, ResponseError>,
        now: Instant,
    ) -> Option<PendingQuestion> {
        self.probe = None;
        if id == INITIALIZE && self.capabilities.is_none() {
            self.hear_initialized(result, now);
            return None;
        }
        let mut ask = self.pending.take(id)?;
        let server = self.server.name.clone();
        match result {
            Ok(result) => self.reply(ask, result),
            Err(ResponseError {
                code: CONTENT_MODIFIED | SERVER_CANCELLED | REQUEST_CANCELLED,
                ..
            }) => {
                ask.not_before = Some(now + SETTLED);
                return Some(ask);
            }
            // One that drops a question for the next may stumble over the one it drops.
            Err(ResponseError {
                code: INTERNAL_ERROR,
                ..
            }) if self.server.one_at_a_time && ask.not_before.is_none() => {
                ask.not_before = Some(now + SETTLED);
                return Some(ask);
            }
            Err(ResponseError {
                code: METHOD_NOT_FOUND,
                ..
            }) => {
                let method = ask.question.method();
                ask.finish(Err(ServerError::Unsupported { server, method }));
            }
            Err(ResponseError { code, message }) => {
                let refused = ServerError::Refused {
                    server,
                    code,
                    message: message.chars().take(1_000).collect(),
                };
                let error = self.blind(&ask).unwrap_or(refused);
                ask.finish(Err(error));
            }
        }
        None
    }

    fn hear_initialized(&mut self, result: Result<Box<RawValue>, ResponseError>, now: Instant) {
        match result.map(|result| Capabilities::parse(&result)) {
            Ok(Some(capabilities)) => {
                self.capabilities = Some(capabilities);
                self.progress = ServerProgress::new(self.server.warm.clone(), now);
                self.send(notification("initialized", &json!({})));
                if !self.server.settings.is_null() {
                    let settings = json!({"settings": self.server.settings});
                    self.send(notification("workspace/didChangeConfiguration", &settings));
                }
            }
            Ok(None) => self.broken = Some("it does not say what it can do".to_owned()),
            Err(refusal) => self.broken = Some(refusal.message),
        }
    }

    fn inquiry(&mut self, method: &str, params: &RawValue) -> Result<Value, ResponseError> {
        if let ("client/registerCapability", Some(capabilities)) = (method, &mut self.capabilities)
        {
            capabilities.register(params);
        }
        inquiry::answer(method, params, &self.server, &self.workspaces)
    }

    fn hear_notice(&mut self, method: &str, params: &RawValue, now: Instant) {
        match method {
            "$/progress" => {
                // It works, even though it does not answer.
                self.probe = self
                    .probe
                    .map(|until| until.max(now + Duration::from_secs(1)));
                self.progress.report(params, now);
            }
            "experimental/serverStatus" => self.progress.status(params),
            "textDocument/publishDiagnostics" => self.published.take(params, now),
            "window/logMessage" | "window/showMessage" => {
                let said: String = params.get().chars().take(500).collect();
                self.progress.log(&said);
                self.hear_complaint(params);
                tracing::debug!(server = self.server.name, said);
            }
            _ => {}
        }
    }

    /// What it says about a project that it could not read.
    fn hear_complaint(&mut self, params: &RawValue) {
        let Ok(ServerMessage { message }) = serde_json::from_str(params.get()) else {
            return;
        };
        let is_complaint = |text: &String| message.contains(text.as_str());
        if self.server.blind.iter().any(is_complaint) {
            let reason = message.chars().take(LONGEST_COMPLAINT).collect();
            self.progress.complain(reason);
        }
    }
}

/// Of `window/logMessage` and `window/showMessage`.
#[derive(Deserialize)]
struct ServerMessage {
    message: String,
}
