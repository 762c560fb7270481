//! What the agent says: passed on as it came, unless it is about modes or wants something.

use std::sync::Arc;

use mk_clients::{AcpCall, HookEvent, HookMoment, acp_client_named, acp_tool_use};
use mk_engine::Seat;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::editor::is_there;
use crate::message::{self, Id, Line, RawObject, UpdateHead};
use crate::proxy::{Abilities, AwaitedAnswer, Core, ProxySide};
use crate::{shown, title};

/// Longest piece of a line that is not JSON which is shown.
const LONGEST_SHOWN: usize = 200;

impl Core {
    pub(crate) async fn hear_agent(self: &Arc<Self>, line: Vec<u8>) {
        match Line::read(&line) {
            Line::Notification { method, params } if method == "session/update" => {
                let handled = self.agent_updates(&line, params).await;
                if !handled {
                    self.to_editor(line).await;
                }
            }
            // What has no id has no answer: some editors would do it all the same.
            Line::Notification { method, .. } if is_judged(&method) => {
                tracing::warn!(%method, "the agent asks for something without an id");
            }
            Line::Notification { .. } => self.to_editor(line).await,
            Line::Request { id, method, params } => {
                let params = params.map(ToOwned::to_owned);
                match &*method {
                    "session/request_permission" => {
                        drop(tokio::spawn(Arc::clone(self).permission(id, line, params)));
                    }
                    method_name if is_judged(method_name) => {
                        let method = method.into_owned();
                        drop(tokio::spawn(
                            Arc::clone(self).access(id, method, line, params),
                        ));
                    }
                    _ => self.to_editor(line).await,
                }
            }
            Line::Response { id, outcome } => {
                if self.answered(ProxySide::Agent, &id, &outcome) {
                    return;
                }
                match self.settle(&id) {
                    None | Some(AwaitedAnswer::Plain) => self.to_editor(line).await,
                    Some(awaited) => {
                        let outcome = match outcome {
                            Ok(result) => Ok(result.map(ToOwned::to_owned)),
                            Err(_) => Err(()),
                        };
                        self.agent_answers(&id, awaited, outcome, line).await;
                    }
                }
            }
            // Editors give up on a line that is no message; some agents print such lines all the same.
            Line::Other => {
                let text = String::from_utf8_lossy(&line);
                let text: String = text.chars().take(LONGEST_SHOWN).collect();
                tracing::warn!(text, "the agent wrote a line that is not a message");
            }
        }
    }

    async fn agent_answers(
        self: &Arc<Self>,
        id: &Id,
        awaited: AwaitedAnswer,
        outcome: Result<Option<Box<RawValue>>, ()>,
        line: Vec<u8>,
    ) {
        match awaited {
            AwaitedAnswer::Initialize => {
                if let Ok(result) = &outcome {
                    self.learn(result.as_deref());
                }
                self.to_editor(line).await;
            }
            AwaitedAnswer::Open(opening) => self.opened(id, line, opening, outcome).await,
            AwaitedAnswer::Option { session } => {
                let line = self
                    .with_our_option(&session, outcome, &line)
                    .unwrap_or(line);
                self.to_editor(line).await;
            }
            AwaitedAnswer::Prompt { session } => {
                self.turn_ended(&session);
                self.to_editor(line).await;
            }
            AwaitedAnswer::Close { session } => {
                if outcome.is_ok() {
                    self.lock().sessions.remove(&session);
                }
                self.to_editor(line).await;
            }
            AwaitedAnswer::List => {
                let result = outcome.ok().flatten();
                let cut = result.and_then(|result| title::cut_in_list(&result));
                let cut = cut.and_then(|result| message::with(&line, "result", &result));
                self.to_editor(cut.unwrap_or(line)).await;
            }
            AwaitedAnswer::Plain => self.to_editor(line).await,
        }
    }

    /// What the agent says about itself.
    pub(crate) fn learn(&self, result: Option<&RawValue>) {
        let result: Value = match result {
            Some(result) => serde_json::from_str(result.get()).unwrap_or_default(),
            None => Value::Null,
        };
        let capabilities = &result["agentCapabilities"];
        let abilities = Abilities {
            system_prompt: is_there(capabilities.pointer("/sessionCapabilities/systemPrompt")),
        };
        let named = result["agentInfo"]["name"]
            .as_str()
            .and_then(acp_client_named);
        if let Some(client) = named.filter(|_| self.options.client.is_none()) {
            tracing::warn!(
                "the agent is {}, but was started without our hook, because the name of its program did not tell: \
                 start it with `--client {}`",
                client.atlas().name,
                client.slug()
            );
        }
        let mut state = self.lock();
        state.abilities = abilities;
        state.client = state.client.or(named);
    }

    /// An answer that has the whole list of options, with ours in it.
    fn with_our_option(
        &self,
        session: &str,
        outcome: Result<Option<Box<RawValue>>, ()>,
        line: &[u8],
    ) -> Option<Vec<u8>> {
        let mut result = RawObject::read(outcome.ok()?.as_deref())?;
        self.take_options(session, &result)?;
        result.set("configOptions", &self.options_of(session));
        message::with(line, "result", &result)
    }

    /// Remembers the agent's own options.
    fn take_options(&self, session: &str, from: &RawObject) -> Option<()> {
        let options = from.get("configOptions")?;
        let hidden = self.habits().hidden;
        self.with_session(session, |it| {
            it.options = shown::read_options(options, hidden, &mut it.inner);
        })
    }

    /// An update of a session; `true` if the editor has been told already, or need not be.
    async fn agent_updates(self: &Arc<Self>, line: &[u8], params: Option<&RawValue>) -> bool {
        let head = params.and_then(UpdateHead::read);
        let Some(UpdateHead { session, update }) = head else {
            return is_about_modes(params);
        };
        match &*update.kind {
            "current_mode_update" => {
                let update = update_of(params);
                let mode = update
                    .text("currentModeId")
                    .or_else(|| update.text("modeId"));
                let known = self.with_session(&session, |it| {
                    it.inner.current = mode;
                    it.shown.as_ref().map(shown::ShownModes::mode_update)
                });
                self.pin_again(&session);
                match known {
                    Some(Some(ours)) => {
                        self.update(&session, &ours).await;
                        true
                    }
                    // Before the session is shown there is nothing to correct.
                    Some(None) => true,
                    None => false,
                }
            }
            "config_option_update" => {
                let update = update_of(params);
                if self.take_options(&session, &update).is_none() {
                    return false;
                }
                self.pin_again(&session);
                let options = self.options_of(&session);
                if options.is_empty() {
                    return true;
                }
                let mut ours = update;
                ours.set("configOptions", &options);
                self.send_instead(line, params, &ours).await
            }
            "session_info_update" => {
                let mut update = update_of(params);
                if self.is_quiet(&session) || !title::cut_in(&mut update) {
                    return self.is_quiet(&session);
                }
                self.send_instead(line, params, &update).await
            }
            "tool_call" | "tool_call_update" => {
                self.follow_call(&session, params);
                // A past that is told again because we have started the agent again is known to the editor.
                self.is_quiet(&session)
            }
            _ => self.is_quiet(&session),
        }
    }

    /// Tells the editor this update in place of the line's; `false` if the line cannot be changed.
    async fn send_instead(
        &self,
        line: &[u8],
        params: Option<&RawValue>,
        update: &RawObject,
    ) -> bool {
        let mut whole = RawObject::read(params).unwrap_or_default();
        whole.set("update", update);
        match message::with(line, "params", &whole) {
            Some(line) => self.to_editor(line).await,
            None => return false,
        }
        true
    }

    fn is_quiet(&self, session: &str) -> bool {
        self.with_session(session, |it| it.quiet)
            .unwrap_or_default()
    }

    /// Pins the agent's own selector if it has left its place.
    fn pin_again(self: &Arc<Self>, session: &str) {
        let habits = self.habits();
        let left = self.with_session(session, |it| {
            let is_open = it.shown.is_some();
            is_open && crate::pin::has_left(&habits, &it.inner)
        });
        if left == Some(true) {
            self.start_pinning(session);
        }
    }

    /// Remembers what a call is about. One that has ended without a question is looked at.
    fn follow_call(self: &Arc<Self>, session: &str, params: Option<&RawValue>) {
        let update = params.and_then(|params| serde_json::from_str::<Value>(params.get()).ok());
        let Some(update) = update.map(|mut params| params["update"].take()) else {
            return;
        };
        let Some(id) = update["toolCallId"].as_str().map(str::to_owned) else {
            return;
        };
        let status = update["status"].as_str().unwrap_or_default().to_owned();
        let followed = self.with_session(session, |it| {
            let call = it.calls.join(&id, &update);
            let unasked = !it.calls.is_asked(&id) && !it.loading;
            let ended = matches!(status.as_str(), "completed" | "failed");
            if ended {
                it.calls.end(&id);
            }
            (call, unasked, it.seat.clone())
        });
        let Some((call, true, seat)) = followed else {
            return;
        };
        match status.as_str() {
            "completed" => self.observe_call(session, call, seat),
            "failed" => self.explain_policy(session, &call, &update),
            _ => {}
        }
    }

    /// Judges a call that was made without a question, and reports one that the mode forbids.
    fn observe_call(self: &Arc<Self>, session: &str, call: AcpCall, seat: Seat) {
        let (core, session) = (Arc::clone(self), session.to_owned());
        tokio::spawn(async move {
            let tool = acp_tool_use(core.lock().client, &call);
            let event = HookEvent {
                client: core.event_client(),
                name: "tool_call".to_owned(),
                conversation: Some(session.clone()),
                agent: None,
                parent: None,
                cwd: Some(seat.directory.as_path().to_owned()),
                moment: HookMoment::AfterTool(tool.clone()),
            };
            let hooks = core.engine.hooks();
            let seen = hooks
                .observe(&event, &tool, &seat, &core.options.settings)
                .await;
            match seen {
                Ok(None) => {}
                Ok(Some(reason)) => core.report(&session, &call.title, &reason).await,
                Err(error) => {
                    tracing::warn!(%error, "a call that was not asked about cannot be judged");
                }
            }
        });
    }

    /// Says what an agent has done without asking.
    async fn report(&self, session: &str, title: &Option<String>, reason: &str) {
        let title = title.as_deref().unwrap_or("a call");
        let text = format!("\nModekeeper could not prevent «{title}»: {reason}\n");
        let update = json!({
            "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text },
        });
        self.update(session, &update).await;
        let heard = format!("{title} (done without asking): {reason}");
        self.with_session(session, |it| it.unheard.push(heard));
    }
}

/// What is decided about before the editor sees it. Files and terminals that the protocol does not know yet are among it.
fn is_judged(method: &str) -> bool {
    match method {
        "terminal/output" | "terminal/release" | "terminal/wait_for_exit" | "terminal/kill" => {
            false
        }
        "session/request_permission" => true,
        method => method.starts_with("fs/") || method.starts_with("terminal/"),
    }
}

/// Whether an update that cannot be read might change what the editor shows as the mode.
fn is_about_modes(params: Option<&RawValue>) -> bool {
    let Some(params) = params else { return false };
    // Of what stands twice, the last counts here. What is nested too deeply to be read is not shown.
    let read = serde_json::from_str::<Value>(params.get());
    read.map_or(true, |params| {
        let kind = params["update"]["sessionUpdate"].as_str();
        matches!(kind, Some("current_mode_update" | "config_option_update"))
    })
}

fn update_of(params: Option<&RawValue>) -> RawObject {
    let params = RawObject::read(params).unwrap_or_default();
    RawObject::read(params.get("update")).unwrap_or_default()
}
